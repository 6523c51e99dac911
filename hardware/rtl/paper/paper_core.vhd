-- SPDX-License-Identifier: MIT OR Apache-2.0
-- The common parts of the paper's designs: K-box, key schedule, PRGA and S-box, and their wires.
--
-- A design chooses its PRGA, its rounds of the key schedule a clock, and whether both share the
-- ports of the S-box.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.rc4_pkg.all;
use work.paper_pkg.all;

entity paper_core is
  generic (
    NAME         : string;    -- of the design, for the refusal of illegal generics
    N            : positive;  -- cells of the table: 8, 16, 32, 64, 128 or 256
    KEY_BYTES    : positive;  -- words of the key, 1 to N
    PRGA         : string;    -- "pipelined", "design1" or "design2"
    KSA_ROUNDS   : positive;  -- rounds of the key schedule a clock: 1 or 2
    SHARED_PORTS : boolean    -- of the S-box, as paper_sbox has it
  );
  port (
    clk_i       : in  std_logic;  -- the ports of the designs
    rst_i       : in  std_logic;
    ce_i        : in  std_logic;
    clear_i     : in  std_logic;
    key_i       : in  std_logic_vector(word_bits(N) - 1 downto 0);
    key_valid_i : in  std_logic;
    key_ready_o : out std_logic;
    busy_o      : out std_logic;
    z_o         : out std_logic_vector(prga_words(PRGA) * word_bits(N) - 1 downto 0);
    z_valid_o   : out std_logic;
    z_ready_i   : in  std_logic
  );
end entity;

architecture rtl of paper_core is
  constant W : positive := legal_word_bits(NAME, N, KSA_ROUNDS, KEY_BYTES, KSA_ROUNDS);

  -- A round reads and writes two cells; the lookup of each word of keystream reads one more.
  constant KSA_PORTS   : positive := 2 * KSA_ROUNDS;
  constant PRGA_READS  : positive := 3 * prga_words(PRGA);
  constant PRGA_WRITES : positive := 2 * prga_words(PRGA);

  signal wipe, start, busy, last, ksa_step, prga_step, prga_write, z_valid : std_logic;

  signal key                            : words_t(0 to KSA_ROUNDS - 1)(W - 1 downto 0);
  signal ksa_read_addr, ksa_read_data   : words_t(0 to KSA_PORTS - 1)(W - 1 downto 0);
  signal ksa_write_addr, ksa_write_data : words_t(0 to KSA_PORTS - 1)(W - 1 downto 0);

  signal prga_read_addr, prga_read_data   : words_t(0 to PRGA_READS - 1)(W - 1 downto 0);
  signal prga_write_addr, prga_write_data : words_t(0 to PRGA_WRITES - 1)(W - 1 downto 0);
begin

  control : entity work.paper_control
    port map (
      clk_i => clk_i, rst_i => rst_i, ce_i => ce_i, clear_i => clear_i,
      key_valid_i => key_valid_i, busy_i => busy, last_i => last,
      z_valid_i => z_valid, z_ready_i => z_ready_i,
      wipe_o => wipe, start_o => start, ksa_step_o => ksa_step, prga_step_o => prga_step
    );

  k_box : entity work.paper_kbox
    generic map (W => W, KEY_BYTES => KEY_BYTES, READS => KSA_ROUNDS)
    port map (
      clk_i => clk_i, rst_i => wipe, ce_i => ce_i,
      key_i => key_i, key_valid_i => key_valid_i, key_ready_o => key_ready_o,
      done_i => last, busy_o => busy, words_o => key
    );

  one_round : if KSA_ROUNDS = 1 generate
    ksa : entity work.paper_ksa1
      generic map (N => N, W => W)
      port map (
        clk_i => clk_i, start_i => start, step_i => ksa_step, key_i => key, last_o => last,
        read_addr_o => ksa_read_addr, read_data_i => ksa_read_data,
        write_addr_o => ksa_write_addr, write_data_o => ksa_write_data
      );
  end generate;

  two_rounds : if KSA_ROUNDS = 2 generate
    ksa : entity work.paper_ksa2
      generic map (N => N, W => W)
      port map (
        clk_i => clk_i, start_i => start, step_i => ksa_step, key_i => key, last_o => last,
        read_addr_o => ksa_read_addr, read_data_i => ksa_read_data,
        write_addr_o => ksa_write_addr, write_data_o => ksa_write_data
      );
  end generate;

  pipelined : if PRGA = "pipelined" generate
    prga : entity work.paper_prga_pipelined
      generic map (W => W)
      port map (
        clk_i => clk_i, start_i => start, step_i => prga_step,
        read_addr_o => prga_read_addr, read_data_i => prga_read_data,
        write_o => prga_write, write_addr_o => prga_write_addr, write_data_o => prga_write_data,
        z_o => z_o, z_valid_o => z_valid
      );
  end generate;

  design1 : if PRGA = "design1" generate
    prga : entity work.paper_prga_design1
      generic map (W => W)
      port map (
        clk_i => clk_i, start_i => start, step_i => prga_step,
        read_addr_o => prga_read_addr, read_data_i => prga_read_data,
        write_o => prga_write, write_addr_o => prga_write_addr, write_data_o => prga_write_data,
        z_o => z_o, z_valid_o => z_valid
      );
  end generate;

  design2 : if PRGA = "design2" generate
    prga : entity work.paper_prga_design2
      generic map (W => W)
      port map (
        clk_i => clk_i, start_i => start, step_i => prga_step,
        read_addr_o => prga_read_addr, read_data_i => prga_read_data,
        write_o => prga_write, write_addr_o => prga_write_addr, write_data_o => prga_write_data,
        z_o => z_o, z_valid_o => z_valid
      );
  end generate;

  s_box : entity work.paper_sbox
    generic map (
      N => N, W => W, SHARED_PORTS => SHARED_PORTS,
      KSA_READS => KSA_PORTS, KSA_WRITES => KSA_PORTS,
      PRGA_READS => PRGA_READS, PRGA_WRITES => PRGA_WRITES
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
