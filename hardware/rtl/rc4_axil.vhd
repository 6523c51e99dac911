-- SPDX-License-Identifier: MIT OR Apache-2.0
-- RC4 on AXI4-Lite: the registers of registers/rc4_regs.md. An access that is not allowed, or has
-- no register, is answered with SLVERR and changes nothing.
library ieee;
use ieee.std_logic_1164.all;

entity rc4_axil is
  generic (
    CORE      : string   := "bram";  -- the core: "unroll", "pipe", "spec", "still" or "bram"
    K         : positive := 1;       -- bytes that it makes a clock: 1, 2 or 4
    KEY_BYTES : positive := 16;      -- bytes of the longest key, 1 to 256
    WORDS     : positive := 8        -- that wait to be read at DATA, 1 to 255
  );
  port (
    aclk    : in  std_logic;  -- rising edge
    aresetn : in  std_logic;  -- synchronous, low: wipes everything

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

architecture rtl of rc4_axil is
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

  registers : entity work.rc4_regs
    generic map (CORE => CORE, K => K, KEY_BYTES => KEY_BYTES, WORDS => WORDS)
    port map (
      clk_i => aclk, rst_i => not aresetn,
      valid_i => valid, write_i => is_write, address_i => address, strobe_i => strobe, data_i => to_write,
      ready_o => ready, error_o => error, data_o => read, interrupt_o => interrupt
    );

end architecture;
