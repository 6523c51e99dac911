-- Design 1 (section 2): a byte a clock by loop unrolling, two every other clock.
--
-- The key schedule does a round a clock, as section 2.4 implements and tables 5 and 6 count it;
-- section 2.3 describes one by the unrolled circuit, at the same rate. The ports of the S-box are
-- shared as in figure 8.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.rc4_pkg.all;
use work.paper_pkg.all;

entity rc4_design1 is
  generic (
    N         : positive := 256;  -- cells of the table: 8, 16, 32, 64, 128 or 256
    KEY_BYTES : positive := 16    -- words of the key, 1 to N
  );
  port (
    clk_i       : in  std_logic;  -- rising edge
    rst_i       : in  std_logic;  -- synchronous; wipes key, table and output, whatever ce_i says
    ce_i        : in  std_logic;  -- clock enable; low: nothing changes, ready and valid are low
    clear_i     : in  std_logic;  -- as rst_i, for a command to wipe
    key_i       : in  std_logic_vector(word_bits(N) - 1 downto 0);  -- the next word of the key
    key_valid_i : in  std_logic;  -- key_i holds a word
    key_ready_o : out std_logic;  -- a word is taken when both are high; it ends the stream
    busy_o      : out std_logic;  -- the key schedule runs
    z_o         : out std_logic_vector(2 * word_bits(N) - 1 downto 0);  -- two words, first lowest
    z_valid_o   : out std_logic;  -- z_o holds keystream
    z_ready_i   : in  std_logic   -- it is taken when both are high
  );
end entity;

architecture rtl of rc4_design1 is
  constant W : positive := legal_word_bits("rc4_design1", N, 1, KEY_BYTES, 1);

  signal wipe, start, busy, last, ksa_step, prga_step, prga_write, z_valid : std_logic;

  signal key                            : words_t(0 to 0)(W - 1 downto 0);
  signal ksa_read_addr, ksa_read_data   : words_t(0 to 1)(W - 1 downto 0);
  signal ksa_write_addr, ksa_write_data : words_t(0 to 1)(W - 1 downto 0);

  signal prga_read_addr, prga_read_data   : words_t(0 to 5)(W - 1 downto 0);
  signal prga_write_addr, prga_write_data : words_t(0 to 3)(W - 1 downto 0);
begin

  control : entity work.paper_control
    port map (
      clk_i => clk_i, rst_i => rst_i, ce_i => ce_i, clear_i => clear_i,
      key_valid_i => key_valid_i, busy_i => busy, last_i => last,
      z_valid_i => z_valid, z_ready_i => z_ready_i,
      wipe_o => wipe, start_o => start, ksa_step_o => ksa_step, prga_step_o => prga_step
    );

  k_box : entity work.paper_kbox
    generic map (W => W, KEY_BYTES => KEY_BYTES, READS => 1)
    port map (
      clk_i => clk_i, rst_i => wipe, ce_i => ce_i,
      key_i => key_i, key_valid_i => key_valid_i, key_ready_o => key_ready_o,
      done_i => last, busy_o => busy, words_o => key
    );

  ksa : entity work.paper_ksa1
    generic map (N => N, W => W)
    port map (
      clk_i => clk_i, start_i => start, step_i => ksa_step, key_i => key, last_o => last,
      read_addr_o => ksa_read_addr, read_data_i => ksa_read_data,
      write_addr_o => ksa_write_addr, write_data_o => ksa_write_data
    );

  prga : entity work.paper_prga_design1
    generic map (W => W)
    port map (
      clk_i => clk_i, start_i => start, step_i => prga_step,
      read_addr_o => prga_read_addr, read_data_i => prga_read_data,
      write_o => prga_write, write_addr_o => prga_write_addr, write_data_o => prga_write_data,
      z_o => z_o, z_valid_o => z_valid
    );

  s_box : entity work.paper_sbox
    generic map (
      N => N, W => W, SHARED_PORTS => true,
      KSA_READS => 2, KSA_WRITES => 2, PRGA_READS => 6, PRGA_WRITES => 4
    )
    port map (
      clk_i => clk_i, identity_i => start, ksa_i => busy,
      ksa_write_i => ksa_step,
      ksa_read_addr_i => ksa_read_addr, ksa_read_data_o => ksa_read_data,
      ksa_write_addr_i => ksa_write_addr, ksa_write_data_i => ksa_write_data,
      prga_write_i => prga_write,
      prga_read_addr_i => prga_read_addr, prga_read_data_o => prga_read_data,
      prga_write_addr_i => prga_write_addr, prga_write_data_i => prga_write_data
    );

  busy_o    <= busy;
  z_valid_o <= z_valid and ce_i;

end architecture;
