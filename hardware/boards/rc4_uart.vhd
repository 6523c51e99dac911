-- SPDX-License-Identifier: MIT OR Apache-2.0
-- RC4 on a serial line, for a board: rc4_axis around rc4_bram, and a UART. The line has 8 data
-- bits, no parity and one stop bit. A stop bit that is sent is an eighth shorter than the others. So a
-- host whose clock is 1 % fast gets its answers as fast as it sends.
--
-- The host sends the length of a key, 1 to KEY_BYTES, then the key. Each later byte comes back xored with the next byte of the keystream:
-- encrypted, or decrypted. A break or the button wipes everything; then a new length is expected. A length out of range is an error, and so
-- is a byte that arrives while the byte before it waits. After an error nothing is answered until a wipe.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity rc4_uart is
  generic (
    CLOCK_HZ   : positive := 12_000_000;
    BAUD       : positive := 115_200;  -- bits a second; a bit takes 16 clocks or more
    KEY_BYTES  : positive := 16;       -- bytes of the longest key, 1 to 255
    ACTIVE_LOW : boolean  := true      -- the button and the lamps
  );
  port (
    clk_i   : in  std_logic;  -- rising edge
    wipe_i  : in  std_logic;  -- the button; asynchronous
    rx_i    : in  std_logic;  -- from the host; asynchronous
    tx_o    : out std_logic;  -- to the host
    key_o   : out std_logic;  -- a lamp: there is a key
    error_o : out std_logic   -- a lamp: an error
  );
end entity;

architecture rtl of rc4_uart is
  constant BIT_CLOCKS  : positive := CLOCK_HZ / BAUD;
  constant STOP_CLOCKS : natural  := BIT_CLOCKS - BIT_CLOCKS / 8;  -- of a stop bit that is sent

  subtype byte_t is std_logic_vector(7 downto 0);

  -- These have initial values: a board has no reset, and an FPGA loads them.
  signal started : std_logic_vector(3 downto 0) := "0000";
  signal line_in, button : std_logic_vector(1 downto 0) := "11";  -- in the clock's domain

  signal rst, aresetn : std_logic;
  signal pressed      : std_logic;

  signal rx_wait   : natural range 0 to BIT_CLOCKS - 1;
  signal rx_left   : natural range 0 to 10;  -- bits to sample, with the start bit and the stop bit
  signal rx_byte   : byte_t;
  signal rx_valid  : std_logic;             -- it is whole, for one clock
  signal broken    : std_logic;             -- the line is low where a stop bit was due

  type state_t is (wants_length, wants_key, streaming, refused);
  signal state     : state_t;
  signal left      : unsigned(7 downto 0);  -- bytes of the key to come
  signal key_valid, key_ready, key_last    : std_logic;
  signal data_valid, data_ready            : std_logic;
  signal byte      : byte_t;                -- that waits, of the key or of data

  signal out_valid, out_ready : std_logic;
  signal out_byte  : byte_t;
  signal tx_wait   : natural range 0 to BIT_CLOCKS - 1;
  signal tx_left   : natural range 0 to 10;  -- bits to send
  signal tx_bits   : std_logic_vector(9 downto 0);
begin

  assert BIT_CLOCKS >= 16
    report "rc4_uart: a bit takes " & integer'image(BIT_CLOCKS) & " clocks; it must be 16 or more"
    severity failure;
  assert KEY_BYTES <= 255
    report "rc4_uart: KEY_BYTES is " & integer'image(KEY_BYTES) & "; it must be 1 to 255"
    severity failure;

  pressed <= not button(1) when ACTIVE_LOW else button(1);

  reset : process (clk_i)
  begin
    if rising_edge(clk_i) then
      line_in <= line_in(0) & rx_i;
      button  <= button(0) & wipe_i;
      started <= started(2 downto 0) & '1';
      rst     <= not started(3) or pressed;
    end if;
  end process;

  receive : process (clk_i)
  begin
    if rising_edge(clk_i) then
      rx_valid <= '0';
      if broken = '1' then
        broken <= not line_in(1);
      elsif rx_left = 0 then
        if line_in(1) = '0' then
          rx_left <= 10;
          rx_wait <= BIT_CLOCKS / 2 - 1;  -- to the middle of the start bit
        end if;
      elsif rx_wait /= 0 then
        rx_wait <= rx_wait - 1;
      else
        rx_wait <= BIT_CLOCKS - 1;
        rx_left <= rx_left - 1;
        if rx_left = 10 then
          -- A line that is high again had a disturbance, not a start bit.
          if line_in(1) = '1' then
            rx_left <= 0;
          end if;
        elsif rx_left /= 1 then
          rx_byte <= line_in(1) & rx_byte(7 downto 1);
        else
          rx_valid <= line_in(1);
          broken   <= not line_in(1);
        end if;
      end if;
      if rst = '1' then
        rx_left  <= 0;
        rx_wait  <= 0;
        rx_byte  <= (others => '0');
        rx_valid <= '0';
        broken   <= '1';  -- until the line is high
      end if;
    end if;
  end process;

  aresetn <= not (rst or broken);

  control : process (clk_i)
  begin
    if rising_edge(clk_i) then
      if key_ready = '1' then
        key_valid <= '0';
      end if;
      if data_ready = '1' then
        data_valid <= '0';
      end if;
      if rx_valid = '1' then
        if (key_valid = '1' and key_ready = '0') or (data_valid = '1' and data_ready = '0') then
          state <= refused;
        elsif state = wants_length then
          left  <= unsigned(rx_byte);
          state <= wants_key when unsigned(rx_byte) /= 0 and unsigned(rx_byte) <= KEY_BYTES else refused;
        elsif state = wants_key then
          byte      <= rx_byte;
          key_valid <= '1';
          key_last  <= '1' when left = 1 else '0';
          left      <= left - 1;
          state     <= streaming when left = 1 else wants_key;
        elsif state = streaming then
          byte       <= rx_byte;
          data_valid <= '1';
        end if;
      end if;
      if aresetn = '0' then
        key_valid  <= '0';
        key_last   <= '0';
        data_valid <= '0';
        byte       <= (others => '0');
        left       <= (others => '0');
        state      <= wants_length;
      end if;
    end if;
  end process;

  core : entity work.rc4_axis
    generic map (CORE => "bram", K => 1, KEY_BYTES => KEY_BYTES)
    port map (
      aclk => clk_i, aresetn => aresetn, clear => '0', drop => (others => '0'), busy => open, key_error => open,
      s_key_tvalid => key_valid, s_key_tready => key_ready, s_key_tdata => byte, s_key_tlast => key_last,
      s_axis_tvalid => data_valid, s_axis_tready => data_ready, s_axis_tdata => byte, s_axis_tkeep => "1", s_axis_tlast => '0',
      m_axis_tvalid => out_valid, m_axis_tready => out_ready, m_axis_tdata => out_byte, m_axis_tkeep => open, m_axis_tlast => open
    );

  out_ready <= '1' when tx_left = 0 and state /= refused else '0';

  transmit : process (clk_i)
  begin
    if rising_edge(clk_i) then
      if out_valid = '1' and out_ready = '1' then
        tx_bits <= '1' & out_byte & '0';
        tx_left <= 10;
        tx_wait <= BIT_CLOCKS - 1;
      elsif tx_left /= 0 then
        if tx_wait /= 0 then
          tx_wait <= tx_wait - 1;
        else
          -- The last clock of a stop bit is the one that takes the next byte.
          tx_wait <= STOP_CLOCKS - 2 when tx_left = 2 else BIT_CLOCKS - 1;
          tx_bits <= '1' & tx_bits(9 downto 1);
          tx_left <= tx_left - 1;
        end if;
      end if;
      if aresetn = '0' then
        tx_left <= 0;
        tx_wait <= 0;
        tx_bits <= (others => '1');
      end if;
    end if;
  end process;

  tx_o    <= tx_bits(0);
  key_o   <= '1' when (state = streaming) xor ACTIVE_LOW else '0';
  error_o <= '1' when (state = refused) xor ACTIVE_LOW else '0';

end architecture;
