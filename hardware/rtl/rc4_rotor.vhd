-- SPDX-License-Identifier: MIT OR Apache-2.0
-- The table, which rotates by K cells a clock, and the pipeline that swaps cells and reads keystream.
--
-- Group g is K rounds. While group g is next to be written, cell p of the table holds S[i0 + p]; i0
-- is the i of the group's first round. So S[i] is in fixed cells. It is read without a multiplexer
-- and written without a decoder, and "j equals a recent i" is a comparison with a constant.
--
-- The pipeline carries j as e = j - i0 + 2K. This is the cell of S[j] at the time of its read, two groups before
-- the group's write. Each stage subtracts K, so that e of every stage is relative to the group in stage 0.
-- A group passes these stages, one clock each:
--
--   0  e and x = S[i] come from the ports; compare e with e of the two groups ahead
--   1  read S[j], column by column; choose among the known values that bypass the table
--   2  read S[j], row by row, or take the bypass: y
--   3  t = x + y; swap: write y to S[i] and x to S[j]; rotate the table
--   4  read S[t], column by column; compare t with the group's own i and j
--   5  read S[t], row by row, or the value before a later round of the group wrote the cell
--
-- Stages 0 to 3 of a group see a table in which the two groups ahead are not yet written. Stage 4
-- sees the table just after its own group.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.rc4_pkg.all;

entity rc4_rotor is
  generic (
    N     : positive := 256;  -- cells of the table: 8, 16, 32, 64, 128 or 256
    K     : positive := 1;    -- rounds of a group; N is at least 8K
    AHEAD : positive := 2     -- x_o is of the group that enters stage 0 this many clocks later: 2 or 3
  );
  port (
    clk_i  : in  std_logic;  -- rising edge
    step_i : in  std_logic;  -- every group goes on to its next stage; low: nothing changes
    rst_i  : in  std_logic;  -- with step_i: the first table, and no group is live. The words in the
                             -- pipeline go on to its end: they are wiped by six clocks of it
    live_i : in  std_logic;  -- a group is in stage 0
    z_i    : in  std_logic;  -- and its keystream is wanted
    e_i    : in  std_logic_vector(K * word_bits(N) - 1 downto 0);  -- its K words e, first lowest
    x_i    : in  std_logic_vector(K * word_bits(N) - 1 downto 0);  -- its K words x = S[i]
    x_o    : out std_logic_vector(K * word_bits(N) - 1 downto 0);  -- K words x of a later group, as
                                                        -- far as the groups in stages 1 to 3 tell
    z_o       : out std_logic_vector(K * word_bits(N) - 1 downto 0);  -- K words of keystream
    z_valid_o : out std_logic  -- z_o is keystream
  );
end entity;

architecture rtl of rc4_rotor is
  constant W    : positive := word_bits(N);
  constant ROWB : positive := 3 * W / 8;  -- the high bits of an address tell the row
  constant COLB : positive := W - ROWB;   -- and the low bits the column
  constant ROWS : positive := 2 ** ROWB;
  constant COLS : positive := 2 ** COLB;

  constant LOWB : positive := COLB / 2;  -- a half of the column's bits

  -- Decode the columns in the clock before they are used. On Sky130 this makes rc4_spec with K = 2 faster
  -- and smaller; with K = 4 its flip-flops are larger than the gates that they save.
  constant EARLY_DECODE : boolean := K < 4;

  constant TREES : boolean := has_trees(K);

  subtype word_t is unsigned(W - 1 downto 0);
  subtype round_t is natural range 0 to K - 1;
  subtype row_t is std_logic_vector(0 to ROWS - 1);
  subtype col_t is std_logic_vector(0 to COLS - 1);
  type words_t is array (round_t) of word_t;
  type rows_t is array (round_t) of row_t;
  type highs_t is array (round_t) of unsigned(ROWB - 1 downto 0);
  subtype halves_t is std_logic_vector(0 to 2 ** LOWB + 2 ** (COLB - LOWB) - 1);
  type all_halves_t is array (round_t) of halves_t;
  type cols_t is array (round_t) of col_t;
  type parts_t is array (0 to K * ROWS - 1) of word_t;
  type choice_t is array (round_t) of std_logic_vector(round_t);
  type table_t is array (0 to N - 1) of word_t;

  constant NO_CHOICE : choice_t := (others => (others => '0'));
  constant NO_WORDS  : words_t  := (others => (others => '0'));

  function split(v : std_logic_vector) return words_t is
    variable words : words_t;
  begin
    for r in round_t loop
      words(r) := unsigned(v((r + 1) * W - 1 downto r * W));
    end loop;
    return words;
  end function;

  function join(words : words_t) return std_logic_vector is
    variable v : std_logic_vector(K * W - 1 downto 0);
  begin
    for r in round_t loop
      v((r + 1) * W - 1 downto r * W) := std_logic_vector(words(r));
    end loop;
    return v;
  end function;

  function back(words : words_t) return words_t is
    variable v : words_t;
  begin
    for r in round_t loop
      v(r) := words(r) - K;
    end loop;
    return v;
  end function;

  -- With trees, root1 is only the link from a round to the round whose y it takes, or to itself. Links may follow each
  -- other K - 1 times. To double the steps that a link covers, log2 K times, takes two clocks: this is one of them.
  -- Without trees, root1 is complete.
  function followed(links : choice_t) return choice_t is
    variable v, twice : choice_t := links;
    variable found    : std_logic;
  begin
    if TREES then
      for step in 1 to (log2(K) + 1) / 2 loop
        twice := NO_CHOICE;
        for r in round_t loop
          for m in 0 to r loop
            found := '0';
            for between in m to r loop
              found := found or (v(r)(between) and v(between)(m));
            end loop;
            twice(r)(m) := found;
          end loop;
        end loop;
        v := twice;
      end loop;
    end if;
    return v;
  end function;

  -- The column, one-hot in two halves.
  function halves(a : word_t) return halves_t is
    variable v : halves_t := (others => '0');
  begin
    v(to_integer(a(LOWB - 1 downto 0)))                     := '1';
    v(2 ** LOWB + to_integer(a(COLB - 1 downto LOWB))) := '1';
    return v;
  end function;

  -- The column of the address a; early: its halves, of the clock before.
  function col(early : halves_t; a : word_t) return col_t is
    variable v : halves_t := halves(a);
    variable c : col_t;
  begin
    if EARLY_DECODE then
      v := early;
    end if;
    for p in c'range loop
      c(p) := v(p mod 2 ** LOWB) and v(2 ** LOWB + p / 2 ** LOWB);
    end loop;
    return c;
  end function;

  function row(a : word_t) return row_t is
    variable v : row_t := (others => '0');
  begin
    v(to_integer(a(W - 1 downto COLB))) := '1';
    return v;
  end function;

  function high(a : word_t) return unsigned is
  begin
    return a(W - 1 downto COLB);
  end function;

  -- v where s is high, else zero.
  function only(s : std_logic; v : word_t) return word_t is
  begin
    return v and (word_t'range => s);
  end function;

  function eq(a, b : unsigned) return std_logic is
  begin
    if a = b then
      return '1';
    end if;
    return '0';
  end function;

  function eq(a : unsigned; b : integer) return std_logic is
  begin
    return eq(a, to_unsigned(b mod 2 ** a'length, a'length));
  end function;

  -- The K cells of one address each, column by column: one word for each row.
  function read_columns(s : table_t; a : cols_t) return parts_t is
    variable parts : parts_t;
    variable v     : word_t;
  begin
    for r in round_t loop
      for h in 0 to ROWS - 1 loop
        v := (others => '0');
        for c in 0 to COLS - 1 loop
          v := v or only(a(r)(c), s(h * COLS + c));
        end loop;
        parts(r * ROWS + h) := v;
      end loop;
    end loop;
    return parts;
  end function;

  -- The initial value of cell p. The group in stage 0 is then AHEAD groups before the first.
  function first(p : natural) return word_t is
  begin
    return to_unsigned((p - (AHEAD + 3) * K) mod N, W);
  end function;

  function inverted(s : table_t) return table_t is
    variable v : table_t;
  begin
    for p in s'range loop
      v(p) := not s(p);
    end loop;
    return v;
  end function;

  -- The table, and its flip-flops, which hold each bit inverted. The cheapest gate of a read,
  -- OR-AND-invert, needs inverted bits; on Sky130 this saves a twentieth of the core.
  signal s, s_n : table_t;
  signal i      : word_t;  -- of the first round of the group in stage 0

  signal x0, x1, x2, x3, x4 : words_t;
  signal e0, e1, e2, e3, e4 : words_t;
  signal y3, yy, y4         : words_t;  -- yy: y3, where it is not y of an earlier round
  signal u3, t4             : words_t;  -- x in the frame of the table; t

  signal live     : std_logic_vector(0 to 3);
  signal z_wanted : std_logic_vector(1 to 5);

  signal half1, half3, half4          : all_halves_t;  -- columns to read S[j], write S[j], read S[t]
  signal high2, high5                 : highs_t;  -- the row of y and of z
  signal in_table2, in_table5         : std_logic_vector(round_t);  -- and no bypass
  signal part2, part5                 : parts_t;
  signal own_x1, x_of_1, x_of_2       : choice_t;  -- y is the x of a round of this group, or of
  signal y_of_1, y_of_2, y_of_1_late  : choice_t;  -- the first or second group ahead; or its y
  signal any_own1, any_of_1, any_of_2 : std_logic_vector(round_t);  -- any of these
  signal root1, root2, root3          : choice_t;  -- y is the y of this round of the group
  signal known2                       : words_t;   -- the y that was known in stage 1, or zero
  signal lost1, lost2, lost3          : std_logic_vector(round_t);  -- a later round writes there
  signal known5                       : words_t;   -- what a later round found at t, or zero
  signal ahead_1, ahead_2, ahead_3    : choice_t;  -- x_o is this x of stage 1, 2 or 3, or
  signal ahead_cell                   : std_logic_vector(round_t);  -- the cell of the table
begin

  s       <= inverted(s_n);
  x0      <= split(x_i);
  e0      <= split(e_i);
  live(0) <= live_i;

  -- Stage 0: find the source of y.
  stage0 : process (clk_i)
    variable found                  : std_logic;
    variable hit, hit_x             : std_logic;
    variable hits                   : std_logic_vector(round_t);
    variable rt                      : choice_t;
  begin
    if rising_edge(clk_i) then
      if step_i = '1' then
        i       <= i + K;
        x1      <= x0;
        e1      <= back(e0);
        live(1) <= live(0);
        rt      := NO_CHOICE;
        -- These choices are signals, bit by bit. As variables that were assigned at the end, GHDL 2.0's synthesis
        -- lost one bit in some cores.
        own_x1  <= NO_CHOICE;
        for r in round_t loop
          -- The latest round that wrote the cell is used: its y if the cell was its i, its x if it
          -- was its j.
          found    := '0';
          rt(r)(r) := '1';
          for m in r - 1 downto 0 loop
            if TREES then
              found := any_in(hits, m + 1, r - 1);
            end if;
            hit_x := eq(e0(r), e0(m));
            hit   := eq(e0(r), 2 * K + m);
            own_x1(r)(m) <= hit_x and not found;
            if (hit and not hit_x and not found) = '1' then
              rt(r) := rt(m);
              if TREES then
                rt(r)    := (others => '0');
                rt(r)(m) := '1';  -- `followed` goes on from there
              end if;
            end if;
            hits(m) := hit or hit_x;
            found   := found or hit or hit_x;
          end loop;
          any_own1(r) <= found;
          half1(r)    <= halves(e0(r));
          found := '0';
          for m in K - 1 downto 0 loop
            if TREES then
              found := any_in(hits, m + 1, K - 1);
            end if;
            hit_x    := eq(e0(r), e1(m)) and live(1);
            hit      := eq(e0(r), K + m) and live(1);
            x_of_1(r)(m) <= hit_x and not found;
            y_of_1(r)(m) <= hit and not hit_x and not found;
            hits(m)  := hit or hit_x;
            found    := found or hit or hit_x;
          end loop;
          any_of_1(r) <= found;
          found := '0';
          for m in K - 1 downto 0 loop
            if TREES then
              found := any_in(hits, m + 1, K - 1);
            end if;
            hit_x    := eq(e0(r), e2(m)) and live(2);
            hit      := eq(e0(r), m) and live(2);
            x_of_2(r)(m) <= hit_x and not found;
            y_of_2(r)(m) <= hit and not hit_x and not found;
            hits(m)  := hit or hit_x;
            found    := found or hit or hit_x;
          end loop;
          any_of_2(r) <= found;

          hit := not live(0);
          for m in r + 1 to K - 1 loop
            hit := hit or eq(e0(r), e0(m)) or eq(e0(r), 2 * K + m);
          end loop;
          lost1(r) <= hit;
        end loop;
        root1  <= rt;
        if rst_i = '1' then
          i       <= to_unsigned((-AHEAD * K) mod N, W);
          lost1   <= (others => '1');
          live(1) <= '0';
        end if;
      end if;
    end if;
  end process;

  stage1 : process (clk_i)
    variable at_col : cols_t;
    variable in_2 : std_logic;  -- y is not of this group nor the first ahead
    variable v    : word_t;
  begin
    if rising_edge(clk_i) then
      if step_i = '1' then
        x2      <= x1;
        e2      <= back(e1);
        live(2) <= live(1);
        lost2   <= lost1;
        root2   <= followed(root1);
        for r in round_t loop
          at_col(r) := col(half1(r), e1(r) + K);
        end loop;
        part2 <= read_columns(s, at_col);
        for r in round_t loop
          in_2    := not any_own1(r) and not any_of_1(r);
          high2(r)     <= high(e1(r) + K);
          in_table2(r) <= in_2 and not any_of_2(r);
          v       := (others => '0');
          for m in round_t loop
            v := v or only(own_x1(r)(m), x1(m))
                   or only(x_of_1(r)(m) and not any_own1(r), x2(m))
                   or only(x_of_2(r)(m) and in_2, x3(m)) or only(y_of_2(r)(m) and in_2, yy(m));
            y_of_1_late(r)(m) <= y_of_1(r)(m) and not any_own1(r);
          end loop;
          known2(r) <= v;
        end loop;
        if rst_i = '1' then
          lost2   <= (others => '1');
          live(2) <= '0';
        end if;
      end if;
    end if;
  end process;

  stage2 : process (clk_i)
    variable v : word_t;
  begin
    if rising_edge(clk_i) then
      if step_i = '1' then
        x3      <= x2;
        e3      <= back(e2);
        live(3) <= live(2);
        root3   <= followed(root2);
        lost3   <= lost2;
        for r in round_t loop
          v := known2(r);
          for h in 0 to ROWS - 1 loop
            v := v or only(in_table2(r) and eq(high2(r), h), part2(r * ROWS + h));
          end loop;
          for m in round_t loop
            v := v or only(y_of_1_late(r)(m), yy(m));
          end loop;
          y3(r)    <= v;
          half3(r) <= halves(e2(r) - K);
          u3(r)    <= x2(r) - (i - 2 * K) - K;  -- i is two groups ahead of this one
        end loop;
        if rst_i = '1' then
          lost3   <= (others => '1');
          live(3) <= '0';
        end if;
      end if;
    end if;
  end process;

  -- Stage 3.
  same_group : process (all)
    variable v : word_t;
  begin
    for r in round_t loop
      v := (others => '0');
      for m in 0 to r loop
        v := v or only(root3(r)(m), y3(m));
      end loop;
      yy(r) <= v;
    end loop;
  end process;

  turn : process (clk_i)
    variable at_col : cols_t;
    variable at_row : rows_t;
    variable here   : std_logic;  -- a round writes this cell
    variable hit    : std_logic;  -- any does
    variable legs   : words_t;  -- what each round writes there
    variable v      : word_t;
  begin
    if rising_edge(clk_i) then
      if step_i = '1' then
        for r in round_t loop
          at_row(r) := row(e3(r)) and (row_t'range => not lost3(r));
          at_col(r) := col(half3(r), e3(r));
        end loop;
        for p in 0 to N - 1 loop
          if p >= N - K and live(3) = '1' then
            v := yy(p - (N - K));
          else
            v := s((p + K) mod N);
          end if;
          hit := '0';
          for r in round_t loop
            here    := at_row(r)(p / COLS) and at_col(r)(p mod COLS);
            hit     := hit or here;
            legs(r) := only(here, only(live(3), x3(r)));
          end loop;
          for level in 0 to log2(K) - 1 loop
            for r in 0 to K / 2 ** (level + 1) - 1 loop
              legs(r) := legs(2 * r) or legs(2 * r + 1);
            end loop;
          end loop;
          v := only(not hit, v) or legs(0);
          -- Cell by cell, because GHDL 2.0 writes a constant of the whole table as text, which synthesises
          -- wrongly.
          if rst_i = '1' then
            v := first(p);
          end if;
          s_n(p) <= not v;
        end loop;
      end if;
    end if;
  end process;

  stage3 : process (clk_i)
  begin
    if rising_edge(clk_i) then
      if step_i = '1' then
        x4 <= x3;
        e4 <= e3;
        y4 <= yy;
        for r in round_t loop
          t4(r)    <= u3(r) + yy(r);
          half4(r) <= halves(u3(r) + yy(r));
        end loop;
      end if;
    end if;
  end process;

  stage4 : process (clk_i)
    variable found  : std_logic;
    variable hx, hy : std_logic;
    variable hits   : std_logic_vector(round_t);
    variable at_col : cols_t;
    variable v      : word_t;
  begin
    if rising_edge(clk_i) then
      if step_i = '1' then
        for r in round_t loop
          at_col(r) := col(half4(r), t4(r));
        end loop;
        part5 <= read_columns(s, at_col);
        for r in round_t loop
          -- If later rounds wrote the cell, this round needs the value that the earliest of them read.
          found := '0';
          v     := (others => '0');
          for m in r + 1 to K - 1 loop
            if TREES then
              found := any_in(hits, r + 1, m - 1);
            end if;
            hy    := eq(t4(r), e4(m));
            hx    := eq(t4(r), m - K);
            v     := v or only(hy and not found, y4(m)) or only(hx and not hy and not found, x4(m));
            hits(m) := hx or hy;
            found := found or hx or hy;
          end loop;
          high5(r)     <= high(t4(r));
          in_table5(r) <= not found;
          known5(r) <= v;
        end loop;
      end if;
    end if;
  end process;

  stage5 : process (all)
    variable v : words_t;
  begin
    for r in round_t loop
      v(r) := known5(r);
      for h in 0 to ROWS - 1 loop
        v(r) := v(r) or only(in_table5(r) and eq(high5(r), h), part5(r * ROWS + h));
      end loop;
    end loop;
    z_o       <= join(v);
    z_valid_o <= z_wanted(5);
  end process;

  wanted : process (clk_i)
  begin
    if rising_edge(clk_i) then
      if step_i = '1' then
        z_wanted <= z_i & z_wanted(1 to 4);
        if rst_i = '1' then
          z_wanted <= (others => '0');
        end if;
      end if;
    end if;
  end process;

  -- The x of a later group: its cell, or the x that the latest round in stages 1 to 3 puts there.
  -- The choice is made a clock ahead, when these rounds are in stages 0 to 2.
  look_ahead : process (clk_i)
    variable found, hit : std_logic;
    variable hits       : std_logic_vector(0 to 3 * K - 1);  -- of the stages 2, 1 and 0, in the order of time
  begin
    if rising_edge(clk_i) then
      if step_i = '1' then
        for r in round_t loop
          found := '0';
          for m in K - 1 downto 0 loop
            if TREES then
              found := any_in(hits, 2 * K + m + 1, 3 * K - 1);
            end if;
            hit           := eq(e0(m), (AHEAD + 3) * K + r) and live(0);
            ahead_1(r)(m) <= hit and not found;
            hits(2 * K + m) := hit;
            found         := found or hit;
          end loop;
          for m in K - 1 downto 0 loop
            if TREES then
              found := any_in(hits, K + m + 1, 3 * K - 1);
            end if;
            hit           := eq(e1(m), (AHEAD + 3) * K + r) and live(1);
            ahead_2(r)(m) <= hit and not found;
            hits(K + m)   := hit;
            found         := found or hit;
          end loop;
          for m in K - 1 downto 0 loop
            if TREES then
              found := any_in(hits, m + 1, 3 * K - 1);
            end if;
            hit           := eq(e2(m), (AHEAD + 3) * K + r) and live(2);
            ahead_3(r)(m) <= hit and not found;
            hits(m)       := hit;
            found         := found or hit;
          end loop;
          ahead_cell(r) <= not found;
        end loop;
        if rst_i = '1' then
          ahead_1    <= NO_CHOICE;
          ahead_2    <= NO_CHOICE;
          ahead_3    <= NO_CHOICE;
          ahead_cell <= (others => '1');
        end if;
      end if;
    end if;
  end process;

  prefetch : process (all)
    variable v : words_t;
  begin
    for r in round_t loop
      v(r) := only(ahead_cell(r), s(((AHEAD + 3) * K + r) mod N));
      for m in round_t loop
        v(r) := v(r) or only(ahead_1(r)(m), x1(m)) or only(ahead_2(r)(m), x2(m))
                     or only(ahead_3(r)(m), x3(m));
      end loop;
    end loop;
    x_o <= join(v);
  end process;

end architecture;
