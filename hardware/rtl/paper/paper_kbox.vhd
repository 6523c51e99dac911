-- SPDX-License-Identifier: MIT OR Apache-2.0
-- The K-box: a bank of KEY_BYTES registers, its read multiplexers, and their counters modulo the
-- length of the key (section 2.3). A key is taken word by word into a chain of registers; the paper
-- leaves open how its key gets there.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.paper_pkg.all;

entity paper_kbox is
  generic (
    W         : positive;  -- bits of a word
    KEY_BYTES : positive;  -- words of the key
    READS     : positive   -- words read in a clock: rounds of the key schedule
  );
  port (
    clk_i       : in  std_logic;  -- rising edge
    rst_i       : in  std_logic;  -- wipe, whatever ce_i says
    ce_i        : in  std_logic;  -- low: nothing changes
    key_i       : in  std_logic_vector(W - 1 downto 0);  -- the next word of the key
    key_valid_i : in  std_logic;  -- key_i holds a word
    key_ready_o : out std_logic;  -- a word is taken when both are high
    done_i      : in  std_logic;  -- the last rounds of the key schedule: wipe the key, take the next
    busy_o      : out std_logic;  -- the key is complete: the key schedule runs
    words_o     : out words_t(0 to READS - 1)(W - 1 downto 0)  -- for the rounds of this clock
  );
end entity;

architecture rtl of paper_kbox is
  subtype index_t is natural range 0 to KEY_BYTES - 1;

  signal words : words_t(0 to KEY_BYTES - 1)(W - 1 downto 0);
  signal count : index_t;  -- words taken; then the index of the first word of this clock
  signal busy  : std_logic;

  function plus(a : index_t; b : natural) return index_t is
    constant sum : natural range 0 to 2 * KEY_BYTES - 2 := a + b mod KEY_BYTES;
  begin
    if sum >= KEY_BYTES then
      return sum - KEY_BYTES;
    end if;
    return sum;
  end function;
begin

  process (clk_i)
  begin
    if rising_edge(clk_i) then
      if rst_i = '1' then
        words <= (others => (others => '0'));
        count <= 0;
        busy  <= '0';
      elsif ce_i = '1' then
        if busy = '1' then
          count <= plus(count, READS);
          if done_i = '1' then
            words <= (others => (others => '0'));
            count <= 0;
            busy  <= '0';
          end if;
        elsif key_valid_i = '1' then
          for m in 0 to KEY_BYTES - 2 loop
            words(m) <= words(m + 1);
          end loop;
          words(KEY_BYTES - 1) <= unsigned(key_i);
          count <= plus(count, 1);
          if count = KEY_BYTES - 1 then
            busy <= '1';
          end if;
        end if;
      end if;
    end if;
  end process;

  key_ready_o <= ce_i and not busy;
  busy_o      <= busy;

  read_ports : for r in 0 to READS - 1 generate
    words_o(r) <= words(plus(count, r));
  end generate;

end architecture;
