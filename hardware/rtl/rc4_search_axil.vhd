-- SPDX-License-Identifier: MIT OR Apache-2.0
-- The key search on AXI4-Lite: registers/rc4_search_regs.md lists the registers. An access that is
-- not allowed, or has no register, is answered with SLVERR and changes nothing.
library ieee;
use ieee.std_logic_1164.all;

entity rc4_search_axil is
  generic (
    KEY_BYTES  : positive := 16;  -- bytes of the longest key, 1 to 256
    TEXT_BYTES : positive := 16;  -- bytes of keystream that can be expected, 1 to 254
    ENGINES    : positive := 1;   -- a power of two, 1 to 256; a block RAM each
    HIT_WORDS  : positive := 64   -- bytes of found keys that can wait: a power of two, 2 or more
  );
  port (
    aclk    : in  std_logic;  -- rising edge
    aresetn : in  std_logic;  -- synchronous, low: ends the search and forgets everything

    s_axil_awaddr  : in  std_logic_vector(5 downto 0);
    s_axil_awprot  : in  std_logic_vector(2 downto 0);  -- ignored
    s_axil_awvalid : in  std_logic;
    s_axil_awready : out std_logic;
    s_axil_wdata   : in  std_logic_vector(31 downto 0);
    s_axil_wstrb   : in  std_logic_vector(3 downto 0);
    s_axil_wvalid  : in  std_logic;
    s_axil_wready  : out std_logic;
    s_axil_bresp   : out std_logic_vector(1 downto 0);
    s_axil_bvalid  : out std_logic;
    s_axil_bready  : in  std_logic;
    s_axil_araddr  : in  std_logic_vector(5 downto 0);
    s_axil_arprot  : in  std_logic_vector(2 downto 0);  -- ignored
    s_axil_arvalid : in  std_logic;
    s_axil_arready : out std_logic;
    s_axil_rdata   : out std_logic_vector(31 downto 0);
    s_axil_rresp   : out std_logic_vector(1 downto 0);
    s_axil_rvalid  : out std_logic;
    s_axil_rready  : in  std_logic;

    interrupt : out std_logic  -- high while a cause is enabled and there
  );
end entity;

architecture rtl of rc4_search_axil is
  signal valid, is_write, ready, error : std_logic;
  signal address                       : std_logic_vector(5 downto 0);
  signal strobe                        : std_logic_vector(3 downto 0);
  signal to_write, read                : std_logic_vector(31 downto 0);
begin

  bus_port : entity work.rc4_axil_port
    generic map (ADDRESS_BITS => 6)
    port map (
      aclk => aclk, aresetn => aresetn,
      s_axil_awaddr => s_axil_awaddr, s_axil_awvalid => s_axil_awvalid, s_axil_awready => s_axil_awready,
      s_axil_wdata => s_axil_wdata, s_axil_wstrb => s_axil_wstrb,
      s_axil_wvalid => s_axil_wvalid, s_axil_wready => s_axil_wready,
      s_axil_bresp => s_axil_bresp, s_axil_bvalid => s_axil_bvalid, s_axil_bready => s_axil_bready,
      s_axil_araddr => s_axil_araddr, s_axil_arvalid => s_axil_arvalid, s_axil_arready => s_axil_arready,
      s_axil_rdata => s_axil_rdata, s_axil_rresp => s_axil_rresp,
      s_axil_rvalid => s_axil_rvalid, s_axil_rready => s_axil_rready,
      valid_o => valid, write_o => is_write, address_o => address, strobe_o => strobe, data_o => to_write,
      ready_i => ready, error_i => error, data_i => read
    );

  registers : entity work.rc4_search_regs
    generic map (KEY_BYTES => KEY_BYTES, TEXT_BYTES => TEXT_BYTES, ENGINES => ENGINES, HIT_WORDS => HIT_WORDS)
    port map (
      clk_i => aclk, rst_i => not aresetn,
      valid_i => valid, write_i => is_write, address_i => address, strobe_i => strobe, data_i => to_write,
      ready_o => ready, error_o => error, data_o => read, interrupt_o => interrupt
    );

end architecture;
