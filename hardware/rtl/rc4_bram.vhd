-- SPDX-License-Identifier: MIT OR Apache-2.0
-- RC4 for small FPGAs: three clocks a byte, with the table in a block RAM of one read and one write
-- port.
--
--   phase 0   read S[i];                      write S[i] <- y of the round before; take its S[t]
--   phase 1   x = what was read;  j += x + key;  read S[j]
--   phase 2   y = what was read;  read S[x + y];  write S[j] <- x
--
-- A RAM's output comes late in the clock. So one adder forms the addresses of S[j] and S[t], from the RAM's output and a register
-- that holds j + key, then x. Write data and write addresses come from registers. Only the read of S[t] can collide with a write,
-- in the same clock or a later one. Then x or y is forwarded, and the RAM's output is ignored. A round of the
-- key schedule also takes three clocks. The first word of a key, or a wipe, fills the table with the identity in N clocks.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.rc4_pkg.all;

entity rc4_bram is
  generic (
    N         : positive := 256;  -- cells of the table: 8, 16, 32, 64, 128 or 256
    K         : positive := 1;    -- words a transfer; 1 is all there is
    KEY_BYTES : positive := 16;   -- words of the key, 1 to N
    VARIABLE_KEY : boolean := false  -- key_last_i ends a key of fewer words than KEY_BYTES
  );
  port (
    clk_i       : in  std_logic;  -- rising edge
    rst_i       : in  std_logic;  -- synchronous; wipes key and output, and the table in N clocks
    ce_i        : in  std_logic;  -- clock enable; low: nothing changes, ready and valid are low
    clear_i     : in  std_logic;  -- as rst_i, for a command to wipe
    key_i       : in  std_logic_vector(word_bits(N) - 1 downto 0);  -- the next word of the key
    key_valid_i : in  std_logic;  -- key_i holds a word
    key_last_i  : in  std_logic := '0';  -- it is the last one; only with VARIABLE_KEY
    key_ready_o : out std_logic;  -- a word is taken when both are high; it ends the stream
    busy_o      : out std_logic;  -- the key schedule runs, or what goes before it
    z_o         : out std_logic_vector(K * word_bits(N) - 1 downto 0);  -- a word of keystream
    z_valid_o   : out std_logic;  -- z_o holds a word
    z_ready_i   : in  std_logic   -- it is taken when both are high
  );
end entity;

architecture rtl of rc4_bram is
  constant W : positive := legal_word_bits("rc4_bram", N, K, KEY_BYTES, 1);

  subtype word_t is unsigned(W - 1 downto 0);
  type table_t is array (0 to N - 1) of word_t;

  signal s            : table_t;
  signal at           : word_t;     -- what the last read found
  signal read_a       : word_t;     -- addresses
  signal write_a      : word_t;
  signal write_d      : word_t;     -- in phase 2 x, in phase 0 y
  signal write_e      : std_logic;

  signal filling      : std_logic;  -- the table becomes the identity
  signal fresh        : std_logic;  -- it is, or is about to be: no round was done
  signal phase        : std_logic_vector(0 to 2);  -- one of them is high
  signal i, j         : word_t;
  signal base         : word_t;     -- j + key in phase 1, x in phases 2 and 0
  signal t            : word_t;     -- in phase 0
  signal z_due        : std_logic;  -- S[t] is being read
  signal stream       : std_logic;
  signal z            : word_t;
  signal z_valid      : std_logic;

  signal wipe, take, busy, step, turn, last : std_logic;
  signal key                                : std_logic_vector(W - 1 downto 0);
  signal sum                                : word_t;  -- j in phase 1, t in phase 2
begin

  wipe <= rst_i or clear_i;
  take <= key_valid_i and not busy;
  step <= ce_i and (z_ready_i or not z_valid) and not filling and (busy or stream);
  turn <= step and phase(2);
  last <= '1' when i = N - 1 else '0';

  key_box : entity work.rc4_key
    generic map (N => N, K => K, KEY_BYTES => KEY_BYTES, VARIABLE_KEY => VARIABLE_KEY)
    port map (
      clk_i => clk_i, rst_i => wipe, ce_i => ce_i,
      key_i => key_i, key_valid_i => key_valid_i, key_last_i => key_last_i, key_ready_o => key_ready_o,
      turn_i => turn, done_i => last, busy_o => busy, words_o => key
    );

  sum <= base + at;

  -- While the table is filled, cell 0 is read, so that `at` soon holds no value of the old table.
  read_a <= (others => '0') when filling = '1' else i when phase(0) = '1' else sum;

  block_ram : process (clk_i)
  begin
    if rising_edge(clk_i) then
      if write_e = '1' then
        s(to_integer(write_a)) <= write_d;
      end if;
      if step = '1' or filling = '1' then
        at <= s(to_integer(read_a));
      end if;
    end if;
  end process;

  process (clk_i)
  begin
    if rising_edge(clk_i) then
      write_e <= '0';
      if wipe = '1' or (ce_i = '1' and take = '1' and fresh = '0') then
        filling <= '1';
        fresh   <= '1';
        phase   <= "100";
        i       <= to_unsigned(1, W);
        j       <= (others => '0');
        base    <= (others => '0');
        t       <= (others => '0');
        write_e <= '1';  -- cell 0 is the first to be filled
        write_a <= (others => '0');
        write_d <= (others => '0');
        z_due   <= '0';
        stream  <= '0';
        z       <= (others => '0');
        z_valid <= '0';
      elsif filling = '1' then
        write_e <= '1';
        write_a <= i;
        write_d <= i;
        i       <= i + 1;
        if last = '1' then
          filling <= '0';
        end if;
      elsif step = '1' then
        fresh   <= '0';
        phase   <= phase(2) & phase(0 to 1);
        write_e <= not phase(0);
        write_d <= at;
        if phase(0) = '1' then
          base    <= j + unsigned(key);
          z_valid <= z_due;
          if z_due = '1' then
            z <= base when t = j else write_d when t = write_a else at;
          end if;
        elsif phase(1) = '1' then
          base    <= at;
          j       <= sum;
          write_a <= sum;
          z_valid <= '0';
        else
          t       <= sum;
          write_a <= i;
          z_due   <= stream;
          i       <= i + 1;
          if busy = '1' and last = '1' then
            stream <= '1';
            i      <= to_unsigned(1, W);
            j      <= (others => '0');
          end if;
        end if;
      elsif ce_i = '1' and z_ready_i = '1' then
        z_valid <= '0';
      end if;
    end if;
  end process;

  busy_o    <= busy;
  z_o       <= std_logic_vector(z);
  z_valid_o <= z_valid and ce_i;

end architecture;
