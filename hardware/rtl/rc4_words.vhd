-- SPDX-License-Identifier: MIT OR Apache-2.0
-- A small FIFO in flip-flops. Unlike in rc4_fifo, a word is wiped when it is read, and all words are wiped by a
-- reset.
library ieee;
use ieee.std_logic_1164.all;

entity rc4_words is
  generic (
    BITS  : positive := 32;  -- of a word
    WORDS : positive := 8    -- that can wait
  );
  port (
    clk_i   : in  std_logic;  -- rising edge
    rst_i   : in  std_logic;  -- synchronous; wipes all of them
    put_i   : in  std_logic;  -- data_i comes in; never into a full buffer that is not taken from
    data_i  : in  std_logic_vector(BITS - 1 downto 0);
    take_i  : in  std_logic;  -- data_o goes; never from an empty buffer
    data_o  : out std_logic_vector(BITS - 1 downto 0);  -- the oldest word; zero if empty
    count_o : out natural range 0 to WORDS
  );
end entity;

architecture rtl of rc4_words is
  subtype word_t is std_logic_vector(BITS - 1 downto 0);
  type words_t is array (0 to WORDS) of word_t;  -- the last one is always zero
  signal held  : words_t;
  signal count : natural range 0 to WORDS;
begin

  process (clk_i)
    variable next_held : words_t;
    variable left      : natural range 0 to WORDS;
  begin
    if rising_edge(clk_i) then
      if rst_i = '1' then
        held  <= (others => (others => '0'));
        count <= 0;
      else
        next_held := held;
        left      := count;
        if take_i = '1' and count /= 0 then
          next_held(0 to WORDS - 1) := held(1 to WORDS);
          left := count - 1;
        end if;
        if put_i = '1' and left /= WORDS then
          next_held(left) := data_i;
          left := left + 1;
        end if;
        next_held(WORDS) := (others => '0');
        held  <= next_held;
        count <= left;
      end if;
    end if;
  end process;

  data_o  <= held(0);
  count_o <= count;

end architecture;
