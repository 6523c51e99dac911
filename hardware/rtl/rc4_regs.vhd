-- SPDX-License-Identifier: MIT OR Apache-2.0
-- The registers of rc4_axil and rc4_wb (registers/rc4.rdl), around rc4_axis. A key and data are
-- written in words of 32 bits; data are read back xored with keystream.
--
-- An access is offered with valid_i and held until ready_o. Then it is done, or it is an error and changes nothing (but see
-- KEY_LENGTH). No access waits for the key schedule or for software. It waits for the bytes of the word before it: at KEY
-- at most 4 clocks, at DATA until these bytes are xored. A write of DROP waits like a write of KEY, so it is for the next key.
--
-- DATA accepts a word only if its result has room, so the output of rc4_axis never waits.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.rc4_regs_pkg.all;

entity rc4_regs is
  generic (
    CORE      : string   := "bram";  -- the core: "unroll", "pipe", "spec", "still" or "bram"
    K         : positive := 1;       -- bytes that it makes a clock: 1, 2 or 4
    KEY_BYTES : positive := 16;      -- bytes of the longest key, 1 to 256
    WORDS     : positive := 8        -- that wait to be read at DATA, 1 to 255
  );
  port (
    clk_i     : in  std_logic;  -- rising edge
    rst_i     : in  std_logic;  -- synchronous: wipes everything
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

architecture rtl of rc4_regs is
  constant BEATS : positive := (4 + K - 1) / K;  -- transfers of a word

  function legal return boolean is
  begin
    assert K = 1 or K = 2 or K = 4
      report "rc4_regs: K is " & integer'image(K) & "; it must be 1, 2 or 4"
      severity failure;
    assert KEY_BYTES <= 256
      report "rc4_regs: KEY_BYTES is " & integer'image(KEY_BYTES) & "; it must be 1 to 256"
      severity failure;
    assert WORDS <= 255
      report "rc4_regs: WORDS is " & integer'image(WORDS) & "; it must be 1 to 255"
      severity failure;
    return true;
  end function;

  constant IS_LEGAL : boolean := legal;

  subtype word_t is std_logic_vector(31 downto 0);

  type state_t is (
    closed,      -- no key
    loading,     -- bytes of the key are awaited
    scheduling,  -- it is complete
    streaming    -- there is keystream
  );
  signal state : state_t;

  signal address            : natural range 0 to 63;
  signal taken, refused     : std_logic;  -- the access is done, or is an error
  signal read_word, status, control_word : word_t;
  signal mode_keystream     : std_logic;
  signal enable             : word_t;     -- of interrupts
  signal drop               : unsigned(15 downto 0);
  signal length             : unsigned(8 downto 0);
  signal length_is_legal, drop_is_legal : std_logic;  -- of a write with all four strobes
  signal key_error          : std_logic;
  signal wipe, stop         : std_logic;  -- in this clock; and of rc4_axis with rst_i

  signal key_word   : word_t;                        -- the bytes that are to go, the next one lowest
  signal key_keep   : std_logic_vector(3 downto 0);  -- which are there
  signal key_left   : unsigned(8 downto 0);          -- bytes of the key that did not go
  signal key_valid, key_ready, key_last : std_logic;
  signal key_wanted : std_logic;                     -- more bytes of the key must be written

  signal in_word    : word_t;
  signal in_keep    : std_logic_vector(3 downto 0);
  signal in_beats   : natural range 0 to BEATS;      -- transfers of it that are to go
  signal in_valid, in_ready : std_logic;

  signal part       : std_logic_vector(8 * K - 1 downto 0);
  signal part_valid : std_logic;
  signal parts      : word_t;                        -- the parts of a word received so far, the latest highest
  signal part_no    : natural range 0 to BEATS - 1;
  signal whole      : word_t;
  signal put, take  : std_logic;
  signal out_word   : word_t;
  signal available  : natural range 0 to WORDS;
  signal claimed    : natural range 0 to WORDS;      -- words under way, or waiting to be read
  signal room       : natural range 0 to WORDS;

  function to_bits(n, bits : natural) return std_logic_vector is
  begin
    return std_logic_vector(to_unsigned(n, bits));
  end function;

  -- A field of a register.
  function field(value, low : natural) return word_t is
  begin
    return std_logic_vector(shift_left(to_unsigned(value, 32), low));
  end function;

  function ones(v : std_logic_vector(3 downto 0)) return natural is
    variable n : natural range 0 to 4;
  begin
    n := 0;
    for b in v'range loop
      if v(b) = '1' then
        n := n + 1;
      end if;
    end loop;
    return n;
  end function;

  constant PARAMETERS : word_t :=
    field(256, PARAMETERS_N_LOW) or field(KEY_BYTES, PARAMETERS_KEY_BYTES_LOW) or field(K, PARAMETERS_K_LOW);
begin

  address         <= to_integer(unsigned(std_logic_vector'(address_i(5 downto 2) & "00")));
  length_is_legal <= '1' when strobe_i = "1111" and unsigned(data_i(31 downto 9)) = 0
                              and unsigned(data_i(8 downto 0)) /= 0 and unsigned(data_i(8 downto 0)) <= KEY_BYTES else '0';
  drop_is_legal   <= '1' when strobe_i = "1111" and unsigned(data_i(31 downto 16)) = 0 else '0';

  -- key_left > ones(key_keep), without an adder of 9 bits.
  key_wanted <= '1' when state = loading and (key_left(8 downto 3) /= 0 or key_left(2 downto 0) > ones(key_keep)) else '0';

  room <= WORDS - claimed when state = streaming and mode_keystream = '0' else 0;

  process (all)
  begin
    status <= (others => '0');
    status(STATUS_KEY_WANTED)     <= key_wanted;
    status(STATUS_BUSY)           <= '1' when state = scheduling or (state = loading and key_wanted = '0') else '0';
    status(STATUS_STREAMING)      <= '1' when state = streaming else '0';
    status(STATUS_KEY_ERROR)      <= key_error;
    status(STATUS_DATA_AVAILABLE) <= '1' when available /= 0 else '0';
    status(STATUS_DATA_ROOM)      <= '1' when room /= 0 else '0';
    status(STATUS_AVAILABLE_HIGH downto STATUS_AVAILABLE_LOW) <= to_bits(available, 8);
    status(STATUS_ROOM_HIGH downto STATUS_ROOM_LOW)           <= to_bits(room, 8);
  end process;

  control_word <= (CONTROL_KEYSTREAM => mode_keystream, others => '0');

  -- The result of an access. Uses only conditions and whole words, because GHDL 2.0 writes wrong Verilog otherwise. For a
  -- case with "others" it keeps old values, and for some bits of a constant it writes other bits.
  read_word <=
    ID_RESET                               when address = ID_ADDRESS else
    VERSION_RESET                          when address = VERSION_ADDRESS else
    PARAMETERS                             when address = PARAMETERS_ADDRESS else
    control_word                           when address = CONTROL_ADDRESS else
    status                                 when address = STATUS_ADDRESS else
    enable                                 when address = INTERRUPT_ENABLE_ADDRESS else
    std_logic_vector(resize(drop, 32))     when address = DROP_ADDRESS else
    std_logic_vector(resize(length, 32))   when address = KEY_LENGTH_ADDRESS else
    out_word                               when address = DATA_ADDRESS else
    (others => '0');

  process (all)
  begin
    ready_o <= '1';
    refused <= '0';
    if address = ID_ADDRESS or address = VERSION_ADDRESS or address = PARAMETERS_ADDRESS or address = STATUS_ADDRESS then
      refused <= write_i;
    elsif address = KEY_LENGTH_ADDRESS then
      refused <= write_i and not length_is_legal when strobe_i /= "0000" else '0';
    elsif address = DROP_ADDRESS then
      refused <= write_i and not drop_is_legal when strobe_i /= "0000" else '0';
      if write_i = '1' and key_keep /= "0000" then
        ready_o <= '0';
      end if;
    elsif address = KEY_ADDRESS then
      if write_i = '1' and key_wanted = '0' then
        refused <= '1';
      elsif write_i = '1' and key_keep /= "0000" then
        ready_o <= '0';
      end if;
    elsif address = DATA_ADDRESS then
      if write_i = '1' and room = 0 then
        refused <= '1';
      elsif write_i = '1' and in_beats /= 0 then
        ready_o <= '0';
      elsif write_i = '0' and available = 0 then
        refused <= '1';
      end if;
    elsif address /= CONTROL_ADDRESS and address /= INTERRUPT_ENABLE_ADDRESS then
      refused <= '1';
    end if;
  end process;

  data_o  <= read_word when refused = '0' and write_i = '0' else (others => '0');
  error_o <= refused;
  taken   <= valid_i and ready_o and not refused;
  take    <= taken and not write_i when address = DATA_ADDRESS else '0';

  -- A wipe requested by software: at the edge of the write, and in rc4_axis in the clock after it.
  wipe <= valid_i and write_i when (address = CONTROL_ADDRESS and strobe_i(0) = '1' and data_i(CONTROL_CLEAR) = '1')
                                   or (address = KEY_LENGTH_ADDRESS and strobe_i /= "0000")
          else '0';

  control : process (clk_i)
    variable claims : natural range 0 to WORDS;
  begin
    if rising_edge(clk_i) then
      stop        <= wipe;
      interrupt_o <= or (enable and status);

      -- Sends the bytes of the key, one a clock, and skips places without a byte.
      if key_keep /= "0000" and (key_keep(0) = '0' or (key_valid = '1' and key_ready = '1')) then
        key_word <= x"00" & key_word(31 downto 8);
        key_keep <= '0' & key_keep(3 downto 1);
        if key_keep(0) = '1' then
          key_left <= key_left - 1;
          if key_last = '1' then
            key_word <= (others => '0');
            key_keep <= (others => '0');
            state    <= scheduling;
          end if;
        end if;
      end if;

      if state = scheduling and in_ready = '1' and stop = '0' then
        state <= streaming;
      end if;

      -- Sends the bytes of the data, K a clock.
      claims := claimed;
      if take = '1' then
        claims := claims - 1;
      end if;
      if in_beats /= 0 then
        if in_ready = '1' then
          in_word  <= std_logic_vector(shift_right(unsigned(in_word), 8 * K));
          in_keep  <= std_logic_vector(shift_right(unsigned(in_keep), K));
          in_beats <= in_beats - 1;
        end if;
      elsif state = streaming and mode_keystream = '1' and claimed /= WORDS then
        in_keep  <= (others => '1');
        in_beats <= BEATS;
        claims   := claims + 1;
      end if;

      -- Receives their results.
      if part_valid = '1' and stop = '0' then
        parts   <= whole;
        part_no <= 0 when part_no = BEATS - 1 else part_no + 1;
        if part_no = BEATS - 1 then
          parts <= (others => '0');
        end if;
      end if;

      -- Writes.
      if taken = '1' and write_i = '1' then
        if address = CONTROL_ADDRESS and strobe_i(0) = '1' then
          mode_keystream <= data_i(CONTROL_KEYSTREAM);
        end if;
        if address = INTERRUPT_ENABLE_ADDRESS and strobe_i(0) = '1' then
          enable(INTERRUPT_ENABLE_STREAMING)      <= data_i(INTERRUPT_ENABLE_STREAMING);
          enable(INTERRUPT_ENABLE_KEY_ERROR)      <= data_i(INTERRUPT_ENABLE_KEY_ERROR);
          enable(INTERRUPT_ENABLE_DATA_AVAILABLE) <= data_i(INTERRUPT_ENABLE_DATA_AVAILABLE);
          enable(INTERRUPT_ENABLE_DATA_ROOM)      <= data_i(INTERRUPT_ENABLE_DATA_ROOM);
        end if;
        if address = DROP_ADDRESS and drop_is_legal = '1' then
          drop <= unsigned(data_i(15 downto 0));
        end if;
        if address = KEY_ADDRESS then
          key_word <= data_i;
          key_keep <= strobe_i;
        end if;
        if address = DATA_ADDRESS then
          in_word  <= data_i;
          in_keep  <= strobe_i;
          in_beats <= BEATS;
          claims   := claims + 1;
        end if;
      end if;
      claimed <= claims;

      if rst_i = '1' or wipe = '1' then
        key_word <= (others => '0');
        key_keep <= (others => '0');
        in_word  <= (others => '0');
        in_keep  <= (others => '0');
        in_beats <= 0;
        parts    <= (others => '0');
        part_no  <= 0;
        claimed  <= 0;
        key_error <= '0';
        state    <= closed;
        if address = KEY_LENGTH_ADDRESS then
          key_error <= not length_is_legal;
          if length_is_legal = '1' then
            length   <= unsigned(data_i(8 downto 0));
            key_left <= unsigned(data_i(8 downto 0));
            state    <= loading;
          end if;
        end if;
      end if;
      if rst_i = '1' then
        mode_keystream <= '0';
        enable         <= (others => '0');
        drop           <= (others => '0');
        length         <= (others => '0');
        key_left       <= (others => '0');
        key_error      <= '0';
        state          <= closed;
        stop           <= '1';
        interrupt_o    <= '0';
      end if;
    end if;
  end process;

  key_valid <= key_keep(0) and not stop;
  key_last  <= '1' when key_left = 1 else '0';
  in_valid  <= '1' when in_beats /= 0 else '0';

  core_axis : entity work.rc4_axis
    generic map (CORE => CORE, K => K, KEY_BYTES => KEY_BYTES)
    port map (
      aclk => clk_i, aresetn => not (rst_i or stop), clear => '0', drop => std_logic_vector(drop),
      busy => open, key_error => open,
      s_key_tvalid => key_valid, s_key_tready => key_ready, s_key_tdata => key_word(7 downto 0),
      s_key_tlast => key_last,
      s_axis_tvalid => in_valid, s_axis_tready => in_ready, s_axis_tdata => in_word(8 * K - 1 downto 0),
      s_axis_tkeep => in_keep(K - 1 downto 0), s_axis_tlast => '0',
      m_axis_tvalid => part_valid, m_axis_tready => '1', m_axis_tdata => part,
      m_axis_tkeep => open, m_axis_tlast => open
    );

  whole_word : if K = 4 generate
    whole <= part;
  end generate;

  pieces : if K /= 4 generate
    whole <= part & parts(31 downto 8 * K);
  end generate;

  put <= part_valid when part_no = BEATS - 1 and stop = '0' else '0';

  waiting : entity work.rc4_words
    generic map (BITS => 32, WORDS => WORDS)
    port map (
      clk_i => clk_i, rst_i => rst_i or wipe or stop,
      put_i => put, data_i => whole, take_i => take, data_o => out_word, count_o => available
    );

end architecture;
