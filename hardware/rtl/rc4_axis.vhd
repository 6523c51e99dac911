-- RC4 on AXI4-Stream: what comes in goes out encrypted, or decrypted, which is the same.
--
-- One keystream runs through all packets until the next key. Only bytes whose tkeep is high use
-- keystream, wherever they lie in a transfer; the others leave as zero. tkeep and tlast pass through.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity rc4_axis is
  generic (
    CORE      : string   := "spec";  -- the core: "unroll", "pipe", "spec" or "bram"
    K         : positive := 2;       -- bytes of a transfer, of which the core is to make as many a clock
    KEY_BYTES : positive := 16       -- bytes of the key, 1 to 256
  );
  port (
    aclk    : in  std_logic;  -- rising edge
    aresetn : in  std_logic;  -- synchronous, low: wipes key, table, keystream and output

    clear : in  std_logic;  -- as aresetn, but a transfer that waits at the output stays
    drop  : in  std_logic_vector(15 downto 0);  -- bytes of keystream to drop: RC4-drop[n]; it holds
                                                -- still from the first byte of the key to the last
    busy  : out std_logic;  -- the key schedule runs

    -- The key, KEY_BYTES transfers of a byte. The first one ends the keystream before it.
    s_key_tvalid : in  std_logic;
    s_key_tready : out std_logic;
    s_key_tdata  : in  std_logic_vector(7 downto 0);

    s_axis_tvalid : in  std_logic;  -- the input
    s_axis_tready : out std_logic;  -- low until the key schedule is done and the drop behind
    s_axis_tdata  : in  std_logic_vector(8 * K - 1 downto 0);  -- the first byte lowest
    s_axis_tkeep  : in  std_logic_vector(K - 1 downto 0);      -- which bytes are there
    s_axis_tlast  : in  std_logic;

    m_axis_tvalid : out std_logic;  -- the output, a clock later
    m_axis_tready : in  std_logic;
    m_axis_tdata  : out std_logic_vector(8 * K - 1 downto 0);
    m_axis_tkeep  : out std_logic_vector(K - 1 downto 0);
    m_axis_tlast  : out std_logic
  );
end entity;

architecture rtl of rc4_axis is
  signal rst, new_key, key_ready, meter_rst   : std_logic;
  signal z, bytes                             : std_logic_vector(8 * K - 1 downto 0);
  signal z_valid, z_ready, bytes_valid, taken : std_logic;
  signal used                                 : natural range 0 to K;
  signal room                                 : std_logic;
begin

  assert CORE = "unroll" or CORE = "pipe" or CORE = "spec" or CORE = "bram"
    report "rc4_axis: CORE is """ & CORE & """; it must be unroll, pipe, spec or bram"
    severity failure;

  rst          <= not aresetn;
  new_key      <= s_key_tvalid and key_ready;
  meter_rst    <= rst or clear or new_key;
  s_key_tready <= key_ready;

  unroll : if CORE = "unroll" generate
    core : entity work.rc4_unroll
      generic map (N => 256, K => K, KEY_BYTES => KEY_BYTES)
      port map (
        clk_i => aclk, rst_i => rst, ce_i => '1', clear_i => clear,
        key_i => s_key_tdata, key_valid_i => s_key_tvalid, key_ready_o => key_ready, busy_o => busy,
        z_o => z, z_valid_o => z_valid, z_ready_i => z_ready
      );
  end generate;

  pipe : if CORE = "pipe" generate
    core : entity work.rc4_pipe
      generic map (N => 256, K => K, KEY_BYTES => KEY_BYTES)
      port map (
        clk_i => aclk, rst_i => rst, ce_i => '1', clear_i => clear,
        key_i => s_key_tdata, key_valid_i => s_key_tvalid, key_ready_o => key_ready, busy_o => busy,
        z_o => z, z_valid_o => z_valid, z_ready_i => z_ready
      );
  end generate;

  spec : if CORE = "spec" generate
    core : entity work.rc4_spec
      generic map (N => 256, K => K, KEY_BYTES => KEY_BYTES)
      port map (
        clk_i => aclk, rst_i => rst, ce_i => '1', clear_i => clear,
        key_i => s_key_tdata, key_valid_i => s_key_tvalid, key_ready_o => key_ready, busy_o => busy,
        z_o => z, z_valid_o => z_valid, z_ready_i => z_ready
      );
  end generate;

  bram : if CORE = "bram" generate
    core : entity work.rc4_bram
      generic map (N => 256, K => K, KEY_BYTES => KEY_BYTES)
      port map (
        clk_i => aclk, rst_i => rst, ce_i => '1', clear_i => clear,
        key_i => s_key_tdata, key_valid_i => s_key_tvalid, key_ready_o => key_ready, busy_o => busy,
        z_o => z, z_valid_o => z_valid, z_ready_i => z_ready
      );
  end generate;

  meter : entity work.rc4_meter
    generic map (K => K)
    port map (
      clk_i => aclk, rst_i => meter_rst, drop_i => unsigned(drop),
      z_i => z, z_valid_i => z_valid, z_ready_o => z_ready,
      bytes_o => bytes, valid_o => bytes_valid, use_i => used
    );

  s_axis_tready <= room and bytes_valid and not meter_rst;
  taken         <= s_axis_tvalid and s_axis_tready;
  room          <= m_axis_tready or not m_axis_tvalid;

  process (all)
    variable kept : natural range 0 to K;
  begin
    kept := 0;
    for b in 0 to K - 1 loop
      if s_axis_tkeep(b) = '1' then
        kept := kept + 1;
      end if;
    end loop;
    used <= kept when taken = '1' else 0;
  end process;

  process (aclk)
    variable at : natural range 0 to K;
  begin
    if rising_edge(aclk) then
      if rst = '1' then
        m_axis_tvalid <= '0';
        m_axis_tdata  <= (m_axis_tdata'range => '0');
        m_axis_tkeep  <= (m_axis_tkeep'range => '0');
        m_axis_tlast  <= '0';
      elsif room = '1' then
        m_axis_tvalid <= taken;
        if taken = '1' then
          m_axis_tkeep <= s_axis_tkeep;
          m_axis_tlast <= s_axis_tlast;
          at := 0;
          for b in 0 to K - 1 loop
            m_axis_tdata(8 * b + 7 downto 8 * b) <= x"00";
            if s_axis_tkeep(b) = '1' then
              m_axis_tdata(8 * b + 7 downto 8 * b) <=
                s_axis_tdata(8 * b + 7 downto 8 * b) xor bytes(8 * at + 7 downto 8 * at);
              at := at + 1;
            end if;
          end loop;
        end if;
      end if;
    end if;
  end process;

end architecture;
