-- SPDX-License-Identifier: MIT OR Apache-2.0
-- RC4, K rounds a clock by priority forwarding. Their keystream is read in the next clock.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.rc4_pkg.all;

entity rc4_unroll is
  generic (
    N         : positive := 256;  -- cells of the table: 8, 16, 32, 64, 128 or 256
    K         : positive := 1;    -- rounds a clock: a power of two, up to N / 2
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

architecture rtl of rc4_unroll is
  constant W : positive := legal_word_bits("rc4_unroll", N, K, KEY_BYTES, N / 2);

  subtype table_t is std_logic_vector(N * W - 1 downto 0);
  subtype words_t is std_logic_vector(K * W - 1 downto 0);

  signal s, s_after : table_t;
  signal i          : unsigned(W - 1 downto 0);  -- of the first round of this clock
  signal i_word, j  : std_logic_vector(W - 1 downto 0);
  signal stream     : std_logic;  -- the key schedule is done

  -- The rounds of this clock, and of the one before.
  signal is1, js1, xs1, ys1      : words_t;
  signal is2, js2, xs2, ys2, ts2 : words_t;
  signal valid2                  : std_logic;

  signal z, z_read : words_t;
  signal z_valid   : std_logic;

  signal wipe, take, busy, step, last : std_logic;
  signal key                          : words_t;
begin

  wipe <= rst_i or clear_i;
  take <= key_valid_i and not busy;
  step <= busy or (stream and (z_ready_i or not z_valid));
  last <= '1' when i = N - K else '0';

  i_word <= std_logic_vector(i);

  key_box : entity work.rc4_key
    generic map (N => N, K => K, KEY_BYTES => KEY_BYTES, VARIABLE_KEY => VARIABLE_KEY)
    port map (
      clk_i => clk_i, rst_i => wipe, ce_i => ce_i,
      key_i => key_i, key_valid_i => key_valid_i, key_last_i => key_last_i, key_ready_o => key_ready_o,
      turn_i => '1', done_i => last, busy_o => busy, words_o => key
    );

  rounds : entity work.rc4_rounds
    generic map (N => N, K => K)
    port map (
      s_i => s, i_i => i_word, j_i => j, key_i => key,
      s_o => s_after, i_o => is1, j_o => js1, x_o => xs1, y_o => ys1
    );

  reads : entity work.rc4_reads
    generic map (N => N, K => K)
    port map (
      s_i => s, i_i => is2, j_i => js2, x_i => xs2, y_i => ys2, t_i => ts2, z_o => z_read
    );

  process (clk_i)
  begin
    if rising_edge(clk_i) then
      if wipe = '1' or (ce_i = '1' and take = '1') then
        -- Cell by cell, because GHDL 2.0 writes a constant of the whole table as text, which synthesises
        -- wrongly.
        for c in 0 to N - 1 loop
          s((c + 1) * W - 1 downto c * W) <= std_logic_vector(to_unsigned(c, W));
        end loop;
        i       <= (others => '0');
        j       <= (others => '0');
        stream  <= '0';
        valid2  <= '0';
        z_valid <= '0';
        is2     <= (others => '0');
        js2     <= (others => '0');
        xs2     <= (others => '0');
        ys2     <= (others => '0');
        ts2     <= (others => '0');
        z       <= (others => '0');
      elsif ce_i = '1' and step = '1' then
        s   <= s_after;
        i   <= i + K;
        j   <= js1(K * W - 1 downto (K - 1) * W);
        is2 <= is1;
        js2 <= js1;
        xs2 <= xs1;
        ys2 <= ys1;
        for r in 0 to K - 1 loop
          ts2((r + 1) * W - 1 downto r * W) <= std_logic_vector(
            unsigned(xs1((r + 1) * W - 1 downto r * W)) + unsigned(ys1((r + 1) * W - 1 downto r * W)));
        end loop;
        valid2  <= stream;
        z_valid <= valid2;
        if valid2 = '1' then
          z <= z_read;
        end if;
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
