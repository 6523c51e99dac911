-- SPDX-License-Identifier: MIT OR Apache-2.0
-- The keystream of Design 2: two rounds a clock in two stages (section 3, figures 10 and 13).
--
-- Stage 1 increments both i, updates both j, swaps twice, and adds up where Z1 and Z2 are. Stage 2
-- reads them from the table of the clock after, by Circuit 4's look back for Z1.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.paper_pkg.all;

entity paper_prga_design2 is
  generic (
    W : positive  -- bits of a word
  );
  port (
    clk_i        : in  std_logic;  -- rising edge
    start_i      : in  std_logic;  -- to the beginning; wipes
    step_i       : in  std_logic;  -- go on by a clock
    read_addr_o  : out words_t(0 to 5)(W - 1 downto 0);  -- i1, i2, j1, j2, and where Z1, Z2 are
    read_data_i  : in  words_t(0 to 5)(W - 1 downto 0);
    write_o      : out std_logic;
    write_addr_o : out words_t(0 to 3)(W - 1 downto 0);  -- i1, i2, j1, j2
    write_data_o : out words_t(0 to 3)(W - 1 downto 0);
    z_o          : out std_logic_vector(2 * W - 1 downto 0);  -- Z1 in the low half, Z2
    z_valid_o    : out std_logic
  );
end entity;

architecture rtl of paper_prga_design2 is
  subtype word_t is unsigned(W - 1 downto 0);

  -- Circuit 1 (figure 1): two counters whose lowest bits are fixed.
  signal i1_high, i2_high   : unsigned(W - 1 downto 1);
  signal i1, i2, j0, j1, j2 : word_t;
  signal miss, hit          : word_t;  -- j2 if i2 is another cell than j1; if it is j1

  -- The registers between the stages.
  signal i2_2, j2_2, z1_sum, z2_addr : word_t;
  signal valid2                      : std_logic;

  alias a : unsigned(W - 1 downto 0) is read_data_i(0);
  alias c : unsigned(W - 1 downto 0) is read_data_i(1);
  alias b : unsigned(W - 1 downto 0) is read_data_i(2);
  alias d : unsigned(W - 1 downto 0) is read_data_i(3);

  signal z1_addr : word_t;
begin

  i1 <= i1_high & '1';
  i2 <= i2_high & '0';

  -- Circuit 2 (figure 2). Both sums of j2 are made beside j1, which then only chooses.
  j1   <= j0 + a;
  miss <= sum3(j0, a, c);
  hit  <= sum3(j0, a, a);
  j2   <= hit when i2 = j1 else miss;

  -- Circuit 3 (figure 3).
  process (all)
    variable to_i1, to_i2, to_j1, to_j2 : word_t;
  begin
    double_swap(i1, j1, i2, j2, a, b, c, d, to_i1, to_j1, to_i2, to_j2);
    write_data_o <= (to_i1, to_i2, to_j1, to_j2);
  end process;
  write_addr_o <= (i1, i2, j1, j2);
  write_o      <= step_i;

  -- Circuit 4 (figure 4): Z1 is in S1, and S2 differs from it in i2 and j2.
  z1_addr <= i2_2 when z1_sum = j2_2 else
             j2_2 when z1_sum = i2_2 else
             z1_sum;

  read_addr_o <= (i1, i2, j1, j2, z1_addr, z2_addr);

  process (clk_i)
  begin
    if rising_edge(clk_i) then
      if start_i = '1' then
        i1_high   <= to_unsigned(0, W - 1);
        i2_high   <= to_unsigned(1, W - 1);
        j0        <= (others => '0');
        i2_2      <= (others => '0');
        j2_2      <= (others => '0');
        z1_sum    <= (others => '0');
        z2_addr   <= (others => '0');
        valid2    <= '0';
        z_o       <= (others => '0');
        z_valid_o <= '0';
      elsif step_i = '1' then
        i1_high   <= i1_high + 1;
        i2_high   <= i2_high + 1;
        j0        <= j2;
        i2_2      <= i2;
        j2_2      <= j2;
        z1_sum    <= a + b;
        -- Circuit 5 (figure 5).
        z2_addr   <= s1_i2(i2, j1, a, c) + s1_j2(i1, j1, j2, a, b, d);
        valid2    <= '1';
        z_o       <= std_logic_vector(read_data_i(5)) & std_logic_vector(read_data_i(4));
        z_valid_o <= valid2;
      end if;
    end if;
  end process;

end architecture;
