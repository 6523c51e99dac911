-- SPDX-License-Identifier: MIT OR Apache-2.0
-- Matthews' four-stage pipeline (the paper's reference [17], US patent 7403615; its table 3). It
-- has the bypasses that the patent's "coherency checking" needs and table 3 does not show.
--
--   1  i
--   2  read S[i], j = j + S[i] + K[i]
--   3  read S[j], t = S[i] + S[j], write S[i] into S[j]
--   4  read S[t], write S[j] into S[i]
--
-- A round in stage 2 reads before the round in stage 3 writes. A round in stage 3 or 4 reads when the round
-- in stage 4 has written half. Three comparisons correct the values: i with the j of stage 3, j with the i
-- of stage 4, t with its own i. If stages 3 and 4 write one cell, stage 3 has the later round. The key
-- schedule and the keystream use the same four stages, as in the patent.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.rc4_pkg.all;
use work.paper_pkg.all;

entity rc4_matthews is
  generic (
    N         : positive := 256;  -- cells of the table: 8, 16, 32, 64, 128 or 256
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
    z_o         : out std_logic_vector(word_bits(N) - 1 downto 0);  -- a word
    z_valid_o   : out std_logic;  -- z_o holds keystream
    z_ready_i   : in  std_logic   -- it is taken when both are high
  );
end entity;

architecture rtl of rc4_matthews is
  constant W : positive := legal_word_bits("rc4_matthews", N, 1, KEY_BYTES, 1);

  subtype word_t is unsigned(W - 1 downto 0);

  signal s : words_t(0 to N - 1)(W - 1 downto 0);

  signal wipe, start, step, run, busy, last, stream : std_logic;
  signal key                                        : words_t(0 to 0)(W - 1 downto 0);

  -- Named by the stage that reads them. A round is live in the stages it has reached, and one of the
  -- stream gives keystream.
  signal i1, i2, i3, i4         : word_t;
  signal live2, live3, live4    : std_logic;
  signal given2, given3, given4 : std_logic;
  signal first2                 : std_logic;  -- of the stream: j begins at 0
  signal key2                   : word_t;
  signal j                      : word_t;  -- of the last round that was in stage 2
  signal si3, j3                : word_t;
  signal sj4, t4                : word_t;
  signal x, j_next, y           : word_t;
  signal z_valid                : std_logic;
begin

  wipe  <= rst_i or clear_i;
  start <= wipe or (ce_i and key_valid_i and not busy);
  run   <= busy or stream;
  step  <= ce_i and (z_ready_i or not z_valid);
  last  <= '1' when i1 = N - 1 else '0';

  k_box : entity work.paper_kbox
    generic map (W => W, KEY_BYTES => KEY_BYTES, READS => 1)
    port map (
      clk_i => clk_i, rst_i => wipe, ce_i => ce_i,
      key_i => key_i, key_valid_i => key_valid_i, key_ready_o => key_ready_o,
      done_i => last, busy_o => busy, words_o => key
    );

  -- Stage 2.
  x      <= si3 when live3 = '1' and i2 = j3 else s(to_integer(i2));
  j_next <= sum3(j and (j'range => not first2), x, key2);
  -- Stage 3.
  y      <= sj4 when live4 = '1' and j3 = i4 else s(to_integer(j3));

  process (clk_i)
  begin
    if rising_edge(clk_i) then
      if start = '1' then
        i1      <= (others => '0');
        i2      <= (others => '0');
        i3      <= (others => '0');
        i4      <= (others => '0');
        live2   <= '0';
        live3   <= '0';
        live4   <= '0';
        given2  <= '0';
        given3  <= '0';
        given4  <= '0';
        first2  <= '0';
        key2    <= (others => '0');
        j       <= (others => '0');
        si3     <= (others => '0');
        j3      <= (others => '0');
        sj4     <= (others => '0');
        t4      <= (others => '0');
        stream  <= '0';
        z_o     <= (others => '0');
        z_valid <= '0';
      elsif step = '1' then
        live2 <= run;
        if run = '1' then
          i1     <= i1 + 1;
          i2     <= i1;
          given2 <= stream;
          first2 <= stream and not given2;
          key2   <= key(0) and (word_t'range => busy);
          if busy = '1' and last = '1' then
            stream <= '1';
            i1     <= to_unsigned(1, W);
          end if;
        end if;
        live3  <= live2;
        given3 <= given2;
        i3     <= i2;
        if live2 = '1' then
          j   <= j_next;
          j3  <= j_next;
          si3 <= x;
        end if;
        live4  <= live3;
        given4 <= given3;
        i4     <= i3;
        sj4    <= y;
        t4     <= si3 + y;
        z_valid <= live4 and given4;
        if live4 = '1' and given4 = '1' then
          z_o <= std_logic_vector(s(to_integer(t4)));
          if t4 = i4 then
            z_o <= std_logic_vector(sj4);
          end if;
        end if;
      end if;
    end if;
  end process;

  cells : for m in 0 to N - 1 generate
    process (clk_i)
    begin
      if rising_edge(clk_i) then
        if start = '1' then
          s(m) <= to_unsigned(m, W);
        elsif step = '1' then
          if live3 = '1' and j3 = m then
            s(m) <= si3;
          elsif live4 = '1' and i4 = m then
            s(m) <= sj4;
          end if;
        end if;
      end if;
    end process;
  end generate;

  busy_o    <= busy;
  z_valid_o <= z_valid and ce_i;

end architecture;
