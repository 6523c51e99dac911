-- SPDX-License-Identifier: MIT OR Apache-2.0
-- A FIFO of words.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.rc4_pkg.all;

entity rc4_fifo is
  generic (
    BITS  : positive;  -- of a word
    WORDS : positive   -- that can wait: a power of two, 2 or more
  );
  port (
    clk_i   : in  std_logic;
    rst_i   : in  std_logic;  -- empties it
    data_i  : in  std_logic_vector(BITS - 1 downto 0);
    valid_i : in  std_logic;
    ready_o : out std_logic;
    data_o  : out std_logic_vector(BITS - 1 downto 0);
    valid_o : out std_logic;
    ready_i : in  std_logic
  );
end entity;

architecture rtl of rc4_fifo is
  constant A : positive := log2(WORDS);

  type words_t is array (0 to WORDS - 1) of std_logic_vector(BITS - 1 downto 0);
  signal held       : words_t;
  signal put, taken : unsigned(A downto 0);  -- counts modulo 2 * WORDS
  signal full, none : std_logic;
begin
  assert WORDS > 1 and WORDS = 2**A
    report "rc4_fifo: WORDS is " & integer'image(WORDS) & "; it must be a power of two, 2 or more" severity failure;

  none <= '1' when put = taken else '0';
  full <= '1' when put(A) /= taken(A) and put(A - 1 downto 0) = taken(A - 1 downto 0) else '0';

  process (clk_i)
  begin
    if rising_edge(clk_i) then
      if valid_i = '1' and full = '0' then
        held(to_integer(put(A - 1 downto 0))) <= data_i;
      end if;
      if rst_i = '1' then
        put   <= (others => '0');
        taken <= (others => '0');
      else
        if valid_i = '1' and full = '0' then
          put <= put + 1;
        end if;
        if ready_i = '1' and none = '0' then
          taken <= taken + 1;
        end if;
      end if;
    end if;
  end process;

  data_o  <= held(to_integer(taken(A - 1 downto 0))) when none = '0' else (others => '0');
  valid_o <= not none;
  ready_o <= not full;

end architecture;
