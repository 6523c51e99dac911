-- SPDX-License-Identifier: MIT OR Apache-2.0
-- RC4, K bytes in nearly every clock, from a table that does not rotate. A clock changes only the
-- 2K cells that K rounds swap. So a byte takes less energy than in rc4_spec, whose rotor moves all
-- cells in every clock.
--
-- The core is rc4_spec with another table: STILL puts rc4_cells in the place of rc4_rotor. In the
-- stream the clocks of the key's words are gated off. The hits of rc4_spec remain, and with them
-- the small timing side channel.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.rc4_pkg.all;

entity rc4_still is
  generic (
    N         : positive := 256;  -- cells of the table: 8, 16, 32, 64, 128 or 256
    K         : positive := 2;    -- bytes a clock without a hit: a power of two, up to N / 8 and 16
    KEY_BYTES : positive := 16;   -- words of the key, 1 to N
    VARIABLE_KEY : boolean := false  -- key_last_i ends a key of fewer words than KEY_BYTES
  );
  port (
    clk_i       : in  std_logic;  -- rising edge
    rst_i       : in  std_logic;  -- synchronous; wipes key, table and output, whatever ce_i says
    ce_i        : in  std_logic;  -- clock enable; low: nothing changes, ready and valid are low
    clear_i     : in  std_logic;  -- as rst_i, for a command to wipe
    key_i       : in  std_logic_vector(word_bits(N) - 1 downto 0);  -- the next word of the key
    key_valid_i : in  std_logic;  -- key_i holds a word
    key_last_i  : in  std_logic := '0';  -- it is the last one; only with VARIABLE_KEY
    key_ready_o : out std_logic;  -- a word is taken when both are high; it ends the stream
    busy_o      : out std_logic;  -- the key schedule runs
    z_o         : out std_logic_vector(K * word_bits(N) - 1 downto 0);  -- K words of keystream, the
                                                              -- first one lowest
    z_valid_o   : out std_logic;  -- z_o holds K words
    z_ready_i   : in  std_logic   -- they are taken when both are high
  );
end entity;

architecture rtl of rc4_still is
  -- A group lies in one row of rc4_cells. A row has 16 cells at most.
  constant W : positive := legal_word_bits("rc4_still", N, K, KEY_BYTES, minimum(N / 8, 16));
begin

  core : entity work.rc4_spec
    generic map (N => N, K => K, KEY_BYTES => KEY_BYTES, VARIABLE_KEY => VARIABLE_KEY, STILL => true)
    port map (
      clk_i => clk_i, rst_i => rst_i, ce_i => ce_i, clear_i => clear_i,
      key_i => key_i, key_valid_i => key_valid_i, key_last_i => key_last_i, key_ready_o => key_ready_o,
      busy_o => busy_o, z_o => z_o, z_valid_o => z_valid_o, z_ready_i => z_ready_i
    );

end architecture;
