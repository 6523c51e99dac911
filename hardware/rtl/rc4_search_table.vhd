-- SPDX-License-Identifier: MIT OR Apache-2.0
-- The tables of eight keys in one block RAM, with a tag on each cell.
--
-- Both ports exchange: at one edge a port writes new data and reads the old. Port A accesses two neighbouring cells
-- of one table, port B one cell of another. One table has an even number and the other an odd number, so the ports
-- never access the same cell, and synthesis can see this. The old data appear two clocks later.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.rc4_pkg.all;

entity rc4_search_table is
  generic (
    N : positive := 256  -- cells of a table
  );
  port (
    clk_i        : in  std_logic;
    table_i      : in  unsigned(2 downto 0);                     -- whose table port A has
    pair_i       : in  unsigned(word_bits(N) - 2 downto 0);      -- cells 2 pair_i and 2 pair_i + 1
    even_i       : in  std_logic_vector(word_bits(N) downto 0);  -- tag and word for them
    odd_i        : in  std_logic_vector(word_bits(N) downto 0);
    write_even_i : in  std_logic;
    write_odd_i  : in  std_logic;
    even_o       : out std_logic_vector(word_bits(N) downto 0);  -- the old values of both cells
    odd_o        : out std_logic_vector(word_bits(N) downto 0);
    other_i      : in  unsigned(1 downto 0);                     -- the upper bits of the number of port B's table
    place_i      : in  unsigned(word_bits(N) - 1 downto 0);
    word_i       : in  std_logic_vector(word_bits(N) downto 0);  -- tag and word for the cell
    write_i      : in  std_logic;
    word_o       : out std_logic_vector(word_bits(N) downto 0)   -- the old value of the cell
  );
end entity;

architecture rtl of rc4_search_table is
  constant W : positive := word_bits(N);

  type table_t is array (0 to 8 * N - 1) of std_logic_vector(W downto 0);
  signal cells           : table_t;
  signal even, odd, word : std_logic_vector(W downto 0);
  signal even_at, odd_at, word_at : unsigned(W + 2 downto 0);
begin

  even_at <= table_i & pair_i & '0';
  odd_at  <= table_i & pair_i & '1';
  word_at <= other_i & not table_i(0) & place_i;

  process (clk_i)
  begin
    if rising_edge(clk_i) then
      if write_even_i = '1' then
        cells(to_integer(even_at)) <= even_i;
      end if;
      if write_odd_i = '1' then
        cells(to_integer(odd_at)) <= odd_i;
      end if;
      if write_i = '1' then
        cells(to_integer(word_at)) <= word_i;
      end if;
      even <= cells(to_integer(even_at));
      odd  <= cells(to_integer(odd_at));
      word <= cells(to_integer(word_at));
      even_o <= even;
      odd_o  <= odd;
      word_o <= word;
    end if;
  end process;

end architecture;
