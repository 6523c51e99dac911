-- SPDX-License-Identifier: MIT OR Apache-2.0
-- The keystream of Design 1: two rounds in two clocks by loop unrolling (section 2, figures 1 to 7).
--
-- In the clock `phase` = '0' Circuit 2 makes j1 and j2 for the latches L1. In the next clock,
-- Circuit 3 swaps, and the latches L2 take the inputs of Circuits 4 and 5. These read Z1 and Z2 in
-- the clock after, which is phase '0' of the next two rounds.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.paper_pkg.all;

entity paper_prga_design1 is
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

architecture rtl of paper_prga_design1 is
  subtype word_t is unsigned(W - 1 downto 0);

  signal phase  : std_logic;
  signal valid  : std_logic;  -- L2 is of two rounds

  -- Circuit 1 (figure 1): two counters whose lowest bits are fixed.
  signal i1_high, i2_high : unsigned(W - 1 downto 1);
  signal i1, i2           : word_t;
  -- L1; the indexes i1 and i2 stand still until L2 has them.
  signal j0, j1, j2 : word_t;
  -- L2.
  signal i1_l2, i2_l2, j1_l2, j2_l2 : word_t;
  signal a_l2, b_l2, c_l2, d_l2     : word_t;

  alias a : unsigned(W - 1 downto 0) is read_data_i(0);
  alias c : unsigned(W - 1 downto 0) is read_data_i(1);
  alias b : unsigned(W - 1 downto 0) is read_data_i(2);
  alias d : unsigned(W - 1 downto 0) is read_data_i(3);

  signal z1_sum, z1_addr, z2_addr : word_t;
begin

  i1 <= i1_high & '1';
  i2 <= i2_high & '0';

  -- Circuit 3 (figure 3).
  process (all)
    variable to_i1, to_i2, to_j1, to_j2 : word_t;
  begin
    double_swap(i1, j1, i2, j2, a, b, c, d, to_i1, to_j1, to_i2, to_j2);
    write_data_o <= (to_i1, to_i2, to_j1, to_j2);
  end process;
  write_addr_o <= (i1, i2, j1, j2);
  write_o      <= step_i and phase;

  -- Circuit 4 (figure 4): Z1 is in S1, and S2 differs from it in i2 and j2.
  z1_sum  <= a_l2 + b_l2;
  z1_addr <= i2_l2 when z1_sum = j2_l2 else
             j2_l2 when z1_sum = i2_l2 else
             z1_sum;
  -- Circuit 5 (figure 5).
  z2_addr <= s1_i2(i2_l2, j1_l2, a_l2, c_l2) + s1_j2(i1_l2, j1_l2, j2_l2, a_l2, b_l2, d_l2);

  read_addr_o <= (i1, i2, j1, j2, z1_addr, z2_addr);

  process (clk_i)
  begin
    if rising_edge(clk_i) then
      if start_i = '1' then
        phase     <= '0';
        valid     <= '0';
        i1_high   <= to_unsigned(0, W - 1);
        i2_high   <= to_unsigned(1, W - 1);
        j0        <= (others => '0');
        j1        <= (others => '0');
        j2        <= (others => '0');
        i1_l2     <= (others => '0');
        i2_l2     <= (others => '0');
        j1_l2     <= (others => '0');
        j2_l2     <= (others => '0');
        a_l2      <= (others => '0');
        b_l2      <= (others => '0');
        c_l2      <= (others => '0');
        d_l2      <= (others => '0');
        z_o       <= (others => '0');
        z_valid_o <= '0';
      elsif step_i = '1' then
        phase <= not phase;
        if phase = '0' then
          -- Circuit 2 (figure 2).
          j1        <= j0 + a;
          j2        <= sum3(j0, a, s1_i2(i2, j0 + a, a, c));
          z_o       <= std_logic_vector(read_data_i(5)) & std_logic_vector(read_data_i(4));
          z_valid_o <= valid;
        else
          i1_high   <= i1_high + 1;
          i2_high   <= i2_high + 1;
          j0        <= j2;
          i1_l2     <= i1;
          i2_l2     <= i2;
          j1_l2     <= j1;
          j2_l2     <= j2;
          a_l2      <= a;
          b_l2      <= b;
          c_l2      <= c;
          d_l2      <= d;
          valid     <= '1';
          z_valid_o <= '0';
        end if;
      end if;
    end if;
  end process;

end architecture;
