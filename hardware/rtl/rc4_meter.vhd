-- SPDX-License-Identifier: MIT OR Apache-2.0
-- Keystream in single bytes: takes K bytes a transfer from a core, and gives the bus 0 to K bytes a
-- clock. Drops the first bytes on request.
--
-- The bytes do not move within their words. `place_o` is the place of the next byte in the window of
-- 2K bytes. Only this number and whole words of K bytes change. So the feedback loop is one addition
-- of log2 K bits; the consumer selects the bytes in a separate pipeline stage.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.rc4_pkg.all;

entity rc4_meter is
  generic (
    K : positive := 2  -- bytes a transfer: a power of two
  );
  port (
    clk_i     : in  std_logic;  -- rising edge
    rst_i     : in  std_logic;  -- synchronous; forget the keystream: a new key
    drop_i    : in  unsigned(15 downto 0);  -- bytes to drop from here on; read while rst_i is high
    z_i       : in  std_logic_vector(8 * K - 1 downto 0);  -- K bytes, the first one lowest
    z_valid_i : in  std_logic;  -- z_i holds K bytes
    z_ready_o : out std_logic;  -- they are taken when both are high; a register
    window_o  : out std_logic_vector(16 * K - 1 downto 0);  -- 2K bytes, the first one lowest
    place_o   : out unsigned(log2(2 * K) - 1 downto 0);  -- the next byte is this one, 0 to K - 1
    valid_o   : out std_logic;  -- the window is full
    take_i    : in  std_logic;  -- use bytes at this edge, if valid
    use_i     : in  unsigned(log2(2 * K) - 1 downto 0)  -- how many, 0 to K
  );
end entity;

architecture rtl of rc4_meter is
  constant B : positive := log2(2 * K);  -- bits of a place; the highest tells that a word is used up

  subtype word_t is std_logic_vector(8 * K - 1 downto 0);

  signal fresh, low, high          : word_t;     -- the word after the window, and the window
  signal fresh_valid, fresh_taken  : std_logic;
  signal low_valid, high_valid     : std_logic;
  signal place, next_place         : unsigned(B - 1 downto 0);
  signal words                     : unsigned(16 - B downto 0);  -- to drop
  signal dropping                  : std_logic;  -- there are some
  signal full, turn                : std_logic;
begin

  buffered : entity work.rc4_skid
    generic map (BITS => 8 * K)
    port map (
      clk_i => clk_i, rst_i => rst_i,
      data_i => z_i, valid_i => z_valid_i, ready_o => z_ready_o,
      data_o => fresh, valid_o => fresh_valid, ready_i => fresh_taken
    );

  full        <= low_valid and high_valid;
  next_place  <= place + use_i;
  turn        <= full and take_i and next_place(B - 1);
  fresh_taken <= turn or not full or dropping;

  process (clk_i)
  begin
    if rising_edge(clk_i) then
      if rst_i = '1' then
        low        <= (others => '0');
        high       <= (others => '0');
        low_valid  <= '0';
        high_valid <= '0';
        words      <= drop_i(15 downto B - 1);
        dropping   <= or drop_i(15 downto B - 1);
        place      <= (others => '0');
        place(B - 1 downto 0) <= resize(drop_i, B);
        place(B - 1) <= '0';
      else
        if turn = '1' or low_valid = '0' then
          low       <= high;
          low_valid <= high_valid;
        end if;
        if turn = '1' or full = '0' then
          high       <= fresh;
          high_valid <= fresh_valid and not dropping;
        end if;
        if take_i = '1' and full = '1' then
          place        <= next_place;
          place(B - 1) <= '0';
        end if;
        if dropping = '1' and fresh_valid = '1' then
          words <= words - 1;
          if words = 1 then
            dropping <= '0';
          end if;
        end if;
      end if;
    end if;
  end process;

  window_o <= high & low;
  place_o  <= place;
  valid_o  <= full;

end architecture;
