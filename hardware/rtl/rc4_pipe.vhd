-- SPDX-License-Identifier: MIT OR Apache-2.0
-- RC4, K bytes in every clock: a rotor after a stage that computes the K next j.
--
-- Each round after the first adds an addition to the critical path, so this core is meant for K = 1.
-- The rate does not depend on the data.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.rc4_pkg.all;

entity rc4_pipe is
  generic (
    N         : positive := 256;  -- cells of the table: 8, 16, 32, 64, 128 or 256
    K         : positive := 1;    -- bytes a clock: a power of two, up to N / 8
    KEY_BYTES : positive := 16;   -- words of the key, 1 to N
    VARIABLE_KEY : boolean := false  -- key_last_i ends a key of fewer words than KEY_BYTES
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

architecture rtl of rc4_pipe is
  constant W : positive := legal_word_bits("rc4_pipe", N, K, KEY_BYTES, N / 8);

  subtype word_t is unsigned(W - 1 downto 0);
  subtype words_t is std_logic_vector(K * W - 1 downto 0);

  -- e of j = 0 in front of the first group, as the base of its additions.
  constant BASE : word_t := to_unsigned(3 * K mod N, W);

  -- The group whose j are computed in this clock.
  signal x      : words_t;   -- S[i], as far as the groups ahead of the one in stage 0 tell
  signal add0   : word_t;    -- what its first round adds to j: x and key; x is zero in a stream's first
  signal key    : words_t;   -- its words of the key; K is taken off the first, for the turn
  signal valid  : std_logic;
  signal last   : std_logic; -- of the key schedule
  signal first  : std_logic; -- of the stream
  signal stream : std_logic; -- it gives keystream

  -- The group in stage 0 of the rotor.
  signal e0, x0, e, xs : words_t;
  signal base_e        : word_t;
  signal live, z_live  : std_logic;

  signal turns : natural range 0 to N / K - 1;  -- of the key schedule
  signal done  : std_logic;                     -- this is its last

  signal go : std_logic;  -- every group goes on in this clock

  signal wipe, held, busy, step, stop : std_logic;
  signal x_ahead, x_patched, key_words, z_group        : words_t;
  signal group_valid, z_valid               : std_logic;

  function word(v : words_t; r : natural) return word_t is
  begin
    return unsigned(v((r + 1) * W - 1 downto r * W));
  end function;
begin

  wipe <= rst_i or clear_i;
  step <= (ce_i and go) or held;

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

      if held = '1' then
        go <= '1';
      elsif ce_i = '1' then
        go <= not stop;
      end if;

      if step = '1' then
        x      <= x_patched;
        add0   <= (word(x_patched, 0) and (word_t'range => busy or stream)) + word(key_words, 0) - K;
        key    <= key_words;
        key(W - 1 downto 0) <= std_logic_vector(word(key_words, 0) - K);
        valid  <= '1';
        last   <= busy and done;
        first  <= not busy and not stream;
        stream <= not busy;
        done   <= '1' when turns = N / K - 2 else '0';
        if busy = '1' and done = '0' then
          turns <= turns + 1;
        else
          turns <= 0;
        end if;
        if held = '1' then
          done   <= '0';
          valid  <= '0';
          first  <= '0';
          stream <= '0';
          turns  <= 0;
        end if;
      end if;
    end if;
  end process;

  -- Between x_ahead and x: the value that the group in stage 0 puts there.
  patch : process (all)
    variable v : word_t;
  begin
    for r in 0 to K - 1 loop
      v := word(x_ahead, r);
      for m in 0 to K - 1 loop
        if word(e0, m) = (4 * K + r) mod N and live = '1' then
          v := word(x0, m);
        end if;
      end loop;
      x_patched((r + 1) * W - 1 downto r * W) <= std_logic_vector(v);
    end loop;
  end process;

  next_j : process (all)
    variable ev, xv : word_t;
    variable hit    : std_logic;
    variable other  : word_t;
  begin
    for r in 0 to K - 1 loop
      -- The value that the group in stage 0 may have put into S[i] since x was read.
      hit   := '0';
      other := (others => '0');
      for m in 0 to K - 1 loop
        if word(e0, m) = (3 * K + r) mod N and live = '1' then
          hit   := '1';
          other := word(x0, m);
        end if;
      end loop;
      if r = 0 then
        -- Both sums are formed in parallel, then one is chosen. This is the critical path for K =
        -- 1, where a hit determines base_e.
        ev := base_e + add0;
        xv := word(x, 0);
        if hit = '1' then
          xv := other;
          if first = '0' then
            ev := base_e + other + word(key, 0);
            if K = 1 then
              ev := other + word(key, 0) + BASE;
            end if;
          end if;
        end if;
      else
        xv := word(x, r);
        if hit = '1' then
          xv := other;
        end if;
        for m in 0 to r - 1 loop
          if word(e, m) = 2 * K + r then
            xv := word(xs, m);
          end if;
        end loop;
        ev := word(e, r - 1) + xv + word(key, r);
      end if;
      e((r + 1) * W - 1 downto r * W)  <= std_logic_vector(ev);
      xs((r + 1) * W - 1 downto r * W) <= std_logic_vector(xv);
    end loop;
  end process;

  stage0 : process (clk_i)
  begin
    if rising_edge(clk_i) then
      if step = '1' then
        e0     <= e;
        x0     <= xs;
        live   <= valid;
        z_live <= valid and stream;
        if valid = '1' and last = '0' then
          base_e <= word(e, K - 1);
        else
          base_e <= BASE;
        end if;
        if held = '1' then
          live   <= '0';
          z_live <= '0';
        end if;
      end if;
    end if;
  end process;

  rotor : entity work.rc4_rotor
    generic map (N => N, K => K, AHEAD => 2)
    port map (
      clk_i => clk_i, step_i => step, rst_i => held,
      live_i => live, z_i => z_live, e_i => e0, x_i => x0, x_o => x_ahead,
      z_o => z_group, z_valid_o => group_valid
    );

  keystream : entity work.rc4_out
    generic map (N => N, K => K)
    port map (
      clk_i => clk_i, rst_i => held, ce_i => ce_i, step_i => step,
      group_i => z_group, valid_i => group_valid, stop_o => stop,
      z_o => z_o, z_valid_o => z_valid, z_ready_i => z_ready_i
    );

  busy_o    <= busy;
  z_valid_o <= z_valid and ce_i and not held;

end architecture;
