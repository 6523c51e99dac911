-- SPDX-License-Identifier: MIT OR Apache-2.0
-- RC4, K bytes in nearly every clock: a rotor after a stage that speculates on the next K values S[i].
--
-- If no j equals a coming i, the next K values of j are j + S[i], j + S[i] + S[i+1] ... These sums
-- are formed one clock ahead, so one addition remains for any K. A j that equals an i of the next
-- two groups, or of the same group, changes a value already summed. This is a hit. Tests of "A + B =
-- constant", which need no carry chain, find the hit during the addition:
--
--   group after next   the sum is formed in this clock: choose the right value, no clock lost
--   next group         form the sum again: one clock
--   same group         form the sum again, then add again: two clocks for each hit
--
-- With CORRECT, the sums are kept, and the change of one value is added with them. The addition has three
-- carry-save adders in its path and not one:
--
--   next group         one hit: no clock; several: form the sum again, one clock
--   same group         add the change to j: one clock for each hit
--
-- So the rate depends on the data and on the key: a small timing side channel.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.rc4_pkg.all;

entity rc4_spec is
  generic (
    N         : positive := 256;  -- cells of the table: 8, 16, 32, 64, 128 or 256
    K         : positive := 2;    -- bytes a clock without a hit: a power of two, up to N / 8
    KEY_BYTES : positive := 16;   -- words of the key, 1 to N
    VARIABLE_KEY : boolean := false;  -- key_last_i ends a key of fewer words than KEY_BYTES
    STILL     : boolean := false; -- the table is rc4_cells and not rc4_rotor: the core is rc4_still
    CORRECT   : boolean := false  -- fewer clocks are lost to hits, and a clock is longer: for K from 8, not with STILL
  );
  port (
    clk_i       : in  std_logic;  -- rising edge
    rst_i       : in  std_logic;  -- synchronous; wipes key, table and output, whatever ce_i says
    ce_i        : in  std_logic;  -- clock enable; low: nothing changes, ready and valid are low
    clear_i     : in  std_logic;  -- as rst_i, for a command to wipe
    key_i       : in  std_logic_vector(word_bits(N) - 1 downto 0);  -- the next word of the key
    key_valid_i : in  std_logic;  -- key_i holds a word
    key_last_i  : in  std_logic := '0';  -- it is the last one; only with VARIABLE_KEY
    key_ready_o : out std_logic;  -- a word is taken when both are high; it ends the stream
    busy_o      : out std_logic;  -- the key schedule runs
    z_o         : out std_logic_vector(K * word_bits(N) - 1 downto 0);  -- K words of keystream, the
                                                              -- first one lowest
    z_valid_o   : out std_logic;  -- z_o holds K words
    z_ready_i   : in  std_logic   -- they are taken when both are high
  );
end entity;

architecture rtl of rc4_spec is
  constant W    : positive := legal_word_bits("rc4_spec", N, K, KEY_BYTES, N / 8);

  constant TREES : boolean := has_trees(K);

  subtype round_t is natural range 0 to K - 1;
  subtype word_t is unsigned(W - 1 downto 0);
  subtype port_t is std_logic_vector(K * W - 1 downto 0);
  type words_t is array (round_t) of word_t;
  type choice_t is array (round_t) of std_logic_vector(round_t);  -- (to round)(from round)
  type operands_t is array (natural range <>) of word_t;
  type sum_t is array (0 to 1) of word_t;  -- two words whose sum is meant
  -- A sum of the next group is kept as this number of words. A third one saves the tree of a long group a level. The
  -- addition has a place for it, beside words that it adds anyway.
  constant PARTS : positive := 2 + boolean'pos(TREES);
  subtype parts_t is operands_t(0 to PARTS - 1);
  type sums_t is array (round_t) of parts_t;

  constant NO_CHOICE : choice_t := (others => (others => '0'));
  constant NO_WORDS  : words_t  := (others => (others => '0'));

  -- e of j = 0 in front of the first group, as the base of its additions.
  constant BASE : word_t := to_unsigned(3 * K mod N, W);

  function split(v : std_logic_vector) return words_t is
    variable words : words_t;
  begin
    for r in round_t loop
      words(r) := unsigned(v((r + 1) * W - 1 downto r * W));
    end loop;
    return words;
  end function;

  function join(words : words_t) return std_logic_vector is
    variable v : port_t;
  begin
    for r in round_t loop
      v((r + 1) * W - 1 downto r * W) := std_logic_vector(words(r));
    end loop;
    return v;
  end function;

  function only(s : std_logic; v : word_t) return word_t is
  begin
    return v and (word_t'range => s);
  end function;

  -- The words of v, or the x of a round if its choice is set.
  function patch(v, x : words_t; choice : choice_t) return words_t is
    variable patched : words_t;
  begin
    for r in round_t loop
      patched(r) := only(nor choice(r), v(r));
      for m in round_t loop
        patched(r) := patched(r) or only(choice(r)(m), x(m));
      end loop;
    end loop;
    return patched;
  end function;

  function to_std_logic(b : boolean) return std_logic is
  begin
    if b then
      return '1';
    end if;
    return '0';
  end function;

  -- Reduces three words to two, without a carry chain.
  function carry_save(a, b, c : word_t) return sum_t is
  begin
    return (a xor b xor c, ((a and b) or (b and c) or (a and c)) sll 1);
  end function;

  -- Returns the number of levels of a carry-save tree that reduces `count` words to PARTS. Each level
  -- makes two of three.
  function levels(count : positive) return natural is
    variable left : natural := count;
    variable n    : natural := 0;
  begin
    while left > PARTS loop
      left := left - left / 3;
      n    := n + 1;
    end loop;
    return n;
  end function;

  -- Reduces many words to PARTS.
  function carry_save(words : operands_t) return parts_t is
    variable v    : operands_t(0 to words'length - 1) := words;
    variable pair : sum_t;
    variable left : natural := words'length;
    variable kept : natural;
  begin
    for level in 1 to levels(words'length) loop
      kept := 0;
      for triple in 0 to words'length / 3 - 1 loop
        if 3 * triple + 2 < left then
          pair            := carry_save(v(3 * triple), v(3 * triple + 1), v(3 * triple + 2));
          v(2 * triple)     := pair(0);
          v(2 * triple + 1) := pair(1);
          kept            := 2 * triple + 2;
        end if;
      end loop;
      for rest in 0 to left mod 3 - 1 loop
        v(kept + rest) := v(left - left mod 3 + rest);
      end loop;
      left := kept + left mod 3;
    end loop;
    -- synthesis translate_off
    assert left = PARTS report "rc4_spec: the carry-save tree leaves " & integer'image(left) & " words"
      severity failure;
    -- synthesis translate_on
    if TREES then
      return v(0 to PARTS - 1);
    end if;
    return (v(0), v(1));
  end function;

  -- If several rounds hit one word, the latest is used.
  function latest(hits : choice_t) return choice_t is
    variable v     : choice_t := hits;
    variable found : std_logic;
  begin
    for target in round_t loop
      found := '0';
      for r in K - 1 downto 0 loop
        if TREES then
          found := any_in(hits(target), r + 1, K - 1);
        end if;
        v(target)(r) := hits(target)(r) and not found;
        found        := found or hits(target)(r);
      end loop;
    end loop;
    return v;
  end function;

  -- Which rounds come after the first one that is hit, or are it. Each round of `met` hits the round that the low
  -- bits of its e tell. So this needs no decoder of these bits.
  function from_first_hit(met : std_logic_vector(round_t); e : words_t) return std_logic_vector is
    variable v : std_logic_vector(round_t) := (others => '0');
  begin
    for target in round_t loop
      for r in round_t loop
        v(target) := v(target) or (met(r) and to_std_logic(e(r) mod K <= target));
      end loop;
    end loop;
    return v;
  end function;

  -- The hits on the first round that is hit. If several rounds hit this round, the latest is used. A tree takes
  -- the rounds after that one from `after_hit`.
  function first_hit(hits : choice_t; after_hit : std_logic_vector(round_t)) return choice_t is
    variable v     : choice_t := latest(hits);
    variable found : std_logic := '0';
  begin
    for target in round_t loop
      if found = '1' then
        v(target) := (others => '0');
      end if;
      found := found or (or v(target));
      if TREES then
        found := after_hit(target);
      end if;
    end loop;
    return v;
  end function;

  -- Returns the prefix sums of the words.
  function prefix_sums(words : words_t) return words_t is
    variable v : words_t := words;
  begin
    for level in 0 to log2(K) - 1 loop
      for r in round_t loop
        if (r / 2 ** level) mod 2 = 1 then
          v(r) := v(r) + v(r / 2 ** level * 2 ** level - 1);
        end if;
      end loop;
    end loop;
    return v;
  end function;

  -- True if the sum is one of the K words from c on; K divides c. Each bit derives the carry that it needs from
  -- its neighbour. Only the lowest log2 K bits are free, and only these need a carry chain.
  function meets(sum : sum_t; c : natural) return std_logic is
    constant CV    : word_t := to_unsigned(c mod N, W);
    variable met   : std_logic := '1';
    variable carry : std_logic := '0';
  begin
    for b in 0 to W - 1 loop
      if b < log2(K) then
        carry := (sum(0)(b) and sum(1)(b)) or (carry and (sum(0)(b) or sum(1)(b)));
      else
        met := met and not (sum(0)(b) xor sum(1)(b) xor CV(b) xor carry);
        if CV(b) = '1' then
          carry := sum(0)(b) and sum(1)(b);
        else
          carry := sum(0)(b) or sum(1)(b);
        end if;
      end if;
    end loop;
    return met;
  end function;

  -- The flags of a group. valid: the group exists. last: it is the last of the key schedule. first:
  -- it is the first of the stream. stream: it gives keystream.
  type group_t is record
    valid, last, first, stream : std_logic;
  end record;
  constant NO_GROUP : group_t := ('0', '0', '0', '0');

  -- The group to which x_ahead belongs in the next clock: its flags and its words of the key.
  signal kind3 : group_t;
  signal key3  : words_t;

  -- The group after next, the next one, and the one in stage 0 of the rotor. Each has its flags,
  -- its x, and its words of the key as prefix sums, minus K for the rotation.
  signal kind2, kind1, kind0 : group_t;
  signal x2, x1, x0          : words_t;
  signal key2, key1, key0    : words_t;

  signal sums        : sums_t;  -- prefix sums of x and key of the next group
  signal e0          : words_t;
  signal base_e      : word_t;  -- e of the last j, to which the sums are added
  signal base_before : word_t;  -- the same for the group in stage 0

  -- The hits of the group in stage 0.
  signal hit3, hit2, hit1, hit0 : choice_t;
  signal any0                   : std_logic;
  signal again                  : std_logic;  -- the sum was formed anew, add it again
  signal right                  : std_logic_vector(round_t);  -- x0 of this round is known to be right

  signal go : std_logic;  -- every group goes on in this clock

  signal turns : natural range 0 to N / K - 1;  -- of the key schedule
  signal done  : std_logic;                     -- this is its last

  signal wipe, rst, held, busy, step, stop, rotor_rst, move, add : std_logic;
  signal x_ahead, key_words, x_group, e_group, z_group      : port_t;
  signal group_valid, z_valid                               : std_logic;
begin

  assert not (STILL and CORRECT)
    report "rc4_spec: STILL and CORRECT are true; at most one of them may be"
    severity failure;

  wipe <= rst_i or clear_i;
  rst  <= wipe or held;
  move <= ce_i or rst;
  step <= move and go;
  add  <= move and (go or again);

  key_box : entity work.rc4_key
    generic map (N => N, K => K, KEY_BYTES => KEY_BYTES, VARIABLE_KEY => VARIABLE_KEY)
    port map (
      clk_i => clk_i, rst_i => wipe, ce_i => ce_i,
      key_i => key_i, key_valid_i => key_valid_i, key_last_i => key_last_i, key_ready_o => key_ready_o,
      turn_i => go and not held, done_i => done, busy_o => busy, words_o => key_words
    );

  control : process (clk_i)
  begin
    if rising_edge(clk_i) then
      if wipe = '1' or (ce_i = '1' and busy = '0' and key_valid_i = '1') then
        held <= '1';
      elsif ce_i = '1' and busy = '1' then
        held <= '0';
      end if;

      if step = '1' then
        done <= to_std_logic(turns = N / K - 2);
        if busy = '1' and done = '0' then
          turns <= turns + 1;
        else
          turns <= 0;
        end if;
        key3    <= split(key_words);
        key3(0) <= unsigned(key_words(W - 1 downto 0)) - K;
        kind3   <= (
          valid  => '1',
          last   => busy and done,
          first  => not busy and not kind3.stream,
          stream => not busy
        );
      end if;
      if rst = '1' then
        turns <= 0;
        done  <= '0';
        kind3 <= NO_GROUP;
      end if;
    end if;
  end process;

  -- After a hit, the sums are formed again.
  if_again : if not CORRECT generate
  begin

    -- The next group's sums, one clock ahead.
    sum_ahead : process (clk_i)
      variable v, ahead, ks : words_t;
      variable first       : std_logic;
      variable operands    : operands_t(0 to K);
    begin
      if rising_edge(clk_i) then
        if move = '1' then
          if any0 = '1' then
            v     := patch(x0, x0, hit0);
            ks    := key0;
            first := kind0.first;
            x0    <= v;
          elsif go = '1' then
            v     := patch(x2, x0, hit2);
            ks    := key2;
            first := kind2.first;
            x2    <= patch(split(x_ahead), x0, hit3);
            x1    <= v;
            x0    <= x1;
            -- In the stream these words no longer change. rc4_still gates their clocks off.
            if not STILL or (kind3.stream and kind2.stream and kind1.stream and kind0.stream) = '0' then
              key2 <= prefix_sums(key3);
              key1 <= key2;
              key0 <= key1;
            end if;
            kind2 <= kind3;
            kind1 <= kind2;
            kind0 <= kind1;
          else
            -- A hit, or no room at the output. hit1 has no meaning before the second addition.
            v := x1;
            if again = '0' then
              v := patch(x1, x0, hit1);
            end if;
            ks    := key1;
            first := kind1.first;
            x1    <= v;
          end if;
          ahead    := v;
          -- The round for i = 0 before the stream swaps a cell with itself, so it adds nothing.
          ahead(0) := only(not first, v(0));
          for r in round_t loop
            if TREES then
              operands := (others => (others => '0'));
            end if;
            operands(0) := ks(r);
            for m in 0 to r loop
              operands(m + 1) := ahead(m);
            end loop;
            sums(r) <= carry_save(operands(0 to maximum(r + 1, PARTS - 1)));
          end loop;
        end if;
        if rst = '1' then
          kind2 <= NO_GROUP;
          kind1 <= NO_GROUP;
          kind0 <= NO_GROUP;
        end if;
      end if;
    end process;

    next_j : process (clk_i)
      variable sum            : sum_t;
      variable e              : words_t;
      variable h2, h1, h0       : choice_t;
      variable valid, found     : std_logic;
      variable met2, met1, met0 : std_logic;  -- this j is among the i of a group
      variable low              : std_logic;  -- and of this one, if of any
      variable any1, any_same   : std_logic;
      variable open_to          : std_logic;  -- this j may hit a later round of its group
      variable same             : std_logic_vector(round_t);  -- and does
    begin
      if rising_edge(clk_i) then
        if add = '1' then
          valid    := kind1.valid or again;
          h2       := NO_CHOICE;
          h1       := NO_CHOICE;
          h0       := NO_CHOICE;
          any1     := '0';
          any_same := '0';
          for r in round_t loop
            sum  := carry_save(base_e, sums(r)(0), sums(r)(1));
            if TREES then
              sum := carry_save(sum(0), sum(1), sums(r)(PARTS - 1));
            end if;
            e(r) := sum(0) + sum(1);
            met2 := meets(sum, 4 * K) and valid;
            met1 := meets(sum, 3 * K) and valid;
            met0 := meets(sum, 2 * K) and valid;
            any1 := any1 or met1;
            open_to := '0';
            for target in round_t loop
              low            := to_std_logic(e(r) mod K = target);
              h2(target)(r)  := met2 and low;
              h1(target)(r)  := met1 and low;
              if target > r then
                h0(target)(r) := met0 and low and not (again and right(target));
                open_to       := open_to or (low and not (again and right(target)));
                any_same      := any_same or h0(target)(r);
              end if;
            end loop;
            same(r) := met0 and open_to;
          end loop;
          e0     <= e;
          base_e <= e(K - 1);
          if (again = '0' and (kind1.last = '1' or kind1.valid = '0'))
            or (again = '1' and kind0.last = '1') then
            base_e <= BASE;
          end if;
          if again = '0' then
            base_before <= base_e;
            right       <= (others => '0');
          end if;
          hit2 <= latest(h2);
          hit1 <= latest(h1);
          -- The rounds after the first one that was hit in the same group are not right yet.
          h0 := first_hit(h0, from_first_hit(same, e));
          hit0  <= h0;
          go    <= not (any1 or any_same or stop);
          any0  <= any_same;
          again <= '0';
        elsif ce_i = '1' then
          if any0 = '1' then
            base_e <= base_before;
            again  <= '1';
            for r in round_t loop
              if (or hit0(r)) = '1' then
                right(0 to r) <= (others => '1');
              end if;
            end loop;
          end if;
          go   <= not (any0 or stop);
          any0 <= '0';
        end if;
        if rst = '1' then
          go    <= '1';
          any0  <= '0';
          again <= '0';
        end if;
      end if;
    end process;

  end generate;

  -- After a hit, the sums stay, and the change of x is added with them. A hit in the same group takes one clock. A
  -- single hit in the next group takes none. If there are more, the sums are formed again: one clock.
  if_correct : if CORRECT generate
    signal x0_now, x1_now, x2_now : words_t;  -- x0, x1 and x2 with the hits found so far
    signal after_hit : std_logic_vector(round_t);  -- the round that is hit, and those after it
    signal right_now : std_logic_vector(round_t);  -- x0_now of this round is right
    signal x_new, x_old : word_t;  -- an x of the next group after a hit by the group in stage 0, and before it
    signal late         : std_logic_vector(round_t);  -- the sums of these rounds have x_old
  begin

    again  <= any0;  -- the second addition is in the clock after the hit
    x0_now <= patch(x0, x0, hit0);
    x1_now <= patch(x1, x0, hit1);
    x2_now <= patch(x2, x0, hit2);

    -- The next group's sums, one clock ahead.
    sum_ahead : process (clk_i)
      variable ahead, ks : words_t;
      variable first     : std_logic;
      variable operands  : operands_t(0 to K);
    begin
      if rising_edge(clk_i) then
        if move = '1' then
          if any0 = '1' then
            x0 <= x0_now;
          elsif go = '1' then
            x2 <= patch(split(x_ahead), x0, hit3);
            x1 <= x2_now;
            x0 <= x1_now;
            key2  <= prefix_sums(key3);
            key1  <= key2;
            kind2 <= kind3;
            kind1 <= kind2;
            kind0 <= kind1;
          else
            x1 <= x1_now;
          end if;
          if go = '1' then
            ahead := x2_now;
            ks    := key2;
            first := kind2.first;
          else
            -- Several hits, or no room at the output.
            ahead := x1_now;
            ks    := key1;
            first := kind1.first;
          end if;
          -- The round for i = 0 before the stream swaps a cell with itself, so it adds nothing.
          ahead(0) := only(not first, ahead(0));
          for r in round_t loop
            if TREES then
              operands := (others => (others => '0'));
            end if;
            operands(0) := ks(r);
            for m in 0 to r loop
              operands(m + 1) := ahead(m);
            end loop;
            if any0 = '0' then
              sums(r) <= carry_save(operands(0 to maximum(r + 1, PARTS - 1)));
            end if;
          end loop;
        end if;
        if rst = '1' then
          kind2 <= NO_GROUP;
          kind1 <= NO_GROUP;
          kind0 <= NO_GROUP;
        end if;
      end if;
    end process;

    -- hit0 has the first hit of a group. The rounds up to it are right when it is mended.
    mended : process (all)
      variable found : std_logic;
    begin
      found := '0';
      for r in K - 1 downto 0 loop
        found := found or (or hit0(r));
        if TREES then
          found := any0;
          if r > 0 then
            found := any0 and not after_hit(r - 1);
          end if;
        end if;
        right_now(r) <= found;
      end loop;
    end process;

    next_j : process (clk_i)
      variable ahead, change, sum : sum_t;
      variable word_0, word_1, word_2 : word_t;
      variable e, from_x, to_x    : words_t;
      variable h2, h1, h0         : choice_t;
      variable valid, last, first : std_logic;
      variable found              : std_logic;
      variable met2, met0         : std_logic;  -- this j is among the i of a group
      variable met1               : std_logic_vector(round_t);  -- the same of each round
      variable several            : std_logic_vector(round_t);
      variable open_to            : std_logic;  -- this j may hit a later round of its group
      variable same, changed      : std_logic_vector(round_t);  -- and does; and changes a sum of the next group
      variable from_hit           : std_logic_vector(round_t);
      variable hit_here           : std_logic;
      variable low                : std_logic;  -- and of this one, if of any
      variable any_same           : std_logic;
      variable x_from, x_to, x_at : word_t;     -- of a hit: x of its round, and x that this replaces
    begin
      if rising_edge(clk_i) then
        if add = '1' then
          -- The hit in the same group: x of its round, and x that this replaces. Both are zero without a hit.
          x_from := (others => '0');
          x_to   := (others => '0');
          for r in round_t loop
            found := '0';
            for target in round_t loop
              found := found or hit0(target)(r);
            end loop;
            x_from := x_from or only(found, x0(r));
            hit_here := or hit0(r);
            if TREES then
              hit_here := after_hit(r);
              if r > 0 then
                hit_here := after_hit(r) and not after_hit(r - 1);
              end if;
            end if;
            x_to := x_to or only(hit_here, x0(r));
          end loop;

          valid    := kind1.valid or any0;
          h2       := NO_CHOICE;
          h1       := NO_CHOICE;
          h0       := NO_CHOICE;
          any_same := '0';
          found    := '0';
          for r in round_t loop
            found := found or (or hit0(r));
            if TREES then
              found := after_hit(r);
            end if;
            ahead := carry_save(base_e, sums(r)(0), sums(r)(1));
            if TREES then
              change := carry_save(sums(r)(PARTS - 1), only(late(r), x_new), only(late(r), not x_old));
              ahead  := carry_save(ahead(0), ahead(1), change(0));
            else
              ahead := carry_save(ahead(0), ahead(1), only(late(r), x_new));
            end if;
            word_0 := only(not any0, ahead(0)) or only(any0, e0(r));
            word_1 := only(not any0, ahead(1)) or only(found, x_from);
            if TREES then
              word_2 := only(not any0, change(1));
            else
              word_2 := only(not any0 and late(r), not x_old);
            end if;
            word_2 := word_2 or only(found, not x_to);
            sum    := carry_save(word_0, word_1, word_2);
            -- To subtract a word is to add its complement and one.
            sum(1)(0) := found or (late(r) and not any0);
            e(r)      := sum(0) + sum(1);
            met2      := meets(sum, 4 * K) and valid;
            met1(r)   := meets(sum, 3 * K) and valid;
            met0      := meets(sum, 2 * K) and valid;
            open_to   := '0';
            for target in round_t loop
              low            := to_std_logic(e(r) mod K = target);
              h2(target)(r)  := met2 and low;
              h1(target)(r)  := met1(r) and low;
              if target > r then
                h0(target)(r) := met0 and low and not right_now(target);
                open_to       := open_to or (low and not right_now(target));
                any_same      := any_same or h0(target)(r);
              end if;
            end loop;
            same(r) := met0 and open_to;
          end loop;
          e0   <= e;
          hit2 <= latest(h2);
          hit1 <= latest(h1);

          -- The same of a hit in the next group, for the next clock.
          last   := kind1.last or not kind1.valid;
          first  := kind2.first;
          from_x := x1_now;
          to_x   := x2_now;
          if any0 = '1' then
            last   := kind0.last;
            first  := kind1.first;
            from_x := x0_now;
            to_x   := x1;
          end if;
          base_e <= e(K - 1);
          if last = '1' then
            base_e <= BASE;
          end if;
          x_from := (others => '0');
          x_to   := (others => '0');
          found  := '0';
          for r in round_t loop
            x_from := x_from or only(met1(r), from_x(r));
            if TREES then
              -- The words are chosen while the hits are found.
              x_at := (others => '0');
              for target in round_t loop
                x_at := x_at or only(to_std_logic(e(r) mod K = target), to_x(target));
              end loop;
              x_to       := x_to or only(met1(r), x_at);
              changed(r) := met1(r) and not (first and to_std_logic(e(r) mod K = 0));
            else
              x_to := x_to or only(or h1(r), to_x(r));
            end if;
            if r > 0 or first = '0' then
              found := found or (or h1(r));
            end if;
            late(r) <= found;
          end loop;
          if TREES then
            late <= from_first_hit(changed, e);
          end if;
          x_new <= x_from;
          x_old <= x_to;

          -- Are there several?
          several := (others => '0');
          for level in 0 to log2(K) - 1 loop
            for r in 0 to K / 2 ** (level + 1) - 1 loop
              several(r) := several(2 * r) or several(2 * r + 1) or (met1(2 * r) and met1(2 * r + 1));
              met1(r)    := met1(2 * r) or met1(2 * r + 1);
            end loop;
          end loop;

          -- The rounds after the first one that was hit in the same group are not right yet.
          from_hit  := from_first_hit(same, e);
          h0        := first_hit(h0, from_hit);
          hit0      <= h0;
          after_hit <= from_hit;
          if TREES then
            any_same := from_hit(K - 1);
          end if;
          go   <= not (several(0) or any_same or stop);
          any0 <= any_same;
        elsif ce_i = '1' then
          late <= (others => '0');  -- the sums have it now
          go   <= not stop;
        end if;
        if rst = '1' then
          go   <= '1';
          any0 <= '0';
        end if;
      end if;
    end process;

  end generate;

  -- The hits of the group in stage 0 on the group of x_ahead.
  far_hits : process (all)
    variable h3 : choice_t;
  begin
    for target in round_t loop
      for r in round_t loop
        h3(target)(r) := kind0.valid and to_std_logic(e0(r) = (5 * K + target) mod N);
      end loop;
    end loop;
    hit3 <= latest(h3);
  end process;

  x_group   <= join(x0);
  e_group   <= join(e0);
  rotor_rst <= not kind3.valid;

  if_turning : if not STILL generate
    rotor : entity work.rc4_rotor
      generic map (N => N, K => K, AHEAD => 3)
      port map (
        clk_i => clk_i, step_i => step, rst_i => rotor_rst,
        live_i => kind0.valid, z_i => kind0.stream,
        e_i => e_group, x_i => x_group, x_o => x_ahead,
        z_o => z_group, z_valid_o => group_valid
      );
  end generate;

  if_standing : if STILL generate
    cells : entity work.rc4_cells
      generic map (N => N, K => K)
      port map (
        clk_i => clk_i, step_i => step, rst_i => rotor_rst,
        live_i => kind0.valid, z_i => kind0.stream,
        e_i => e_group, x_i => x_group, x_o => x_ahead,
        z_o => z_group, z_valid_o => group_valid
      );
  end generate;

  keystream : entity work.rc4_out
    generic map (N => N, K => K)
    port map (
      clk_i => clk_i, rst_i => rst or rotor_rst, ce_i => ce_i, step_i => step,
      group_i => z_group, valid_i => group_valid, stop_o => stop,
      z_o => z_o, z_valid_o => z_valid, z_ready_i => z_ready_i
    );

  busy_o    <= busy;
  z_valid_o <= z_valid and ce_i and not held;

end architecture;
