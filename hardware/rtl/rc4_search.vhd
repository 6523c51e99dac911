-- SPDX-License-Identifier: MIT OR Apache-2.0
-- Finds the keys whose keystream begins as expected. A counter runs through the bits of a key under
-- a mask, and ENGINES engines try eight keys each at a time. The keys found leave word by word.
--
-- All engines do the same in the same clock. The keys of a batch of 8 * ENGINES differ only in their lowest masked bits.
-- Three of these bits select one of an engine's eight keys, and the rest is the engine's number. So a word of the key goes to
-- all engines as one code for each bit (rc4_search_pkg). No engine stores a key, and one counter, a word wide, serves all.
--
--   texts, kinds, base --► 1: read --► 2: codes --► engines, eight at a time, each eight a clock later --► any
--
-- All keys of an engine have a turn of twelve clocks. A batch takes N/2 turns for the key schedule, and one in which its last cells
-- are written. Then it takes two turns for each word of the stream, while any key is still as expected. The engines' answer comes some
-- clocks later; meanwhile the stream continues. If a key matches the whole text, the engines are asked for each key of the batch.
--
-- The first pass of the schedule over the words of the key also counts: the base of the next batch goes to the other bank.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.rc4_pkg.all;
use work.rc4_search_pkg.all;

entity rc4_search is
  generic (
    N          : positive := 256;  -- cells of a table: 8, 16, 32, 64, 128 or 256
    KEY_BYTES  : positive := 16;   -- words of the longest key, 1 to N
    TEXT_BYTES : positive := 16;   -- words of keystream that can be expected, 1 to N - 2
    ENGINES    : positive := 1;    -- a power of two, 1 to 256; a block RAM each
    HIT_WORDS  : positive := 64    -- words of found keys that can wait: a power of two, 2 or more
  );
  port (
    clk_i        : in  std_logic;  -- rising edge
    rst_i        : in  std_logic;  -- synchronous
    clear_i      : in  std_logic;  -- ends the search and forgets the text, the key and what was found
    text_i       : in  std_logic_vector(word_bits(N) - 1 downto 0);  -- the next word of the keystream
    care_i       : in  std_logic_vector(word_bits(N) - 1 downto 0);  -- the bits of it that are known
    text_valid_i : in  std_logic;
    text_last_i  : in  std_logic;  -- it is the last one; more than TEXT_BYTES are not looked at
    text_ready_o : out std_logic;  -- a word is taken when both are high; low during a search
    key_i        : in  std_logic_vector(word_bits(N) - 1 downto 0);  -- the next word of the key
    mask_i       : in  std_logic_vector(word_bits(N) - 1 downto 0);  -- the bits of it to search
    key_valid_i  : in  std_logic;
    key_last_i   : in  std_logic;  -- it is the last one: the search begins
    key_ready_o  : out std_logic;  -- a word is taken when both are high; low during a search, before there is a text, and while one is offered
    key_error_o  : out std_logic;  -- the key had more than KEY_BYTES words, and was not searched
    busy_o       : out std_logic;  -- a search runs
    batches_o    : out std_logic_vector(63 downto 0);  -- of 8 * ENGINES keys, that this search has tried
    hit_o        : out std_logic_vector(word_bits(N) - 1 downto 0);  -- the next word of a key found
    hit_last_o   : out std_logic;  -- it is the key's last
    hit_valid_o  : out std_logic;
    hit_ready_i  : in  std_logic   -- a word is taken when both are high; with HIT_WORDS waiting the search waits too
  );
end entity;

architecture rtl of rc4_search is
  function legal return positive is
    constant bits : positive := legal_word_bits("rc4_search", N, 1, KEY_BYTES, 1);
  begin
    assert TEXT_BYTES <= N - 2
      report "rc4_search: TEXT_BYTES is " & integer'image(TEXT_BYTES) & "; it must be 1 to " & integer'image(N - 2)
      severity failure;
    assert ENGINES <= 256 and 2 ** log2(ENGINES) = ENGINES
      report "rc4_search: ENGINES is " & integer'image(ENGINES) & "; it must be a power of two from 1 to 256"
      severity failure;
    assert HIT_WORDS >= 2 and 2 ** log2(HIT_WORDS) = HIT_WORDS
      report "rc4_search: HIT_WORDS is " & integer'image(HIT_WORDS) & "; it must be a power of two, 2 or more"
      severity failure;
    return bits;
  end function;

  constant W        : positive := legal;
  constant M        : positive := log2(maximum(2, KEY_BYTES));   -- bits of a number below that
  constant T        : positive := log2(maximum(2, TEXT_BYTES));
  constant LANE     : positive := 3 + log2(ENGINES);   -- bits that tell the keys of a batch apart
  constant CLUSTER  : positive := 8;                   -- engines that share one register for commands
  constant CLUSTERS : positive := (ENGINES + CLUSTER - 1) / CLUSTER;
  constant ANSWER   : positive := 12 + CLUSTERS;       -- clocks from the end of a turn of twelve to the engines' answer
  constant ASKED    : positive := 9;                   -- a probe enters `marks` here, so its answer comes ASKED - 1 clocks sooner

  subtype word_t is std_logic_vector(W - 1 downto 0);
  subtype place_t is unsigned(M - 1 downto 0);         -- of a word in the key

  -- What a bit of the key is: given, counted, or a bit of the place in the batch.
  subtype kind_t is std_logic_vector(3 downto 0);
  constant GIVEN    : kind_t := "0000";
  constant COUNTED  : kind_t := "0001";

  function lane_bit(q : natural) return kind_t is
  begin
    return std_logic_vector(to_unsigned(2 + q, 4));
  end function;

  type texts_t is array (0 to 2 ** T - 1) of std_logic_vector(2 * W - 1 downto 0);
  type kinds_t is array (0 to 2 ** M - 1) of std_logic_vector(4 * W - 1 downto 0);
  type bases_t is array (0 to 2 ** (M + 1) - 1) of word_t;
  signal texts : texts_t;  -- care and text
  signal kinds : kinds_t;
  signal bases : bases_t;  -- two banks

  type state_t is (
    idle, sorting, storing, discarding,  -- a word of the key arrives, and its bits are told apart; a key too long goes by
    scheduling, streaming, draining,     -- a batch; the last answer is awaited
    probing, listening,                  -- one key of it is asked for; the answer
    fetching, handing                    -- a word of a key found, read and handed on
  );
  signal state      : state_t;
  signal slot       : unsigned(1 downto 0);        -- 0, 1, 2: a clock for key P of two keys, for Q, and for none
  signal group_no   : unsigned(1 downto 0);        -- which two of eight keys
  signal ending_12  : std_logic;                   -- the last clock of all eight; of two keys: slot 2
  signal pair       : unsigned(W - 1 downto 0);    -- of the schedule, from 0; of the stream i
  signal second     : std_logic;                   -- of the stream: the second turn of a round
  signal m0, m1     : place_t;                     -- of the two rounds of a turn
  signal last       : place_t;
  signal at         : place_t;
  signal bank       : std_logic;
  signal epoch      : std_logic;
  signal sweep      : std_logic;                   -- this is the first batch, of no keys: it tags all cells
  signal pass_1     : std_logic;                   -- the first pass over the key's words
  signal carry      : std_logic;                   -- of the counter; after the pass: this batch is the last
  signal dead       : std_logic;                   -- no key of the batch is as expected, or all were tried
  signal batches    : unsigned(63 downto 0);

  signal loaded, mask : word_t;
  signal kinds_in   : std_logic_vector(4 * W - 1 downto 0);
  signal bit_no     : natural range 0 to W - 1;
  signal ending     : std_logic;
  signal seen       : natural range 0 to LANE;     -- masked bits so far, of those that count here
  signal key_error  : std_logic;
  signal text_count : natural range 0 to TEXT_BYTES;
  signal text_count_now : natural range 0 to TEXT_BYTES;  -- a new text begins at 0
  signal text_open  : std_logic;                   -- a text has begun and not ended
  signal text_there : std_logic;
  signal text_at    : unsigned(T - 1 downto 0);

  signal lane_no, lane_limit : unsigned(LANE - 1 downto 0);

  -- Stage 1.
  signal told       : command_t;
  type codes_t is array (0 to 1) of std_logic_vector(8 * CODE_BITS - 1 downto 0);
  signal codes      : codes_t;
  signal kinds_1    : std_logic_vector(4 * W - 1 downto 0);
  signal base_1     : word_t;
  signal text_1     : std_logic_vector(2 * W - 1 downto 0);
  signal at_1       : place_t;
  signal step_1     : std_logic;
  signal base_at    : unsigned(M downto 0);            -- what is written into the bases
  signal base_in    : word_t;
  signal base_on    : std_logic;
  signal hit        : word_t;

  type chain_t is array (0 to CLUSTERS - 1) of command_t;
  signal chain      : chain_t;
  signal alive      : std_logic_vector(0 to ENGINES - 1);
  signal any        : std_logic_vector(0 to CLUSTERS - 1);
  signal marks      : std_logic_vector(1 to ANSWER);  -- an answer is wanted
  signal lasts      : std_logic_vector(1 to ANSWER);  -- of the whole text
  signal answer_due, answer_last, found : std_logic;
  signal hit_ready  : std_logic;
  signal handing_on : std_logic;
  signal hit_in, hit_out : std_logic_vector(W downto 0);
  signal wipe       : std_logic;

  function after_place(m, last : unsigned) return unsigned is
  begin
    if m = last then
      return to_unsigned(0, m'length);
    end if;
    return m + 1;
  end function;

  function kind(all_of_them : std_logic_vector; b : natural) return kind_t is
  begin
    return all_of_them(4 * b + 3 downto 4 * b);
  end function;
begin

  wipe        <= rst_i or clear_i;
  text_there  <= '1' when text_open = '0' and text_count /= 0 else '0';
  text_count_now <= text_count when text_open = '1' else 0;
  at          <= m1 when state = scheduling and slot(1) = '1' else m0;
  text_at     <= resize(pair - 1, T) when second = '1' else resize(pair - 2, T);
  answer_due  <= marks(ANSWER);
  answer_last <= lasts(ANSWER);
  found       <= any(CLUSTERS - 1);

  process (all)
  begin
    for q in 0 to LANE - 1 loop
      lane_limit(q) <= '0';
      if seen > q then
        lane_limit(q) <= '1';
      end if;
    end loop;
  end process;

  control : process (clk_i)
    variable next_lane, new_batch : boolean;
    variable this_kind            : kind_t;
  begin
    if rising_edge(clk_i) then
      slot      <= slot + 1;
      ending_12 <= '0';
      if slot = 1 and group_no = 3 then
        ending_12 <= '1';
      end if;
      if slot(1) = '1' then
        slot     <= (others => '0');
        group_no <= group_no + 1;
      end if;
      if rst_i = '1' then
        slot     <= (others => '0');
        group_no <= (others => '0');
        epoch <= '0';
        bank  <= '0';
      end if;

      if wipe = '1' then
        state      <= idle;
        m0         <= (others => '0');
        m1         <= (others => '0');
        last       <= (others => '0');
        pair       <= (others => '0');
        second     <= '0';
        lane_no    <= (others => '0');
        seen       <= 0;
        sweep      <= '0';
        pass_1     <= '0';
        dead       <= '0';
        key_error  <= '0';
        text_count <= 0;
        text_open  <= '0';
        batches    <= (others => '0');
        marks      <= (others => '0');
        lasts      <= (others => '0');
      else
        new_batch := false;
        next_lane := false;
        marks     <= '0' & marks(1 to ANSWER - 1);
        lasts     <= '0' & lasts(1 to ANSWER - 1);

        -- The text.
        if state = idle and text_valid_i = '1' then
          if text_count_now < TEXT_BYTES then
            text_count <= text_count_now + 1;
          end if;
          text_open <= not text_last_i;
        end if;

        -- The key.
        if state = idle and key_valid_i = '1' and text_there = '1' and text_valid_i = '0' then
          loaded <= key_i;
          mask   <= mask_i;
          ending <= key_last_i;
          bit_no <= 0;
          state  <= sorting;
          if m0 = 0 then
            key_error <= '0';
          end if;
        elsif state = sorting then
          this_kind := GIVEN;
          if mask(0) = '1' then
            this_kind := COUNTED;
            if seen < LANE then
              this_kind := lane_bit(seen);
              seen      <= seen + 1;
            end if;
          end if;
          kinds_in <= this_kind & kinds_in(4 * W - 1 downto 4);
          mask     <= '0' & mask(W - 1 downto 1);
          if bit_no = W - 1 then
            state <= storing;
          else
            bit_no <= bit_no + 1;
          end if;
        elsif state = storing then
          state <= idle;
          if ending = '1' then
            last    <= m0;
            sweep   <= '1';
            dead    <= '1';
            batches <= (others => '0');
            state   <= draining;
          elsif m0 = KEY_BYTES - 1 then
            key_error <= '1';
            state     <= discarding;
          else
            m0 <= m0 + 1;
          end if;
        elsif state = discarding then
          if key_valid_i = '1' and key_last_i = '1' then
            m0    <= (others => '0');
            seen  <= 0;
            state <= idle;
          end if;

        -- A batch.
        elsif state = scheduling then
          if group_no = 0 and slot /= 1 and at = last then
            pass_1 <= '0';
          end if;
          if ending_12 = '1' then
            m0   <= after_place(m1, last);
            m1   <= after_place(after_place(m1, last), last);
            pair <= pair + 1;
            if pair = N / 2 then
              pair  <= to_unsigned(1, W);
              state <= streaming;
              if sweep = '1' then
                sweep     <= '0';
                epoch     <= not epoch;
                new_batch := true;
              end if;
            end if;
          end if;
        elsif state = streaming or state = draining then
          if answer_due = '1' and found = '0' then
            dead <= '1';
          end if;
          if state = streaming and ending_12 = '1' then
            second <= not second;
            if second = '1' then
              pair     <= pair + 1;
              marks(1) <= '1';
              if pair = text_count then
                lasts(1) <= '1';
                state    <= draining;
              end if;
            end if;
          end if;
          if dead = '1' and slot(1) = '1' then
            new_batch := true;
            if sweep = '0' then
              batches <= batches + 1;
              if carry = '1' then
                new_batch := false;
                m0        <= (others => '0');
                seen      <= 0;
                dead      <= '0';
                state     <= idle;
                marks     <= (others => '0');
                lasts     <= (others => '0');
              else
                bank  <= not bank;
                epoch <= not epoch;
              end if;
            end if;
          end if;
          if answer_due = '1' and answer_last = '1' and found = '1' then
            lane_no <= (others => '0');
            state   <= probing;
          end if;

        -- Asks for the keys of a batch, one by one.
        elsif state = probing then
          marks(ASKED) <= '1';
          state        <= listening;
        elsif state = listening then
          m0 <= (others => '0');
          if answer_due = '1' then
            if found = '1' then
              state <= fetching;
            else
              next_lane := true;
            end if;
          end if;
        elsif state = fetching then
          state <= handing;
        elsif state = handing and hit_ready = '1' then
          state <= fetching;
          if m0 = last then
            next_lane := true;
          else
            m0 <= m0 + 1;
          end if;
        end if;

        if next_lane then
          lane_no <= lane_no + 1;
          state   <= probing;
          if lane_no = lane_limit then
            dead  <= '1';
            state <= draining;
          end if;
        end if;
        if new_batch then
          state    <= scheduling;
          group_no <= (others => '0');
          pair     <= (others => '0');
          second   <= '0';
          m0       <= (others => '0');
          m1       <= after_place(to_unsigned(0, M), last);
          pass_1   <= '1';
          dead     <= '0';
          marks    <= (others => '0');
          lasts    <= (others => '0');
        end if;
      end if;
    end if;
  end process;

  -- Stage 1: reads the words for this clock. Between batches the engines treat their tables as untouched, so that
  -- their registers have defined values from the first clocks on.
  stage_1 : process (clk_i)
  begin
    if rising_edge(clk_i) then
      told.group_no   <= group_no;
      told.slot       <= slot;
      told.schedule   <= '0';
      told.step       <= '0';
      told.compare    <= '0';
      told.start      <= '1';
      told.sweep      <= '1';
      told.epoch      <= epoch;
      told.pair       <= resize(pair(W - 2 downto 0), 7);
      told.write_even <= '0';
      told.write_odd  <= '0';
      told.odd        <= '0';
      told.probe      <= '0';
      told.number     <= resize(shift_right(lane_no, 3), 8);
      told.codes      <= (others => '0');
      if state = scheduling then
        told.sweep      <= sweep;
        told.write_even <= '1';
        told.write_odd  <= '1';
        if pair /= N / 2 then
          told.schedule <= '1';
        end if;
        if pair /= 0 then
          told.start <= '0';
        end if;
      elsif state = streaming then
        told.sweep      <= '0';
        told.pair       <= resize(pair(W - 1 downto 1) + 1, 7);
        told.step       <= not second;
        told.compare    <= second and not slot(1);
        told.write_even <= second and not pair(0);
        told.write_odd  <= second and pair(0);
        told.odd        <= pair(0);
        if pair /= 1 or second = '1' then
          told.start <= '0';
        end if;
      elsif state = probing then
        told.probe <= '1';
        told.pair  <= resize(lane_no(2 downto 0), 7);
      end if;
      step_1 <= '0';
      if state = scheduling and sweep = '0' and pass_1 = '1' and group_no = 0 and slot /= 1 then
        step_1 <= '1';
      end if;
      at_1    <= at;
      kinds_1 <= kinds(to_integer(at));
      base_1  <= bases(to_integer(bank & at));
      text_1  <= texts(to_integer(text_at));
    end if;
  end process;

  -- Stage 2: the codes, and two clocks more before they go out.
  stage_2 : process (clk_i)
    variable code : code_t;
    variable kind_b : kind_t;
  begin
    if rising_edge(clk_i) then
      chain(0) <= told;
      for b in 0 to W - 1 loop
        kind_b := kind(kinds_1, b);
        if told.schedule = '0' then
          code := CODE_ANY;
          if text_1(W + b) = '1' then
            code := "000" & text_1(b);
          end if;
        else
          code := "000" & base_1(b);
          if kind_b = lane_bit(0) then
            code := "000" & told.slot(0);
            if told.slot(1) = '1' then
              code := std_logic_vector(to_unsigned(CODE_LANE, CODE_BITS));
            end if;
          elsif kind_b = lane_bit(1) then
            code := "000" & told.group_no(0);
          elsif kind_b = lane_bit(2) then
            code := "000" & told.group_no(1);
          end if;
          for q in 3 to LANE - 1 loop
            if kind_b = lane_bit(q) then
              code := std_logic_vector(to_unsigned(CODE_LANE + q - 2, CODE_BITS));
            end if;
          end loop;
        end if;
        codes(0)((b + 1) * CODE_BITS - 1 downto b * CODE_BITS) <= code;
      end loop;
      codes(1)       <= codes(0);
      chain(0).codes <= codes(1);
      for s in 1 to CLUSTERS - 1 loop
        chain(s) <= chain(s - 1);
      end loop;
    end if;
  end process;

  -- The counter: the masked bits of a word count, and the others pass the carry on.
  count : process (clk_i)
    variable counts : word_t;
    variable sum    : unsigned(W downto 0);
    variable first  : unsigned(0 downto 0);
  begin
    if rising_edge(clk_i) then
      for b in 0 to W - 1 loop
        counts(b) := '0';
        if kind(kinds_1, b) = COUNTED then
          counts(b) := '1';
        end if;
      end loop;
      first(0) := carry;
      sum := ('0' & unsigned(base_1 or not counts)) + first;
      base_at <= bank & m0;
      base_in <= loaded;
      base_on <= '0';
      if step_1 = '1' then
        base_at <= not bank & at_1;
        base_in <= (std_logic_vector(sum(W - 1 downto 0)) and counts) or (base_1 and not counts);
        base_on <= '1';
        carry   <= sum(W);
      elsif state = storing then
        base_on <= '1';
      elsif state = scheduling and pair = 0 and group_no = 0 and slot = 0 then
        carry <= '1';
      end if;

      if base_on = '1' then
        bases(to_integer(base_at)) <= base_in;
      end if;
      if state = storing then
        kinds(to_integer(m0)) <= kinds_in;
      end if;
      if state = idle and text_valid_i = '1' and text_count_now < TEXT_BYTES then
        texts(to_integer(to_unsigned(text_count_now, T))) <= care_i & text_i;
      end if;
    end if;
  end process;

  engine : for e in 0 to ENGINES - 1 generate
    engine_e : entity work.rc4_search_engine
      generic map (N => N, NUMBER => e)
      port map (clk_i => clk_i, command_i => chain(e / CLUSTER), alive_o => alive(e));
  end generate;

  gather : process (clk_i)
    variable one : std_logic;
  begin
    if rising_edge(clk_i) then
      for s in 0 to CLUSTERS - 1 loop
        one := '0';
        for e in s * CLUSTER to minimum((s + 1) * CLUSTER, ENGINES) - 1 loop
          one := one or alive(e);
        end loop;
        if s > 0 then
          one := one or any(s - 1);
        end if;
        any(s) <= one;
      end loop;
    end if;
  end process;

  -- A word of a key that was found.
  process (all)
  begin
    for b in 0 to W - 1 loop
      hit(b) <= base_1(b);
      for q in 0 to LANE - 1 loop
        if kind(kinds_1, b) = lane_bit(q) then
          hit(b) <= lane_no(q);
        end if;
      end loop;
    end loop;
  end process;

  handing_on <= '1' when state = handing else '0';
  hit_in(W)              <= '1' when m0 = last else '0';
  hit_in(W - 1 downto 0) <= hit;

  hits : entity work.rc4_fifo
    generic map (BITS => W + 1, WORDS => HIT_WORDS)
    port map (
      clk_i => clk_i, rst_i => wipe,
      data_i => hit_in, valid_i => handing_on, ready_o => hit_ready,
      data_o => hit_out, valid_o => hit_valid_o, ready_i => hit_ready_i
    );

  hit_o        <= hit_out(W - 1 downto 0);
  hit_last_o   <= hit_out(W);
  text_ready_o <= '1' when state = idle else '0';
  key_ready_o  <= '1' when (state = idle and text_there = '1' and text_valid_i = '0') or state = discarding else '0';
  key_error_o  <= key_error;
  batches_o    <= std_logic_vector(batches);
  busy_o       <= '0' when state = idle or state = sorting or state = storing or state = discarding else '1';

end architecture;
