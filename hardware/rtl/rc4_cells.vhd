-- SPDX-License-Identifier: MIT OR Apache-2.0
-- The table, with a clock gate for each cell, and the pipeline that swaps cells and reads
-- keystream.
--
-- Ports and stages are the same as in rc4_rotor. But rc4_rotor moves every cell in every clock; here a clock changes only the 2K
-- cells that K rounds swap. Every read and every write is decoded to one-hot lines. So gates switch only on the path of one
-- cell:
--
--   read   the line of a cell lets its word into a tree of OR gates
--   write  the line of a row lets a word into this row, the line of a cell opens its clock gate
--
-- x_o needs S[i] of a later group. This i is known, so its cells are read one clock earlier than in the rotor. The
-- writes of the groups in stages 1 to 4 are forwarded.
--
-- e_i carries j as e = j - i + 2K, where i is the index of the group's first round. So "j equals a recent i" is a
-- comparison with a constant. A group passes these stages, one clock each:
--
--   0  e and x = S[i] come from the ports; compare e with e of the two groups ahead; decode j = e + i - 2K
--   1  read S[j] in parts of the table; choose among the known values that bypass the table
--   2  join the parts, or take the bypass: y
--   3  t = x + y; swap: write y to S[i] and x to S[j]
--   4  read S[t] in parts of the table; compare t with the group's own i and j
--   5  join the parts, or take the value before a later round of the group wrote the cell
--
-- Stages 0 to 3 of a group see a table in which the two groups ahead are not yet written. Stage 4
-- sees the table just after its own group.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.rc4_pkg.all;

entity rc4_cells is
  generic (
    N : positive := 256;  -- cells of the table: 8, 16, 32, 64, 128 or 256
    K : positive := 1     -- rounds of a group; N is at least 8K
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
    x_o    : out std_logic_vector(K * word_bits(N) - 1 downto 0);  -- K words x of the group that enters stage 0
                                                        -- three clocks later, as far as stages 1 to 4 tell
    z_o       : out std_logic_vector(K * word_bits(N) - 1 downto 0);  -- K words of keystream
    z_valid_o : out std_logic  -- z_o is keystream
  );
end entity;

architecture rtl of rc4_cells is
  constant W     : positive := word_bits(N);
  constant AHEAD : positive := 3;
  constant ROWB  : positive := W / 2;     -- the high bits of an address tell the row
  constant COLB  : positive := W - ROWB;  -- and the low bits the column
  constant ROWS  : positive := 2 ** ROWB;
  constant COLS  : positive := 2 ** COLB;

  -- A read joins the cells of a part in one clock, and the parts in the next.
  constant PARTS : positive := minimum(4, ROWS);

  subtype word_t is unsigned(W - 1 downto 0);
  subtype round_t is natural range 0 to K - 1;
  subtype row_t is std_logic_vector(0 to ROWS - 1);
  subtype col_t is std_logic_vector(0 to COLS - 1);
  subtype lines_t is std_logic_vector(0 to N - 1);
  type words_t is array (round_t) of word_t;
  type rows_t is array (round_t) of row_t;
  type cols_t is array (round_t) of col_t;
  type parts_t is array (0 to K * PARTS - 1) of word_t;
  type in_rows_t is array (0 to K * ROWS - 1) of word_t;
  type choice_t is array (round_t) of std_logic_vector(round_t);
  type table_t is array (0 to N - 1) of word_t;

  constant NO_CHOICE : choice_t := (others => (others => '0'));

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

  function row(a : word_t) return row_t is
    variable v : row_t := (others => '0');
  begin
    v(to_integer(a(W - 1 downto COLB))) := '1';
    return v;
  end function;

  function col(a : word_t) return col_t is
    variable v : col_t := (others => '0');
  begin
    v(to_integer(a(COLB - 1 downto 0))) := '1';
    return v;
  end function;

  -- One line a cell.
  function lines(r : row_t; c : col_t) return lines_t is
    variable v : lines_t;
  begin
    for p in v'range loop
      v(p) := r(p / COLS) and c(p mod COLS);
    end loop;
    return v;
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

  -- K cells, one word for each part of the table.
  function read_parts(s : table_t; at_row : rows_t; at_col : cols_t) return parts_t is
    variable joined : parts_t;
    variable at    : lines_t;
    variable v     : word_t;
  begin
    for r in round_t loop
      at := lines(at_row(r), at_col(r));
      for part in 0 to PARTS - 1 loop
        v := (others => '0');
        for p in part * (N / PARTS) to (part + 1) * (N / PARTS) - 1 loop
          v := v or only(at(p), s(p));
        end loop;
        joined(r * PARTS + part) := v;
      end loop;
    end loop;
    return joined;
  end function;

  function inverted(s : table_t) return table_t is
    variable v : table_t;
  begin
    for p in s'range loop
      v(p) := not s(p);
    end loop;
    return v;
  end function;

  -- The table, and its flip-flops, which hold each bit inverted, as in rc4_rotor.
  signal s, s_n : table_t;
  signal i2, i3, i4 : word_t;  -- i of the first round of the group in stage 2, 3 or 4

  signal x0, x1, x2, x3, x4 : words_t;
  signal e0, e1, e2         : words_t;
  signal j1, j2, j3, j4     : words_t;
  signal y3, yy, y4         : words_t;  -- yy: y3, where it is not y of an earlier round
  signal t4                 : words_t;

  signal live     : std_logic_vector(0 to 2);
  signal z_wanted : std_logic_vector(1 to 5);

  signal row1, row4                   : rows_t;  -- the lines to read S[j] and S[t]
  signal col1, col4                   : cols_t;
  signal ahead_row                    : row_t;   -- to read S[i] of a later group
  signal ahead_col                    : col_t;
  signal in_table2, in_table5         : std_logic_vector(round_t);  -- and no bypass
  signal part2, part5                 : parts_t;
  signal own_x1, x_of_1, x_of_2       : choice_t;  -- y is the x of a round of this group, or of
  signal y_of_1, y_of_2, y_of_1_late  : choice_t;  -- the first or second group ahead; or its y
  signal any_own1, any_of_1, any_of_2 : std_logic_vector(round_t);  -- any of these
  signal root1, root2, root3          : choice_t;  -- y is the y of this round of the group
  signal known2                       : words_t;   -- the y that was known in stage 1, or zero
  signal lost1, lost2, lost3          : std_logic_vector(round_t);  -- a later round writes to S[j]
  signal i_lost1, i_lost2, i_lost3    : std_logic_vector(round_t);  -- or to S[i], or this round does, as S[j]
  signal known5                       : words_t;   -- what a later round found at t, or zero
  signal ahead_1, ahead_2             : choice_t;  -- x_o is this x of stage 1, 2,
  signal ahead_3, ahead_4             : choice_t;  -- 3 or 4, or
  signal ahead_cell                   : std_logic_vector(round_t);  -- the cell of the table
  signal ahead_soon                   : choice_t;  -- what ahead_4 is next, as far as the group in stage 3 tells
  signal x_cell                       : words_t;   -- that cell, a clock ago
begin

  s       <= inverted(s_n);
  x0      <= split(x_i);
  e0      <= split(e_i);
  live(0) <= live_i;

  -- Stage 0: find the source of y.
  stage0 : process (clk_i)
    variable found      : std_logic;
    variable hit, hit_x : std_logic;
    variable rt         : choice_t;
    variable j          : word_t;
  begin
    if rising_edge(clk_i) then
      if step_i = '1' then
        x1      <= x0;
        e1      <= back(e0);
        live(1) <= live(0);
        rt      := NO_CHOICE;
        -- These choices are signals, bit by bit; rc4_rotor gives the reason.
        own_x1  <= NO_CHOICE;
        for r in round_t loop
          j       := e0(r) + i2;
          j1(r)   <= j;
          row1(r) <= row(j);
          col1(r) <= col(j);
          -- The latest round that wrote the cell is used: its y if the cell was its i, its x if it
          -- was its j.
          found    := '0';
          rt(r)(r) := '1';
          for m in r - 1 downto 0 loop
            hit_x := eq(e0(r), e0(m));
            hit   := eq(e0(r), 2 * K + m);
            own_x1(r)(m) <= hit_x and not found;
            if (hit and not hit_x and not found) = '1' then
              rt(r) := rt(m);
            end if;
            found := found or hit or hit_x;
          end loop;
          any_own1(r) <= found;
          found := '0';
          for m in K - 1 downto 0 loop
            hit_x    := eq(e0(r), e1(m)) and live(1);
            hit      := eq(e0(r), K + m) and live(1);
            x_of_1(r)(m) <= hit_x and not found;
            y_of_1(r)(m) <= hit and not hit_x and not found;
            found    := found or hit or hit_x;
          end loop;
          any_of_1(r) <= found;
          found := '0';
          for m in K - 1 downto 0 loop
            hit_x    := eq(e0(r), e2(m)) and live(2);
            hit      := eq(e0(r), m) and live(2);
            x_of_2(r)(m) <= hit_x and not found;
            y_of_2(r)(m) <= hit and not hit_x and not found;
            found    := found or hit or hit_x;
          end loop;
          any_of_2(r) <= found;

          hit := not live(0);
          for m in r + 1 to K - 1 loop
            hit := hit or eq(e0(r), e0(m)) or eq(e0(r), 2 * K + m);
          end loop;
          lost1(r) <= hit;
          hit := not live(0);
          for m in r to K - 1 loop
            hit := hit or eq(e0(m), 2 * K + r);
          end loop;
          i_lost1(r) <= hit;
        end loop;
        root1  <= rt;
        if rst_i = '1' then
          lost1   <= (others => '1');
          i_lost1 <= (others => '1');
          live(1) <= '0';
        end if;
      end if;
    end if;
  end process;

  stage1 : process (clk_i)
    variable in_2 : std_logic;  -- y is not of this group nor the first ahead
    variable v    : word_t;
  begin
    if rising_edge(clk_i) then
      if step_i = '1' then
        x2      <= x1;
        e2      <= back(e1);
        j2      <= j1;
        live(2) <= live(1);
        lost2   <= lost1;
        i_lost2 <= i_lost1;
        root2   <= root1;
        part2   <= read_parts(s, row1, col1);
        for r in round_t loop
          in_2    := not any_own1(r) and not any_of_1(r);
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
          i_lost2 <= (others => '1');
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
        i2      <= i2 + K;
        i3      <= i2;
        x3      <= x2;
        j3      <= j2;
        lost3   <= lost2;
        i_lost3 <= i_lost2;
        root3   <= root2;
        for r in round_t loop
          v := known2(r);
          for part in 0 to PARTS - 1 loop
            v := v or only(in_table2(r), part2(r * PARTS + part));
          end loop;
          for m in round_t loop
            v := v or only(y_of_1_late(r)(m), yy(m));
          end loop;
          y3(r) <= v;
        end loop;
        if rst_i = '1' then
          i2      <= to_unsigned((-(AHEAD + 2) * K) mod N, W);
          lost3   <= (others => '1');
          i_lost3 <= (others => '1');
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

  swap : process (clk_i)
    variable at_row     : rows_t;  -- where S[j] is written: low if it is not
    variable at_col     : cols_t;
    variable i_row      : rows_t;  -- and S[i]
    variable i_col      : col_t;   -- of the first round
    variable x_in, y_in : in_rows_t;  -- x and y in the rows where they are written, zero in the others
    variable here       : std_logic;  -- a round writes this cell
    variable any        : std_logic;  -- any does
    variable v          : word_t;
  begin
    if rising_edge(clk_i) then
      i_col := col(i3);
      for r in round_t loop
        at_row(r) := row(j3(r)) and (row_t'range => not (lost3(r) or rst_i));
        at_col(r) := col(j3(r));
        i_row(r)  := row(i3) and (row_t'range => not (i_lost3(r) or rst_i));
        for h in 0 to ROWS - 1 loop
          x_in(r * ROWS + h) := only(at_row(r)(h), x3(r));
          y_in(r * ROWS + h) := only(i_row(r)(h), yy(r));
        end loop;
      end loop;
      for p in 0 to N - 1 loop
        any := i_row(p mod K)(p / COLS) and i_col(p mod COLS / K * K);
        v   := only(any, y_in(p mod K * ROWS + p / COLS));
        for r in round_t loop
          here := at_row(r)(p / COLS) and at_col(r)(p mod COLS);
          any  := any or here;
          v    := v or only(here, x_in(r * ROWS + p / COLS));
        end loop;
        if step_i = '1' and (rst_i = '1' or any = '1') then
          s_n(p) <= not (v or only(rst_i, to_unsigned(p, W)));
        end if;
      end loop;
    end if;
  end process;

  stage3 : process (clk_i)
    variable t : word_t;
  begin
    if rising_edge(clk_i) then
      if step_i = '1' then
        x4 <= x3;
        j4 <= j3;
        y4 <= yy;
        i4 <= i3;
        for r in round_t loop
          t       := x3(r) + yy(r);
          t4(r)   <= t;
          row4(r) <= row(t);
          col4(r) <= col(t);
        end loop;
      end if;
    end if;
  end process;

  stage4 : process (clk_i)
    variable found  : std_logic;
    variable hx, hy : std_logic;
    variable v      : word_t;
  begin
    if rising_edge(clk_i) then
      if step_i = '1' then
        part5 <= read_parts(s, row4, col4);
        for r in round_t loop
          -- If later rounds wrote the cell, this round needs the value that the earliest of them read.
          found := '0';
          v     := (others => '0');
          for m in r + 1 to K - 1 loop
            hy    := eq(t4(r), j4(m));
            hx    := eq(t4(r), i4 + m);
            v     := v or only(hy and not found, y4(m)) or only(hx and not hy and not found, x4(m));
            found := found or hx or hy;
          end loop;
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
      for part in 0 to PARTS - 1 loop
        v(r) := v(r) or only(in_table5(r), part5(r * PARTS + part));
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

  -- The x of a later group: its cell, or the x that the latest round in stages 1 to 4 puts there.
  -- The choice is made a clock ahead, when these rounds are in stages 0 to 3.
  look_ahead : process (clk_i)
    variable found, hit : std_logic;
    variable v          : word_t;
  begin
    if rising_edge(clk_i) then
      if step_i = '1' then
        ahead_row <= row(i2 + (AHEAD + 4) * K);
        ahead_col <= col(i2 + (AHEAD + 4) * K);
        for r in round_t loop
          v := (others => '0');
          for p in 0 to N / K - 1 loop
            v := v or only(ahead_row(p * K / COLS) and ahead_col(p * K mod COLS), s(p * K + r));
          end loop;
          x_cell(r) <= v;
          found := '0';
          for m in K - 1 downto 0 loop
            hit           := eq(e0(m), (AHEAD + 3) * K + r) and live(0);
            ahead_1(r)(m) <= hit and not found;
            found         := found or hit;
          end loop;
          for m in K - 1 downto 0 loop
            hit           := eq(e1(m), (AHEAD + 3) * K + r) and live(1);
            ahead_2(r)(m) <= hit and not found;
            found         := found or hit;
          end loop;
          for m in K - 1 downto 0 loop
            hit           := eq(e2(m), (AHEAD + 3) * K + r) and live(2);
            ahead_3(r)(m) <= hit and not found;
            found         := found or hit;
          end loop;
          for m in K - 1 downto 0 loop
            hit              := ahead_soon(r)(m);
            ahead_4(r)(m)    <= hit and not found;
            found            := found or hit;
            ahead_soon(r)(m) <= eq(e2(m), (AHEAD + 4) * K + r) and live(2);
          end loop;
          ahead_cell(r) <= not found;
        end loop;
        if rst_i = '1' then
          ahead_row  <= row(to_unsigned(K, W));
          ahead_col  <= col(to_unsigned(K, W));
          ahead_1    <= NO_CHOICE;
          ahead_2    <= NO_CHOICE;
          ahead_3    <= NO_CHOICE;
          ahead_4    <= NO_CHOICE;
          ahead_soon <= NO_CHOICE;
          ahead_cell <= (others => '1');
          for r in round_t loop
            x_cell(r) <= to_unsigned(r, W);
          end loop;
        end if;
      end if;
    end if;
  end process;

  prefetch : process (all)
    variable v : words_t;
  begin
    for r in round_t loop
      v(r) := only(ahead_cell(r), x_cell(r));
      for m in round_t loop
        v(r) := v(r) or only(ahead_1(r)(m), x1(m)) or only(ahead_2(r)(m), x2(m))
                     or only(ahead_3(r)(m), x3(m)) or only(ahead_4(r)(m), x4(m));
      end loop;
    end loop;
    x_o <= join(v);
  end process;

end architecture;
