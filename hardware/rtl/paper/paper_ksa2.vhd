-- SPDX-License-Identifier: MIT OR Apache-2.0
-- The key schedule, two rounds a clock (table 4 and figure 14): Pipelined-A, Pipelined-B, and
-- Design 2 as described (section 3.5). Four reads and four writes of the S-box, two reads of the
-- K-box.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.paper_pkg.all;

entity paper_ksa2 is
  generic (
    N : positive;  -- cells of the table
    W : positive   -- bits of a word
  );
  port (
    clk_i        : in  std_logic;  -- rising edge
    start_i      : in  std_logic;  -- i and j to 0
    step_i       : in  std_logic;  -- do two rounds
    key_i        : in  words_t(0 to 1)(W - 1 downto 0);  -- K[i1], K[i2]
    last_o       : out std_logic;  -- the rounds are the last ones
    read_addr_o  : out words_t(0 to 3)(W - 1 downto 0);  -- i1, i2, j1, j2
    read_data_i  : in  words_t(0 to 3)(W - 1 downto 0);  -- S0 at these
    write_addr_o : out words_t(0 to 3)(W - 1 downto 0);  -- i1, i2, j1, j2
    write_data_o : out words_t(0 to 3)(W - 1 downto 0)
  );
end entity;

architecture rtl of paper_ksa2 is
  signal i         : unsigned(W - 1 downto 1);  -- i1 is even, i2 = i1 + 1
  signal i1, i2    : unsigned(W - 1 downto 0);
  signal j0, j1    : unsigned(W - 1 downto 0);
  signal j2        : unsigned(W - 1 downto 0);
  signal keys      : unsigned(W - 1 downto 0);  -- K[i1] + K[i2]
  signal miss, hit : unsigned(W - 1 downto 0);  -- j2 if i2 is another cell than j1; if it is j1
  alias a : unsigned(W - 1 downto 0) is read_data_i(0);
  alias c : unsigned(W - 1 downto 0) is read_data_i(1);
  alias b : unsigned(W - 1 downto 0) is read_data_i(2);
  alias d : unsigned(W - 1 downto 0) is read_data_i(3);
begin

  i1 <= i & '0';
  i2 <= i & '1';

  -- Both sums of j2 are made beside j1, which then only chooses.
  keys <= key_i(0) + key_i(1);
  j1   <= sum3(j0, a, key_i(0));
  miss <= sum3(j0 + keys, a, c);
  hit  <= sum3(j0 + keys, a, a);
  j2   <= hit when i2 = j1 else miss;

  read_addr_o  <= (i1, i2, j1, j2);
  write_addr_o <= (i1, i2, j1, j2);
  last_o       <= '1' when i = N / 2 - 1 else '0';

  process (all)
    variable to_i1, to_i2, to_j1, to_j2 : unsigned(W - 1 downto 0);
  begin
    double_swap(i1, j1, i2, j2, a, b, c, d, to_i1, to_j1, to_i2, to_j2);
    write_data_o <= (to_i1, to_i2, to_j1, to_j2);
  end process;

  process (clk_i)
  begin
    if rising_edge(clk_i) then
      if start_i = '1' then
        i  <= (others => '0');
        j0 <= (others => '0');
      elsif step_i = '1' then
        i  <= i + 1;
        j0 <= j2;
      end if;
    end if;
  end process;

end architecture;
