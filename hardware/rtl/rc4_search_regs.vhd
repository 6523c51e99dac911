-- SPDX-License-Identifier: MIT OR Apache-2.0
-- The registers of rc4_search_axil (registers/rc4.rdl), around rc4_search with tables of 256 cells.
--
-- An access is offered with valid_i and held until ready_o. Then it is done, or it is an error and changes nothing. At TEXT and
-- KEY it waits while a word of the key is processed, at most 15 clocks. If the array has not taken it by then, it is an error.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.rc4_search_regs_pkg.all;

entity rc4_search_regs is
  generic (
    KEY_BYTES  : positive := 16;  -- bytes of the longest key, 1 to 256
    TEXT_BYTES : positive := 16;  -- bytes of keystream that can be expected, 1 to 254
    ENGINES    : positive := 1;   -- a power of two, 1 to 256; a block RAM each
    HIT_WORDS  : positive := 64   -- bytes of found keys that can wait: a power of two, 2 or more
  );
  port (
    clk_i     : in  std_logic;  -- rising edge
    rst_i     : in  std_logic;  -- synchronous
    valid_i   : in  std_logic;  -- an access
    write_i   : in  std_logic;  -- it writes
    address_i : in  std_logic_vector(5 downto 0);  -- of a byte; the lowest two bits are ignored
    strobe_i  : in  std_logic_vector(3 downto 0);  -- the bytes to write
    data_i    : in  std_logic_vector(31 downto 0);
    ready_o   : out std_logic;  -- it is done when both are high
    error_o   : out std_logic;  -- and it was not allowed
    data_o    : out std_logic_vector(31 downto 0);  -- what was read
    interrupt_o : out std_logic  -- a register
  );
end entity;

architecture rtl of rc4_search_regs is
  constant PATIENCE : positive := 15;  -- clocks that an access waits for the array
  constant SORTING  : positive := 12;  -- clocks after which a key that was loaded is searched

  subtype word_t is std_logic_vector(31 downto 0);

  signal address          : natural range 0 to 63;
  signal taken, refused   : std_logic;  -- the access is done, or is an error
  signal read_word, status, enable, hit_word : word_t;
  signal clear            : std_logic;
  signal waited           : natural range 0 to PATIENCE;
  signal sorted           : natural range 0 to SORTING;  -- counts down after a byte of the key
  signal done, was_busy   : std_logic;
  signal batches_high     : word_t;     -- as they were when the low word was read

  signal text_valid, text_ready : std_logic;
  signal key_valid, key_ready   : std_logic;
  signal key_error, busy        : std_logic;
  signal batches                : std_logic_vector(63 downto 0);
  signal hit                    : std_logic_vector(7 downto 0);
  signal hit_end, hit_valid, hit_ready : std_logic;

  -- A field of a register.
  function field(value, low : natural) return word_t is
  begin
    return std_logic_vector(shift_left(to_unsigned(value, 32), low));
  end function;

  constant PARAMETERS : word_t :=
    field(ENGINES, PARAMETERS_ENGINES_LOW) or field(KEY_BYTES, PARAMETERS_KEY_BYTES_LOW)
    or field(TEXT_BYTES, PARAMETERS_TEXT_BYTES_LOW);
begin

  address <= to_integer(unsigned(std_logic_vector'(address_i(5 downto 2) & "00")));

  process (all)
  begin
    status <= (others => '0');
    status(STATUS_BUSY)          <= '1' when busy = '1' or sorted /= 0 else '0';
    status(STATUS_DONE)          <= done or (was_busy and not busy);  -- never neither done nor busy
    status(STATUS_KEY_ERROR)     <= key_error;
    status(STATUS_HIT_AVAILABLE) <= hit_valid;
  end process;

  process (all)
  begin
    hit_word <= (others => '0');
    hit_word(HIT_KEY_HIGH downto HIT_KEY_LOW) <= hit;
    hit_word(HIT_LAST) <= hit_end;
  end process;

  -- The result of an access; without a case, as in rc4_regs.
  read_word <=
    ID_RESET                when address = ID_ADDRESS else
    VERSION_RESET           when address = VERSION_ADDRESS else
    PARAMETERS              when address = PARAMETERS_ADDRESS else
    status                  when address = STATUS_ADDRESS else
    enable                  when address = INTERRUPT_ENABLE_ADDRESS else
    hit_word                when address = HIT_ADDRESS else
    batches(31 downto 0)    when address = BATCHES_LOW_ADDRESS else
    batches_high            when address = BATCHES_HIGH_ADDRESS else
    (others => '0');

  process (all)
  begin
    ready_o    <= '1';
    refused    <= '0';
    text_valid <= '0';
    key_valid  <= '0';
    if address = ID_ADDRESS or address = VERSION_ADDRESS or address = PARAMETERS_ADDRESS or address = STATUS_ADDRESS
      or address = BATCHES_LOW_ADDRESS or address = BATCHES_HIGH_ADDRESS then
      refused <= write_i;
    elsif address = TEXT_ADDRESS then
      if write_i = '1' and (strobe_i /= "1111" or waited = PATIENCE) then
        refused <= '1';
      elsif write_i = '1' then
        text_valid <= valid_i;
        ready_o    <= text_ready;
      end if;
    elsif address = KEY_ADDRESS then
      if write_i = '1' and (strobe_i /= "1111" or waited = PATIENCE) then
        refused <= '1';
      elsif write_i = '1' then
        key_valid <= valid_i;
        ready_o   <= key_ready;
      end if;
    elsif address = HIT_ADDRESS then
      refused <= write_i or not hit_valid;
    elsif address /= CONTROL_ADDRESS and address /= INTERRUPT_ENABLE_ADDRESS then
      refused <= '1';
    end if;
  end process;

  data_o    <= read_word when refused = '0' and write_i = '0' else (others => '0');
  error_o   <= refused;
  taken     <= valid_i and ready_o and not refused;
  hit_ready <= taken when address = HIT_ADDRESS else '0';
  clear     <= taken and write_i and strobe_i(0) and data_i(CONTROL_CLEAR) when address = CONTROL_ADDRESS else '0';

  control : process (clk_i)
  begin
    if rising_edge(clk_i) then
      interrupt_o <= or (enable and status);

      waited <= 0;
      if valid_i = '1' and ready_o = '0' then
        waited <= waited + 1;
      end if;

      was_busy <= busy;
      if was_busy = '1' and busy = '0' then
        done <= '1';
      end if;
      if sorted /= 0 then
        sorted <= sorted - 1;
      end if;

      if taken = '1' and address = KEY_ADDRESS and write_i = '1' then
        sorted <= SORTING;
        done   <= '0';
      end if;
      if taken = '1' and address = BATCHES_LOW_ADDRESS then
        batches_high <= batches(63 downto 32);
      end if;
      if taken = '1' and address = INTERRUPT_ENABLE_ADDRESS and strobe_i(0) = '1' then
        enable(INTERRUPT_ENABLE_DONE)          <= data_i(INTERRUPT_ENABLE_DONE);
        enable(INTERRUPT_ENABLE_KEY_ERROR)     <= data_i(INTERRUPT_ENABLE_KEY_ERROR);
        enable(INTERRUPT_ENABLE_HIT_AVAILABLE) <= data_i(INTERRUPT_ENABLE_HIT_AVAILABLE);
      end if;

      if rst_i = '1' or clear = '1' then
        sorted       <= 0;
        done         <= '0';
        was_busy     <= '0';
        batches_high <= (others => '0');
      end if;
      if rst_i = '1' then
        interrupt_o <= '0';
        waited      <= 0;
        enable      <= (others => '0');
      end if;
    end if;
  end process;

  search : entity work.rc4_search
    generic map (
      N => 256, KEY_BYTES => KEY_BYTES, TEXT_BYTES => TEXT_BYTES, ENGINES => ENGINES, HIT_WORDS => HIT_WORDS
    )
    port map (
      clk_i => clk_i, rst_i => rst_i, clear_i => clear,
      text_i => data_i(TEXT_TEXT_HIGH downto TEXT_TEXT_LOW), care_i => data_i(TEXT_CARE_HIGH downto TEXT_CARE_LOW),
      text_valid_i => text_valid, text_last_i => data_i(TEXT_LAST), text_ready_o => text_ready,
      key_i => data_i(KEY_KEY_HIGH downto KEY_KEY_LOW), mask_i => data_i(KEY_MASK_HIGH downto KEY_MASK_LOW),
      key_valid_i => key_valid, key_last_i => data_i(KEY_LAST), key_ready_o => key_ready,
      key_error_o => key_error, busy_o => busy, batches_o => batches,
      hit_o => hit, hit_last_o => hit_end, hit_valid_o => hit_valid, hit_ready_i => hit_ready
    );

end architecture;
