-- SPDX-License-Identifier: MIT OR Apache-2.0
-- Turns AXI4-Lite into a sequence of accesses, reads and writes in turn. All outputs to the bus are
-- registers. An access that is an error is answered with SLVERR.
library ieee;
use ieee.std_logic_1164.all;

entity rc4_axil_port is
  generic (
    ADDRESS_BITS : positive := 6
  );
  port (
    aclk    : in  std_logic;  -- rising edge
    aresetn : in  std_logic;  -- synchronous, low

    s_axil_awaddr  : in  std_logic_vector(ADDRESS_BITS - 1 downto 0);
    s_axil_awvalid : in  std_logic;
    s_axil_awready : out std_logic;
    s_axil_wdata   : in  std_logic_vector(31 downto 0);
    s_axil_wstrb   : in  std_logic_vector(3 downto 0);
    s_axil_wvalid  : in  std_logic;
    s_axil_wready  : out std_logic;
    s_axil_bresp   : out std_logic_vector(1 downto 0);
    s_axil_bvalid  : out std_logic;
    s_axil_bready  : in  std_logic;
    s_axil_araddr  : in  std_logic_vector(ADDRESS_BITS - 1 downto 0);
    s_axil_arvalid : in  std_logic;
    s_axil_arready : out std_logic;
    s_axil_rdata   : out std_logic_vector(31 downto 0);
    s_axil_rresp   : out std_logic_vector(1 downto 0);
    s_axil_rvalid  : out std_logic;
    s_axil_rready  : in  std_logic;

    -- The access, as rc4_regs takes it.
    valid_o   : out std_logic;
    write_o   : out std_logic;
    address_o : out std_logic_vector(ADDRESS_BITS - 1 downto 0);
    strobe_o  : out std_logic_vector(3 downto 0);
    data_o    : out std_logic_vector(31 downto 0);
    ready_i   : in  std_logic;
    error_i   : in  std_logic;
    data_i    : in  std_logic_vector(31 downto 0)
  );
end entity;

architecture rtl of rc4_axil_port is
  type state_t is (idle, accessing, answering);
  signal state : state_t;
  signal was_write : std_logic;  -- the access, or the last one
begin

  process (aclk)
    variable response : std_logic_vector(1 downto 0);
  begin
    if rising_edge(aclk) then
      s_axil_awready <= '0';
      s_axil_wready  <= '0';
      s_axil_arready <= '0';
      if state = idle then
        -- Address and data of a write are taken together, in the clock after this one.
        if s_axil_awvalid = '1' and s_axil_wvalid = '1' and (s_axil_arvalid = '0' or was_write = '0') then
          s_axil_awready <= '1';
          s_axil_wready  <= '1';
          was_write      <= '1';
          address_o      <= s_axil_awaddr;
          strobe_o       <= s_axil_wstrb;
          data_o         <= s_axil_wdata;
          state          <= accessing;
        elsif s_axil_arvalid = '1' then
          s_axil_arready <= '1';
          was_write      <= '0';
          address_o      <= s_axil_araddr;
          strobe_o       <= (others => '0');
          data_o         <= (others => '0');
          state          <= accessing;
        end if;
      elsif state = accessing then
        if ready_i = '1' then
          response := error_i & '0';
          if was_write = '1' then
            s_axil_bresp  <= response;
            s_axil_bvalid <= '1';
          else
            s_axil_rresp  <= response;
            s_axil_rdata  <= data_i;
            s_axil_rvalid <= '1';
          end if;
          data_o <= (others => '0');  -- it may have been a key
          state  <= answering;
        end if;
      elsif (s_axil_bvalid = '1' and s_axil_bready = '1') or (s_axil_rvalid = '1' and s_axil_rready = '1') then
        s_axil_bvalid <= '0';
        s_axil_rvalid <= '0';
        s_axil_rdata  <= (others => '0');
        state         <= idle;
      end if;
      if aresetn = '0' then
        s_axil_awready <= '0';
        s_axil_wready  <= '0';
        s_axil_arready <= '0';
        s_axil_bvalid  <= '0';
        s_axil_bresp   <= (others => '0');
        s_axil_rvalid  <= '0';
        s_axil_rresp   <= (others => '0');
        s_axil_rdata   <= (others => '0');
        address_o      <= (others => '0');
        strobe_o       <= (others => '0');
        data_o         <= (others => '0');
        was_write      <= '0';
        state          <= idle;
      end if;
    end if;
  end process;

  valid_o <= '1' when state = accessing else '0';
  write_o <= was_write;

end architecture;
