-- RC4, K rounds a clock by priority forwarding.
--
-- Round k reads the table as it was before the clock, and takes from the rounds m < k of the same
-- clock what they wrote since: the latest write to a cell wins. That is 5K(K-1)/2 comparisons of
-- words, not one case for each of their outcomes. A second stage reads the K words of keystream
-- from the table of the clock after, and undoes what rounds m > k wrote: the earliest of them wins.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.rc4_pkg.all;

entity rc4_unroll is
  generic (
    N         : positive := 256;  -- cells of the table: 8, 16, 32, 64, 128 or 256
    K         : positive := 1;    -- rounds a clock: a power of two, up to N / 2
    KEY_BYTES : positive := 16    -- words of the key, 1 to N
  );
  port (
    clk_i       : in  std_logic;  -- rising edge
    rst_i       : in  std_logic;  -- synchronous; wipes key, table and output, whatever ce_i says
    ce_i        : in  std_logic;  -- clock enable; low: nothing changes, ready and valid are low
    clear_i     : in  std_logic;  -- as rst_i, for a command to wipe
    key_i       : in  std_logic_vector(word_bits(N) - 1 downto 0);  -- the next word of the key
    key_valid_i : in  std_logic;  -- key_i holds a word
    key_ready_o : out std_logic;  -- a word is taken when both are high; it ends the stream
    busy_o      : out std_logic;  -- the key schedule runs
    z_o         : out std_logic_vector(K * word_bits(N) - 1 downto 0);  -- K words of keystream, the
                                                              -- first one lowest
    z_valid_o   : out std_logic;  -- z_o holds K words
    z_ready_i   : in  std_logic   -- they are taken when both are high
  );
end entity;

architecture rtl of rc4_unroll is
  constant W : positive := legal_word_bits("rc4_unroll", N, K, KEY_BYTES, N / 2);

  subtype word_t is unsigned(W - 1 downto 0);
  type words_t is array (natural range <>) of word_t;

  signal s      : words_t(0 to N - 1);
  signal i      : word_t;     -- index of the first round of this clock
  signal j      : word_t;
  signal stream : std_logic;  -- the key schedule is done

  -- What the second stage knows of its K rounds.
  signal is2, js2, xs2, ys2, ts2 : words_t(0 to K - 1);
  signal valid2                  : std_logic;

  signal z       : std_logic_vector(K * W - 1 downto 0);
  signal z_valid : std_logic;

  signal wipe, take, busy, step, last : std_logic;
  signal key                          : std_logic_vector(K * W - 1 downto 0);
begin

  key_box : entity work.rc4_key
    generic map (N => N, K => K, KEY_BYTES => KEY_BYTES)
    port map (
      clk_i => clk_i, rst_i => wipe, ce_i => ce_i,
      key_i => key_i, key_valid_i => key_valid_i, key_ready_o => key_ready_o,
      turn_i => '1', done_i => last, busy_o => busy, words_o => key
    );

  wipe <= rst_i or clear_i;
  take <= key_valid_i and not busy;
  step <= z_ready_i or not z_valid;  -- the output has room
  last <= '1' when i = N - K else '0';

  process (clk_i)
    variable is1, js1, xs1, ys1 : words_t(0 to K - 1);
    variable v                  : word_t;
  begin
    if rising_edge(clk_i) then
      if wipe = '1' or (ce_i = '1' and take = '1') then
        for m in 0 to N - 1 loop
          s(m) <= to_unsigned(m, W);
        end loop;
        i       <= (others => '0');
        j       <= (others => '0');
        stream  <= '0';
        valid2  <= '0';
        z_valid <= '0';
        is2     <= (others => (others => '0'));
        js2     <= (others => (others => '0'));
        xs2     <= (others => (others => '0'));
        ys2     <= (others => (others => '0'));
        ts2     <= (others => (others => '0'));
        z       <= (others => '0');
      elsif ce_i = '1' and (busy = '1' or (stream = '1' and step = '1')) then
        for r in 0 to K - 1 loop
          is1(r) := i + r;
          v      := s(to_integer(is1(r)));
          for m in 0 to r - 1 loop
            if js1(m) = is1(r) then
              v := xs1(m);
            end if;
          end loop;
          xs1(r) := v;
          if r = 0 then
            js1(r) := j + v + unsigned(key(W - 1 downto 0));
          else
            js1(r) := js1(r - 1) + v + unsigned(key((r + 1) * W - 1 downto r * W));
          end if;
          v := s(to_integer(js1(r)));
          for m in 0 to r - 1 loop
            if js1(r) = is1(m) then
              v := ys1(m);
            end if;
            if js1(r) = js1(m) then
              v := xs1(m);
            end if;
          end loop;
          ys1(r) := v;
          ts2(r) <= xs1(r) + ys1(r);
        end loop;

        for r in 0 to K - 1 loop
          s(to_integer(is1(r))) <= ys1(r);
          s(to_integer(js1(r))) <= xs1(r);
        end loop;
        is2 <= is1;
        js2 <= js1;
        xs2 <= xs1;
        ys2 <= ys1;
        i   <= i + K;
        j   <= js1(K - 1);

        valid2  <= stream;
        z_valid <= valid2;
        for r in 0 to K - 1 loop
          v := s(to_integer(ts2(r)));
          for m in K - 1 downto r + 1 loop
            if ts2(r) = js2(m) then
              v := ys2(m);
            end if;
            if ts2(r) = is2(m) then
              v := xs2(m);
            end if;
          end loop;
          z((r + 1) * W - 1 downto r * W) <= std_logic_vector(v);
        end loop;

        if busy = '1' and last = '1' then
          stream <= '1';
          i      <= to_unsigned(1, W);
          j      <= (others => '0');
        end if;
      end if;
    end if;
  end process;

  busy_o    <= busy;
  z_o       <= z;
  z_valid_o <= z_valid and ce_i;

end architecture;
