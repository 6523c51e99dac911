-- SPDX-License-Identifier: MIT OR Apache-2.0
-- Design 1 (section 2): a byte a clock by loop unrolling, two every other clock.
--
-- The key schedule does a round a clock, as in section 2.4 and tables 5 and 6. Section 2.3
-- describes another by the unrolled circuit, at the same rate. The ports of the S-box are shared as
-- in figure 8.
library ieee;
use ieee.std_logic_1164.all;
use work.rc4_pkg.all;

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
begin

  core : entity work.paper_core
    generic map (
      NAME => "rc4_design1", N => N, KEY_BYTES => KEY_BYTES,
      PRGA => "design1", KSA_ROUNDS => 1, SHARED_PORTS => true
    )
    port map (
      clk_i => clk_i, rst_i => rst_i, ce_i => ce_i, clear_i => clear_i,
      key_i => key_i, key_valid_i => key_valid_i, key_ready_o => key_ready_o, busy_o => busy_o,
      z_o => z_o, z_valid_o => z_valid_o, z_ready_i => z_ready_i
    );

end architecture;
