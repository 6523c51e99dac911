-- SPDX-License-Identifier: MIT OR Apache-2.0
-- The key schedule, one round a clock: Design 1 as implemented (section 2.4) and Pipelined-C
-- (section 3.1). Two reads and two writes of the S-box, one read of the K-box.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.paper_pkg.all;

entity paper_ksa1 is
  generic (
    N : positive;  -- cells of the table
    W : positive   -- bits of a word
  );
  port (
    clk_i        : in  std_logic;  -- rising edge
    start_i      : in  std_logic;  -- i and j to 0
    step_i       : in  std_logic;  -- do a round
    key_i        : in  words_t(0 to 0)(W - 1 downto 0);  -- K[i]
    last_o       : out std_logic;  -- the round is the last one
    read_addr_o  : out words_t(0 to 1)(W - 1 downto 0);  -- i, j
    read_data_i  : in  words_t(0 to 1)(W - 1 downto 0);  -- S[i], S[j]
    write_addr_o : out words_t(0 to 1)(W - 1 downto 0);  -- i, j
    write_data_o : out words_t(0 to 1)(W - 1 downto 0)
  );
end entity;

architecture rtl of paper_ksa1 is
  signal i, j0, j : unsigned(W - 1 downto 0);
begin

  j <= sum3(j0, read_data_i(0), key_i(0));

  read_addr_o  <= (i, j);
  write_addr_o <= (i, j);
  write_data_o <= (read_data_i(1), read_data_i(0));
  last_o       <= '1' when i = N - 1 else '0';

  process (clk_i)
  begin
    if rising_edge(clk_i) then
      if start_i = '1' then
        i  <= (others => '0');
        j0 <= (others => '0');
      elsif step_i = '1' then
        i  <= i + 1;
        j0 <= j;
      end if;
    end if;
  end process;

end architecture;
