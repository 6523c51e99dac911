-- SPDX-License-Identifier: MIT OR Apache-2.0
-- Four keys at a time in one block RAM: their key schedules, and whether the stream begins as expected.
--
-- The keys take turns of two clocks, so a key has one turn in eight clocks, and in it two rounds of its schedule:
--
--   clock 0   read S[i] and S[i+1], one access of port A, i even
--   clock 2   j1 = j + S[i] + key
--   clock 3   exchange S[i] for S[j1], port B;  j2 = j1 + S[i+1] + key, or + S[i] if j1 is i + 1
--   clock 4   exchange what the second round has for S[j2], port B
--   clock 7   write S[i] and S[i+1], port A
--
-- Each port is busy in every clock: four rounds of four keys take four clocks, a round a clock. What would go wrong
-- with two rounds in flight is two cases: j1 = i + 1, and j2 = i, whose new value is not in the RAM yet.
--
-- A cell whose tag is not this key's `epoch` has not been touched and holds its own number, so no table is ever filled:
-- every round writes S[i], so after a schedule all tags are the same, and the next key has the other tag.
--
-- A round of the stream has a turn of its own. It exchanges at clock 4, writes one cell at clock 7, and reads its
-- S[t] at clock 3 of the key's next turn.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.rc4_pkg.all;
use work.rc4_search_pkg.all;

entity rc4_search_engine is
  generic (
    N      : positive := 256;  -- cells of a table: 8, 16, 32, 64, 128 or 256
    NUMBER : natural  := 0     -- of this engine
  );
  port (
    clk_i     : in  std_logic;
    command_i : in  command_t;
    alive_o   : out std_logic  -- eight clocks after a command: a key is as expected so far; after a probe: the one asked for
  );
end entity;

architecture rtl of rc4_search_engine is
  constant W : positive := word_bits(N);
  subtype word_t is unsigned(W - 1 downto 0);
  subtype cell_t is std_logic_vector(W downto 0);  -- a tag and a word

  type commands_t is array (1 to 7) of command_t;
  signal past : commands_t;  -- the command of so many clocks ago

  signal word                 : word_t;  -- of the key
  signal j_word               : word_t;  -- j + word
  signal j1, j2, j_a, j_b     : word_t;  -- j2 is kept until the key's next turn
  signal x_even, x_odd        : word_t;  -- S[i], S[i+1]
  signal even_word, odd_word  : word_t;  -- the same with the second word of the key added
  signal x2, x2_before        : word_t;  -- what the second round has at its i
  signal y1                   : word_t;  -- what was at j1
  signal t, t_a, t_b          : word_t;  -- where the word of the stream is, kept until it can be read
  signal back                 : std_logic;  -- j2 is i
  signal text, care           : std_logic_vector(W - 1 downto 0);
  signal mismatch             : std_logic;
  signal alive                : std_logic_vector(0 to 3);

  signal turn                 : unsigned(1 downto 0);
  signal pair                 : unsigned(W - 2 downto 0);
  signal even_in, odd_in      : cell_t;
  signal even_out, odd_out    : cell_t;
  signal write_even, write_odd : std_logic;
  signal word_in, word_out    : cell_t;
  signal write_word           : std_logic;
  signal place, place_1, place_2 : word_t;  -- where port B is, and was
  signal wb_even, wb_odd      : word_t;
  signal x_even_now, x_odd_now, y_now : word_t;
  signal take_even            : std_logic;

  -- What a cell holds, which has this number.
  function found(held : cell_t; number : word_t; epoch, sweep : std_logic) return word_t is
  begin
    if held(W) = epoch and sweep = '0' then
      return unsigned(held(W - 1 downto 0));
    end if;
    return number;
  end function;
begin

  -- Port A reads in the first clock of a turn; in the second it writes for the turn three before.
  turn    <= command_i.turn when command_i.second = '0' else command_i.turn + 1;
  pair    <= command_i.pair(W - 2 downto 0) when command_i.second = '0' else past(7).pair(W - 2 downto 0);
  even_in <= past(7).epoch & std_logic_vector(wb_even);
  odd_in  <= past(7).epoch & std_logic_vector(wb_odd);
  write_even <= command_i.second and (past(7).schedule or (past(7).stream and not past(7).odd));
  write_odd  <= command_i.second and (past(7).schedule or (past(7).stream and past(7).odd));

  -- Port B, in the clocks 3 and 4 of a turn.
  process (all)
  begin
    if past(3).second = '1' then
      place      <= j2;
      word_in    <= past(3).epoch & std_logic_vector(x2);
      write_word <= past(3).schedule or past(3).stream;
    else
      if past(3).schedule = '1' then
        place <= j1;
      else
        place <= t_b;
      end if;
      word_in    <= past(3).epoch & std_logic_vector(x_even);
      write_word <= past(3).schedule;
    end if;
  end process;

  tables : entity work.rc4_search_table
    generic map (N => N)
    port map (
      clk_i => clk_i, turn_i => turn, pair_i => pair,
      even_i => even_in, odd_i => odd_in, write_even_i => write_even, write_odd_i => write_odd,
      even_o => even_out, odd_o => odd_out,
      place_i => place, word_i => word_in, write_i => write_word, word_o => word_out
    );

  x_even_now <= found(even_out, past(2).pair(W - 2 downto 0) & '0', past(2).epoch, past(2).sweep);
  x_odd_now  <= found(odd_out, past(2).pair(W - 2 downto 0) & '1', past(2).epoch, past(2).sweep);
  y_now      <= found(word_out, place_2, past(5).epoch, past(5).sweep);

  take_even <= not past(3).odd when past(3).stream = '1'
    else '1' when j1 = (past(3).pair(W - 2 downto 0) & '1')
    else '0';

  process (clk_i)
  begin
    if rising_edge(clk_i) then
      past(1)      <= command_i;
      past(2 to 7) <= past(1 to 6);
      place_1 <= place;
      place_2 <= place_1;

      word <= (others => '0');
      if command_i.schedule = '1' then
        word <= key_word(command_i.codes, NUMBER, W);
      end if;

      -- Clock 1: the first word of the key is there, and the j of its last turn.
      if past(1).second = '0' then
        if past(1).start = '1' then
          j_word <= word;
        else
          j_word <= j_b + word;
        end if;
      end if;

      -- Clock 2: S[i], S[i+1] and the second word.
      if past(2).second = '0' then
        x_even    <= x_even_now;
        x_odd     <= x_odd_now;
        even_word <= x_even_now + word;
        odd_word  <= x_odd_now + word;
        if past(2).schedule = '1' then
          j1 <= j_word + x_even_now;
        else
          j1 <= j_word;
        end if;
      end if;

      -- Clock 3.
      if past(3).second = '0' then
        if take_even = '1' then
          x2 <= x_even;
          j2 <= j1 + even_word;
        else
          x2 <= x_odd;
          j2 <= j1 + odd_word;
        end if;
        x2_before <= x2;
        j_a <= j2;
        j_b <= j_a;
      end if;

      -- Clock 4, and again in 5, where the same command is: j2 stays.
      back <= '0';
      if j2 = (past(4).pair(W - 2 downto 0) & '0') then
        back <= '1';
      end if;
      text <= expected(past(4).codes, W);
      care <= matters(past(4).codes, W);

      -- Clock 5: what was at j1, or the word of the stream.
      if past(5).second = '0' then
        y1 <= y_now;
        mismatch <= or ((std_logic_vector(y_now) xor text) and care);
      end if;

      -- Clock 6: what was at j2.
      if past(6).schedule = '0' then
        wb_even <= y_now;
        wb_odd  <= y_now;
      elsif back = '1' then
        wb_even <= x2_before;
        wb_odd  <= y1;
      else
        wb_even <= y1;
        wb_odd  <= y_now;
      end if;
      if past(6).second = '0' then
        t   <= x2_before + y_now;
        t_a <= t;
        t_b <= t_a;
        if past(6).schedule = '1' and past(6).start = '1' then
          alive(to_integer(past(6).turn)) <= '1';
        elsif past(6).compare = '1' and mismatch = '1' then
          alive(to_integer(past(6).turn)) <= '0';
        end if;
      end if;

      -- Clock 7.
      if past(7).probe = '0' then
        alive_o <= or alive;
      else
        alive_o <= '0';
        if past(7).number = NUMBER then
          alive_o <= alive(to_integer(past(7).pair(1 downto 0)));
        end if;
      end if;
    end if;
  end process;

end architecture;
