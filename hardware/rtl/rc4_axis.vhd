-- SPDX-License-Identifier: MIT OR Apache-2.0
-- RC4 on AXI4-Stream: encrypts each packet, or decrypts it; both are the same operation.
--
-- One keystream runs through all packets until the next key. Only bytes with tkeep high use
-- keystream, at any place in a transfer; other bytes become zero. tkeep and tlast pass through.
--
-- Every ready and every valid is a register. The critical path should lie in the core, not here. A transfer passes
-- these stages, one clock each:
--
--   0  input buffer
--   1  count the bytes with tkeep
--   2  take this number of bytes from the meter; select the byte of the window for each lane
--   3  xor; output buffer
--
-- A byte of the key goes through a register to the core.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.rc4_pkg.all;

entity rc4_axis is
  generic (
    CORE      : string   := "spec";  -- the core: "unroll", "pipe", "spec", "still" or "bram"
    K         : positive := 2;       -- bytes of a transfer; also the core's bytes per clock
    KEY_BYTES : positive := 16       -- bytes of the longest key, 1 to 256
  );
  port (
    aclk    : in  std_logic;  -- rising edge
    aresetn : in  std_logic;  -- synchronous, low: wipes key, table, keystream and output

    clear : in  std_logic;  -- as aresetn, but transfers that wait at the output stay, and of a key
                            -- under way the rest is discarded
    drop  : in  std_logic_vector(15 downto 0);  -- bytes of keystream to drop: RC4-drop[n]; read with the
                                                -- last byte of the key
    busy  : out std_logic;  -- the key schedule runs
    key_error : out std_logic;  -- the last key was longer than KEY_BYTES and is wiped; falls with the
                                -- first byte of the next one, and with clear

    -- The key, a byte a transfer, 1 to KEY_BYTES of them. The first one ends the keystream before it.
    s_key_tvalid : in  std_logic;
    s_key_tready : out std_logic;
    s_key_tdata  : in  std_logic_vector(7 downto 0);
    s_key_tlast  : in  std_logic;

    s_axis_tvalid : in  std_logic;  -- the input
    s_axis_tready : out std_logic;  -- low without a key, and until its schedule and the drop are over
    s_axis_tdata  : in  std_logic_vector(8 * K - 1 downto 0);  -- the first byte lowest
    s_axis_tkeep  : in  std_logic_vector(K - 1 downto 0);      -- which bytes are there
    s_axis_tlast  : in  std_logic;

    m_axis_tvalid : out std_logic;  -- the output, four clocks later
    m_axis_tready : in  std_logic;
    m_axis_tdata  : out std_logic_vector(8 * K - 1 downto 0);
    m_axis_tkeep  : out std_logic_vector(K - 1 downto 0);
    m_axis_tlast  : out std_logic
  );
end entity;

architecture rtl of rc4_axis is
  constant B    : positive := log2(2 * K);  -- bits of a count of bytes, 0 to 2K - 1
  constant BITS : positive := 9 * K + 1;    -- of a transfer: last, keep, data

  subtype transfer_t is std_logic_vector(BITS - 1 downto 0);
  subtype count_t is unsigned(B - 1 downto 0);
  type counts_t is array (0 to K - 1) of count_t;

  type state_t is (
    closed,      -- no keystream
    loading,     -- a key is under way
    discarding,  -- and is not wanted
    started,     -- the key is complete
    waiting,     -- its schedule runs, and the drop
    streaming,   -- transfers are taken
    draining     -- a key waits until what was taken has met its keystream
  );
  signal state : state_t;

  signal rst, wipe, too_long              : std_logic;
  signal key_open, key_ready, key_taken   : std_logic;  -- key_open: in this state the core may be given a key
  signal key_valid                        : std_logic;  -- a byte for the core is taken
  signal key1_valid, key1_last            : std_logic;  -- and given to it, a clock later
  signal key1                             : std_logic_vector(7 downto 0);
  signal core_busy                        : std_logic;
  signal key_count                        : natural range 0 to KEY_BYTES - 1;
  signal drop_taken                       : unsigned(15 downto 0);

  signal meter_rst, z_valid, z_ready : std_logic;
  signal z                           : std_logic_vector(8 * K - 1 downto 0);
  signal window                      : std_logic_vector(16 * K - 1 downto 0);
  signal window_valid                : std_logic;
  signal place                       : count_t;

  signal offered, coming, leaving, left          : transfer_t;  -- before and after the two buffers
  signal offered_valid, room0, coming_valid, go0 : std_logic;
  signal room3                                   : std_logic;

  signal transfer1, transfer2 : transfer_t;
  signal valid1, valid2, take : std_logic;
  signal number1              : counts_t;  -- of each lane's byte among those that are there
  signal used1                : count_t;   -- how many are
  signal stream2              : std_logic_vector(8 * K - 1 downto 0);  -- for each lane
begin

  assert CORE = "unroll" or CORE = "pipe" or CORE = "spec" or CORE = "still" or CORE = "bram"
    report "rc4_axis: CORE is """ & CORE & """; it must be unroll, pipe, spec, still or bram"
    severity failure;

  rst  <= not aresetn;
  wipe <= clear or too_long;

  -- The core is ready until it has a whole key, and one clock longer.
  s_key_tready <= key_open and key_ready;
  key_taken    <= s_key_tvalid and s_key_tready;
  key_valid    <= key_taken when state /= discarding else '0';

  -- From the last byte on, which the core gets in this clock.
  busy <= core_busy or (key1_valid and key1_last);

  control : process (aclk)
    variable next_state : state_t;
  begin
    if rising_edge(aclk) then
      next_state := state;
      too_long   <= '0';
      key1_valid <= key_valid;
      key1_last  <= s_key_tlast;
      key1       <= s_key_tdata and (key1'range => key_valid);
      if key_valid = '1' then
        drop_taken <= unsigned(drop);
        key_error  <= '0';
        if s_key_tlast = '1' then
          key_count  <= 0;
          next_state := started;
        elsif key_count = KEY_BYTES - 1 then
          key_count  <= 0;
          next_state := discarding;
          too_long   <= '1';
          key_error  <= '1';
        else
          key_count  <= key_count + 1;
          next_state := loading;
        end if;
      elsif state = discarding and key_taken = '1' and s_key_tlast = '1' then
        next_state := closed;
      elsif state = started then
        next_state := waiting;
      elsif state = waiting and window_valid = '1' then
        next_state := streaming;
      elsif state = streaming and s_key_tvalid = '1' then
        next_state := draining;
      elsif state = draining and coming_valid = '0' and valid1 = '0' then
        next_state := closed;
      end if;
      if clear = '1' then
        key_count  <= 0;
        key_error  <= '0';
        key1_valid <= '0';
        key1       <= (others => '0');
        -- A byte taken at this edge begins, continues or ends a key.
        if key_taken = '1' then
          next_state := closed when s_key_tlast = '1' else discarding;
        elsif state = loading or state = discarding then
          next_state := discarding;
        else
          next_state := closed;
        end if;
      end if;
      if rst = '1' then
        too_long   <= '0';
        key_count  <= 0;
        key_error  <= '0';
        key1_valid <= '0';
        key1       <= (others => '0');
        next_state := closed;
      end if;
      state    <= next_state;
      key_open <= '1' when next_state = closed or next_state = loading or next_state = discarding or next_state = waiting else '0';
    end if;
  end process;

  unroll : if CORE = "unroll" generate
    core : entity work.rc4_unroll
      generic map (N => 256, K => K, KEY_BYTES => KEY_BYTES, VARIABLE_KEY => true)
      port map (
        clk_i => aclk, rst_i => rst, ce_i => '1', clear_i => wipe,
        key_i => key1, key_valid_i => key1_valid, key_last_i => key1_last,
        key_ready_o => key_ready, busy_o => core_busy,
        z_o => z, z_valid_o => z_valid, z_ready_i => z_ready
      );
  end generate;

  pipe : if CORE = "pipe" generate
    core : entity work.rc4_pipe
      generic map (N => 256, K => K, KEY_BYTES => KEY_BYTES, VARIABLE_KEY => true)
      port map (
        clk_i => aclk, rst_i => rst, ce_i => '1', clear_i => wipe,
        key_i => key1, key_valid_i => key1_valid, key_last_i => key1_last,
        key_ready_o => key_ready, busy_o => core_busy,
        z_o => z, z_valid_o => z_valid, z_ready_i => z_ready
      );
  end generate;

  spec : if CORE = "spec" generate
    core : entity work.rc4_spec
      generic map (N => 256, K => K, KEY_BYTES => KEY_BYTES, VARIABLE_KEY => true)
      port map (
        clk_i => aclk, rst_i => rst, ce_i => '1', clear_i => wipe,
        key_i => key1, key_valid_i => key1_valid, key_last_i => key1_last,
        key_ready_o => key_ready, busy_o => core_busy,
        z_o => z, z_valid_o => z_valid, z_ready_i => z_ready
      );
  end generate;

  still : if CORE = "still" generate
    core : entity work.rc4_still
      generic map (N => 256, K => K, KEY_BYTES => KEY_BYTES, VARIABLE_KEY => true)
      port map (
        clk_i => aclk, rst_i => rst, ce_i => '1', clear_i => wipe,
        key_i => key1, key_valid_i => key1_valid, key_last_i => key1_last,
        key_ready_o => key_ready, busy_o => core_busy,
        z_o => z, z_valid_o => z_valid, z_ready_i => z_ready
      );
  end generate;

  bram : if CORE = "bram" generate
    core : entity work.rc4_bram
      generic map (N => 256, K => K, KEY_BYTES => KEY_BYTES, VARIABLE_KEY => true)
      port map (
        clk_i => aclk, rst_i => rst, ce_i => '1', clear_i => wipe,
        key_i => key1, key_valid_i => key1_valid, key_last_i => key1_last,
        key_ready_o => key_ready, busy_o => core_busy,
        z_o => z, z_valid_o => z_valid, z_ready_i => z_ready
      );
  end generate;

  meter_rst <= '1' when rst = '1' or state = closed or state = loading or state = discarding or state = started
               else '0';

  meter : entity work.rc4_meter
    generic map (K => K)
    port map (
      clk_i => aclk, rst_i => meter_rst, drop_i => drop_taken,
      z_i => z, z_valid_i => z_valid, z_ready_o => z_ready,
      window_o => window, place_o => place, valid_o => window_valid, take_i => take, use_i => used1
    );

  -- Stage 0.
  s_axis_tready <= room0 when state = streaming else '0';
  offered_valid <= s_axis_tvalid and s_axis_tready;
  offered       <= s_axis_tlast & s_axis_tkeep & s_axis_tdata;

  input_buffer : entity work.rc4_skid
    generic map (BITS => BITS)
    port map (
      clk_i => aclk, rst_i => rst or clear,
      data_i => offered, valid_i => offered_valid, ready_o => room0,
      data_o => coming, valid_o => coming_valid, ready_i => go0
    );

  go0  <= take or not valid1;
  take <= valid1 and window_valid and room3;

  stages : process (aclk)
    variable count : count_t;
    variable lane  : count_t;
  begin
    if rising_edge(aclk) then
      if rst = '1' or clear = '1' then
        valid1    <= '0';
        valid2    <= '0';
        transfer1 <= (others => '0');
        transfer2 <= (others => '0');
        stream2   <= (others => '0');
      else
        -- Stage 1.
        if go0 = '1' then
          valid1    <= coming_valid;
          transfer1 <= coming;
          count := (others => '0');
          for b in 0 to K - 1 loop
            number1(b) <= count;
            if coming(8 * K + b) = '1' then
              count := count + 1;
            end if;
          end loop;
          used1 <= count;
        end if;
        -- Stage 2.
        if room3 = '1' then
          valid2 <= take;
        end if;
        if take = '1' then
          transfer2 <= transfer1;
          for b in 0 to K - 1 loop
            lane := place + number1(b);
            stream2(8 * b + 7 downto 8 * b) <= (others => '0');
            for c in 0 to 2 * K - 1 loop
              if lane = c and transfer1(8 * K + b) = '1' then
                stream2(8 * b + 7 downto 8 * b) <= window(8 * c + 7 downto 8 * c);
              end if;
            end loop;
          end loop;
        end if;
      end if;
    end if;
  end process;

  -- Stage 3.
  combine : process (all)
  begin
    leaving <= transfer2;
    for b in 0 to K - 1 loop
      leaving(8 * b + 7 downto 8 * b) <= (transfer2(8 * b + 7 downto 8 * b) xor stream2(8 * b + 7 downto 8 * b))
                                         and (7 downto 0 => transfer2(8 * K + b));
    end loop;
  end process;

  output_buffer : entity work.rc4_skid
    generic map (BITS => BITS)
    port map (
      clk_i => aclk, rst_i => rst,
      data_i => leaving, valid_i => valid2, ready_o => room3,
      data_o => left, valid_o => m_axis_tvalid, ready_i => m_axis_tready
    );

  m_axis_tlast <= left(9 * K);
  m_axis_tkeep <= left(9 * K - 1 downto 8 * K);
  m_axis_tdata <= left(8 * K - 1 downto 0);

end architecture;
