-- SPDX-License-Identifier: MIT OR Apache-2.0
-- Tests eight keys at a time in one block RAM: runs their key schedules, and compares the start of
-- the stream.
--
-- Two rounds of the schedule take three accesses, because the table moves by a pair of cells while i runs over it. When
-- the pair S[i], S[i+1] is read, with i even, the pair before it is written in the same clock. So a pair is one address
-- above its own after i has passed it, and the last pair goes to address 0, which is free. S[j1] and S[j2] are each
-- exchanged in one clock.
--
--   clock 0   port A: write the pair before, read S[i] and S[i+1]
--   clock 3   j1 = j + S[i] + key
--   clock 5   exchange S[i] for S[j1]
--   clock 5   j2 = j1 + key + S[i+1], or S[i] if j1 is i + 1
--   clock 7   exchange the second round's word for S[j2]
--   clock 12  port A: write the pair, read the next one
--
-- Each key has a turn of twelve clocks. The keys P, with even numbers, begin one every three clocks.
-- The keys Q, with odd numbers, begin one clock after them. So both ports are busy in every
-- clock, and a round of one key takes 3/4 of a clock:
--
--   clock mod 3   port A                   port B
--   0             P: write and read pairs  Q: exchange for S[j1]
--   1             Q: write and read pairs  P: exchange for S[j2]
--   2             Q: exchange for S[j2]    P: exchange for S[j1]
--
-- S[i] and S[i+1] are in no cell meanwhile. So if j1 or j2 is i or i + 1, the exchange happens in this entity and
-- not in the RAM.
--
-- A cell whose tag differs from this key's `epoch` is untouched and counts as its own number, so no table needs to be
-- filled. A schedule writes every address, so all tags are equal after it, and the next key uses the other tag.
--
-- A round of the stream has two turns. In the first S[i] is read at clock 0 and exchanged for S[j] at clock 5. In the second
-- turn the old S[j] is written at clock 0, and the old S[i] is read with it. Their sum is t, and S[t] is read at clock 5.
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
    alive_o   : out std_logic  -- a key is as expected, 11 clocks after its command; 2 clocks after a probe: the one asked for
  );
end entity;

architecture rtl of rc4_search_engine is
  constant W : positive := word_bits(N);
  subtype word_t is unsigned(W - 1 downto 0);
  subtype cell_t is std_logic_vector(W downto 0);  -- a tag and a word
  type words_t is array (natural range <>) of word_t;
  type commands_t is array (0 to 9) of command_t;

  -- An index is the clock of the turn in which a signal is valid.
  signal past           : commands_t;
  signal word, word_q   : word_t;             -- of the key: of P and Q; the second one of Q
  signal kept           : words_t(0 to 7);    -- j of each key
  signal j_word         : word_t;             -- j + word
  signal x1             : words_t(3 to 4);    -- S[i]
  signal x_odd          : words_t(3 to 4);    -- S[i+1]
  signal j1, j1_word    : word_t;
  signal j2             : word_t;
  signal even           : words_t(5 to 7);    -- after the first round, S[i] unless that is what was at j1
  signal x2             : words_t(5 to 8);    -- and S[i+1]
  signal inside_1       : std_logic_vector(5 to 7);  -- j1 is i or i + 1
  signal write_1        : std_logic;
  signal even_8         : word_t;             -- S[i] after the first round
  signal inside_2       : std_logic_vector(7 to 10);  -- the same of j2
  signal even_takes_x2, odd_takes_even : std_logic_vector(7 to 8);
  signal even_after     : words_t(9 to 14);   -- S[i] after both rounds
  signal odd_inside     : words_t(9 to 10);   -- S[i+1] after both rounds, if j2 is i or i + 1
  signal y2             : word_t;             -- or else: what was at j2
  signal odd_after      : words_t(11 to 12);
  signal text, care     : std_logic_vector(W - 1 downto 0);
  signal mismatch       : std_logic;
  signal alive          : std_logic_vector(0 to 7);

  -- The ports of the table.
  signal own            : unsigned(2 downto 0);
  signal other          : unsigned(1 downto 0);
  signal pair           : unsigned(W - 2 downto 0);
  signal even_in, odd_in, word_in    : cell_t;
  signal even_out, odd_out, word_out : cell_t;
  signal write_even, write_odd, write_word : std_logic;
  signal place_a        : words_t(0 to 2);    -- where port A exchanges a cell, and did one and two clocks ago
  signal place_b        : words_t(0 to 2);    -- the same of port B
  signal cell_a         : cell_t;
  signal even_now, odd_now, a_now, b_now : word_t;

  -- Returns the word of the cell with this number.
  function found(held : cell_t; number : word_t; epoch, sweep : std_logic) return word_t is
  begin
    if held(W) = epoch and sweep = '0' then
      return unsigned(held(W - 1 downto 0));
    end if;
    return number;
  end function;

  -- Returns true if a word of the table is in the pair that is read.
  function inside(j : word_t; command : command_t) return std_logic is
  begin
    if j(W - 1 downto 1) = command.pair(W - 2 downto 0) then
      return command.schedule;
    end if;
    return '0';
  end function;

  -- Returns its place otherwise: one pair above its own place if i has passed it.
  function place(j : word_t; command : command_t) return word_t is
  begin
    if command.schedule = '0' or j(W - 1 downto 1) < command.pair(W - 2 downto 0) then
      return j + 2;
    end if;
    return j;
  end function;

  function turn(command : command_t) return natural is
  begin
    return to_integer(command.group_no & command.slot(0));
  end function;
begin

  -- Port A.
  process (all)
  begin
    own        <= past(0).group_no & past(0).slot(0);
    pair       <= past(0).pair(W - 2 downto 0);
    even_in    <= past(0).epoch & std_logic_vector(even_after(12));
    odd_in     <= past(0).epoch & std_logic_vector(odd_after(12));
    write_even <= past(0).write_even;
    write_odd  <= past(0).write_odd;
    if past(0).slot(1) = '1' then
      own        <= past(7).group_no & '1';
      pair       <= place_a(0)(W - 1 downto 1);
      even_in    <= past(7).epoch & std_logic_vector(x2(7));
      odd_in     <= past(7).epoch & std_logic_vector(x2(7));
      write_even <= not inside_2(7) and not place_a(0)(0);
      write_odd  <= not inside_2(7) and place_a(0)(0);
    end if;
  end process;

  -- Port B.
  process (all)
  begin
    other      <= past(5).group_no;
    word_in    <= past(5).epoch & std_logic_vector(even(5));
    write_word <= write_1;
    if past(0).slot(0) = '1' then
      other      <= past(7).group_no;
      word_in    <= past(7).epoch & std_logic_vector(x2(7));
      write_word <= not inside_2(7);
    end if;
  end process;

  tables : entity work.rc4_search_table
    generic map (N => N)
    port map (
      clk_i => clk_i, table_i => own, pair_i => pair,
      even_i => even_in, odd_i => odd_in, write_even_i => write_even, write_odd_i => write_odd,
      even_o => even_out, odd_o => odd_out,
      other_i => other, place_i => place_b(0), word_i => word_in, write_i => write_word, word_o => word_out
    );

  cell_a   <= odd_out when place_a(2)(0) = '1' else even_out;
  even_now <= found(even_out, past(2).pair(W - 2 downto 0) & '0', past(2).epoch, past(2).sweep);
  odd_now  <= found(odd_out, past(2).pair(W - 2 downto 0) & '1', past(2).epoch, past(2).sweep);
  a_now    <= found(cell_a, place_a(2), past(9).epoch, past(9).sweep);
  b_now    <= found(word_out, place_b(2), past(7).epoch, past(7).sweep);  -- at clock 9 it is the same batch too

  process (clk_i)
    variable j      : word_t;
    variable second : word_t;
  begin
    if rising_edge(clk_i) then
      past(0)      <= command_i;
      past(1 to 9) <= past(0 to 8);

      -- Clock 1: the codes.
      word <= (others => '0');
      if past(1).schedule = '1' then
        word <= key_word(command_i.codes, 2 * NUMBER, W);
      end if;
      if past(1).slot(1) = '1' then
        word_q <= (others => '0');
        if past(1).schedule = '1' then
          word_q <= key_word(command_i.codes, 2 * NUMBER + 1, W);
        end if;
      end if;
      text <= expected(command_i.codes, W);
      care <= matters(command_i.codes, W);

      -- Clock 2: the pair. At the end of a round of the stream the sum of S[i] and S[j] is made in place of j.
      j := kept(turn(past(2)));
      if past(2).start = '1' then
        j := (others => '0');
      elsif past(2).compare = '1' then
        j := even_after(14);
      end if;
      j_word <= j + word;
      x1(3)  <= even_now;
      if past(2).odd = '1' then
        x1(3) <= odd_now;
      end if;
      x_odd(3) <= odd_now;
      if past(2).schedule = '0' then
        x_odd(3) <= (others => '0');
      end if;

      -- Clock 3.
      j1       <= j_word + x1(3);
      x1(4)    <= x1(3);
      x_odd(4) <= x_odd(3);

      -- Clock 4: the first round in the pair.
      second := word;
      if past(4).slot(0) = '1' then
        second := word_q;
      end if;
      j1_word <= j1 + second;
      even(5) <= x1(4);
      x2(5)   <= x_odd(4);
      if inside(j1, past(4)) = '1' and j1(0) = '1' then
        even(5) <= x_odd(4);
        x2(5)   <= x1(4);
      end if;
      inside_1(5) <= inside(j1, past(4));
      write_1     <= (past(4).schedule or past(4).step) and not inside(j1, past(4));
      place_b(0)  <= place(j1, past(4));
      if past(0).slot = 0 then
        place_b(0) <= place(j2, past(6));
      end if;

      -- Clock 5.
      j2 <= j1_word + x2(5);
      even(6 to 7)     <= even(5 to 6);
      x2(6 to 8)       <= x2(5 to 7);
      inside_1(6 to 7) <= inside_1(5 to 6);

      -- Clock 6: the second round in the pair. The stream has none.
      if past(6).slot(1) = '0' and (past(6).schedule = '1' or past(6).step = '1') then
        kept(turn(past(6))) <= j2;
      end if;
      inside_2(7)       <= inside(j2, past(6)) or not past(6).schedule;
      even_takes_x2(7)  <= inside(j2, past(6)) and not j2(0);
      odd_takes_even(7) <= (inside(j2, past(6)) and not j2(0)) or not past(6).schedule;
      place_a(0)        <= place(j2, past(6));
      place_a(1 to 2)   <= place_a(0 to 1);
      place_b(1 to 2)   <= place_b(0 to 1);

      -- Clock 7: the old word at j1, or the word of the stream.
      inside_2(8 to 10) <= inside_2(7 to 9);
      even_takes_x2(8)  <= even_takes_x2(7);
      odd_takes_even(8) <= odd_takes_even(7);
      even_8 <= b_now;
      if inside_1(7) = '1' then
        even_8 <= even(7);
      end if;
      mismatch <= or ((std_logic_vector(b_now) xor text) and care);

      -- Clock 8.
      even_after(9) <= even_8;
      odd_inside(9) <= x2(8);
      if even_takes_x2(8) = '1' then
        even_after(9) <= x2(8);
      end if;
      if odd_takes_even(8) = '1' then
        odd_inside(9) <= even_8;
      end if;
      if past(8).schedule = '1' and past(8).start = '1' then
        alive(turn(past(8))) <= '1';
      elsif past(8).compare = '1' and mismatch = '1' then
        alive(turn(past(8))) <= '0';
      end if;

      -- Clock 9: the old word at j2.
      odd_inside(10) <= odd_inside(9);
      y2 <= b_now;
      if past(9).slot(0) = '1' then
        y2 <= a_now;
      end if;

      -- Clock 10.
      odd_after(11) <= y2;
      if inside_2(10) = '1' then
        odd_after(11) <= odd_inside(10);
      end if;
      odd_after(12)        <= odd_after(11);
      even_after(10 to 14) <= even_after(9 to 13);

      alive_o <= or alive;
      if past(0).probe = '1' then
        alive_o <= '0';
        if past(0).number = NUMBER then
          alive_o <= alive(to_integer(past(0).pair(2 downto 0)));
        end if;
      end if;
    end if;
  end process;

end architecture;
