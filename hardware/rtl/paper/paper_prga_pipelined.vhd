-- SPDX-License-Identifier: MIT OR Apache-2.0
-- The keystream of Pipelined-A, -B and -C: one byte a clock in two stages (section 2.5, figure 9).
--
-- Stage 1 increments i, updates j, swaps, and adds S[i] + S[j], which the swap does not change.
-- Stage 2 reads Z at that sum from the table of the clock after.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.paper_pkg.all;

entity paper_prga_pipelined is
  generic (
    W : positive  -- bits of a word
  );
  port (
    clk_i        : in  std_logic;  -- rising edge
    start_i      : in  std_logic;  -- to the beginning; wipes
    step_i       : in  std_logic;  -- go on by a clock
    read_addr_o  : out words_t(0 to 2)(W - 1 downto 0);  -- i, j, S[i] + S[j] of the round before
    read_data_i  : in  words_t(0 to 2)(W - 1 downto 0);
    write_o      : out std_logic;
    write_addr_o : out words_t(0 to 1)(W - 1 downto 0);  -- i, j
    write_data_o : out words_t(0 to 1)(W - 1 downto 0);
    z_o          : out std_logic_vector(W - 1 downto 0);  -- keystream
    z_valid_o    : out std_logic
  );
end entity;

architecture rtl of paper_prga_pipelined is
  signal i, j0, j : unsigned(W - 1 downto 0);
  signal z_addr   : unsigned(W - 1 downto 0);
  signal valid2   : std_logic;  -- z_addr is of a round
begin

  j <= j0 + read_data_i(0);

  read_addr_o  <= (i, j, z_addr);
  write_o      <= step_i;
  write_addr_o <= (i, j);
  write_data_o <= (read_data_i(1), read_data_i(0));

  process (clk_i)
  begin
    if rising_edge(clk_i) then
      if start_i = '1' then
        i         <= to_unsigned(1, W);
        j0        <= (others => '0');
        z_addr    <= (others => '0');
        valid2    <= '0';
        z_o       <= (others => '0');
        z_valid_o <= '0';
      elsif step_i = '1' then
        i         <= i + 1;
        j0        <= j;
        z_addr    <= read_data_i(0) + read_data_i(1);
        valid2    <= '1';
        z_o       <= std_logic_vector(read_data_i(2));
        z_valid_o <= valid2;
      end if;
    end if;
  end process;

end architecture;
