-- SPDX-License-Identifier: MIT OR Apache-2.0
-- The K-box: takes the key word by word, holds it while the key schedule runs, then wipes it.
--
-- The words rotate past fixed cells, K a clock, so no multiplexer reads them. Outside the key
-- schedule `words_o` is zero, so that a core adds it to j in every round, without a case for the
-- keystream.
--
-- With VARIABLE_KEY a key may be shorter than KEY_BYTES. Cell m then holds word m of the repeated key. At each rotation cell m
-- takes word m + K, from the cell that holds this word for the current key length. The first K cells do the same with a key
-- shorter than K. Only these cells are read, so the output needs no multiplexer. While a key is loading, these
-- cells already hold the words for a key that ends at this point.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.rc4_pkg.all;

entity rc4_key is
  generic (
    N         : positive := 256;  -- cells of the table: 8, 16, 32, 64, 128 or 256
    K         : positive := 1;    -- rounds of the key schedule a turn
    KEY_BYTES : positive := 16;   -- words of the key, 1 to N
    VARIABLE_KEY : boolean := false  -- key_last_i ends a key of fewer words
  );
  port (
    clk_i       : in  std_logic;  -- rising edge
    rst_i       : in  std_logic;  -- wipe, whatever ce_i says
    ce_i        : in  std_logic;  -- low: nothing changes
    key_i       : in  std_logic_vector(word_bits(N) - 1 downto 0);  -- the next word of the key
    key_valid_i : in  std_logic;  -- key_i holds a word
    key_last_i  : in  std_logic;  -- it is the last one; only with VARIABLE_KEY
    key_ready_o : out std_logic;  -- a word is taken when both are high
    turn_i      : in  std_logic;  -- K rounds are done: turn
    done_i      : in  std_logic;  -- with the last turn: wipe the key, take the next
    busy_o      : out std_logic;  -- the key is complete, the schedule runs
    words_o     : out std_logic_vector(K * word_bits(N) - 1 downto 0)  -- of the next K rounds,
                                                              -- the first one lowest
  );
end entity;

architecture rtl of rc4_key is
  constant W : positive := legal_word_bits("rc4_key", N, K, KEY_BYTES, N / 2);

  -- K of them are read, of a key of any length.
  function cells return positive is
  begin
    if VARIABLE_KEY then
      return maximum(K, KEY_BYTES);
    end if;
    return KEY_BYTES;
  end function;

  type words_t is array (0 to cells - 1) of std_logic_vector(W - 1 downto 0);
  signal words, turned : words_t;
  signal taken         : natural range 0 to KEY_BYTES - 1;
  signal busy          : std_logic;
  signal longer        : std_logic_vector(0 to KEY_BYTES - 1);  -- the key has more than m words, as far as it is loaded
  signal complete      : std_logic;                             -- with this word
begin

  complete <= '1' when taken = KEY_BYTES - 1 or (VARIABLE_KEY and key_last_i = '1') else '0';

  fixed : if not VARIABLE_KEY generate
    process (all)
    begin
      for m in 0 to KEY_BYTES - 1 loop
        turned(m) <= words((m + K) mod KEY_BYTES);
      end loop;
      for m in 0 to K - 1 loop
        words_o((m + 1) * W - 1 downto m * W) <=
          words(m mod KEY_BYTES) when busy = '1' else (others => '0');
      end loop;
    end process;
  end generate;

  varying : if VARIABLE_KEY generate
    process (all)
      variable is_length : std_logic_vector(0 to KEY_BYTES);  -- that many words are there
      variable v, load   : std_logic_vector(W - 1 downto 0);
    begin
      is_length := ('1' & longer) and not (longer & '0');
      for m in words'range loop
        -- The word that a rotation puts here. For a key of more than m + K words it comes from K
        -- cells ahead.
        v := (others => '0');
        if m + K < KEY_BYTES then
          v := words(m + K) and (v'range => longer(m + K));
        end if;
        for length in 1 to minimum(m + K, KEY_BYTES) loop
          if m < K or m < length then
            v := v or (words((m + K) mod length) and (v'range => is_length(length)));
          end if;
        end loop;
        -- And the word here after key_i has made the key `length` words long. Cells beyond this length and the
        -- first K are don't-cares.
        load := key_i;
        if m < K then
          load := (others => '0');
          for length in 1 to minimum(m + 1, KEY_BYTES) loop
            if (m + 1) mod length = 0 then
              load := load or (key_i and (v'range => is_length(length - 1)));
            else
              load := load or (words(m mod length) and (v'range => is_length(length - 1)));
            end if;
          end loop;
        end if;
        if m < KEY_BYTES then
          if longer(m) = '1' then
            load := words(m);
          end if;
        end if;
        turned(m) <= v when busy = '1' else load;
      end loop;
      for m in 0 to K - 1 loop
        words_o((m + 1) * W - 1 downto m * W) <= words(m) and (v'range => busy);
      end loop;
    end process;
  end generate;

  process (clk_i)
  begin
    if rising_edge(clk_i) then
      if rst_i = '1' then
        words     <= (others => (others => '0'));
        taken     <= 0;
        busy      <= '0';
        longer    <= (others => '0');
      elsif ce_i = '1' then
        if busy = '0' and key_valid_i = '1' then
          if VARIABLE_KEY then
            words  <= turned;
            longer <= '1' & longer(0 to KEY_BYTES - 2);
          else
            for m in 0 to KEY_BYTES - 2 loop
              words(m) <= words(m + 1);
            end loop;
            words(KEY_BYTES - 1) <= key_i;
          end if;
          if complete = '1' then
            taken <= 0;
            busy  <= '1';
          elsif KEY_BYTES > 1 then
            taken <= taken + 1;
          end if;
        elsif busy = '1' and turn_i = '1' then
          words <= turned;
          if done_i = '1' then
            words <= (others => (others => '0'));
            busy  <= '0';
            if VARIABLE_KEY then
              longer <= (others => '0');
            end if;
          end if;
        end if;
      end if;
    end if;
  end process;

  key_ready_o <= ce_i and not busy;
  busy_o      <= busy;

end architecture;
