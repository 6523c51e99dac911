-- SPDX-License-Identifier: MIT OR Apache-2.0
-- RC4 on Wishbone B4, classic: the registers of registers/rc4_regs.md. An access that is not allowed, or has no register,
-- ends with err_o and changes nothing.
--
-- stall_o also allows pipelined masters: an access is accepted in the clock in which it is answered.
library ieee;
use ieee.std_logic_1164.all;

entity rc4_wb is
  generic (
    CORE      : string   := "bram";  -- the core: "unroll", "pipe", "spec", "still" or "bram"
    K         : positive := 1;       -- bytes that it makes a clock: 1, 2 or 4
    KEY_BYTES : positive := 16;      -- bytes of the longest key, 1 to 256
    WORDS     : positive := 8        -- that wait to be read at DATA, 1 to 255
  );
  port (
    clk_i   : in  std_logic;  -- rising edge
    rst_i   : in  std_logic;  -- synchronous: wipes everything
    cyc_i   : in  std_logic;
    stb_i   : in  std_logic;
    we_i    : in  std_logic;
    adr_i   : in  std_logic_vector(5 downto 0);  -- of a byte; the lowest two bits are ignored
    sel_i   : in  std_logic_vector(3 downto 0);
    dat_i   : in  std_logic_vector(31 downto 0);
    dat_o   : out std_logic_vector(31 downto 0);  -- zero but in the clock after a read is done
    ack_o   : out std_logic;
    err_o   : out std_logic;
    stall_o : out std_logic;
    interrupt_o : out std_logic  -- high while a cause is enabled and there
  );
end entity;

architecture rtl of rc4_wb is
  signal valid, ready, error : std_logic;
  signal ack, err            : std_logic;
  signal read                : std_logic_vector(31 downto 0);
begin

  -- The clock of an answer offers no new access: a classic master still shows the old one.
  valid <= cyc_i and stb_i and not ack and not err;

  process (clk_i)
  begin
    if rising_edge(clk_i) then
      ack   <= valid and ready and not error;
      err   <= valid and ready and error;
      dat_o <= (others => '0');
      if valid = '1' and ready = '1' and we_i = '0' then
        dat_o <= read;
      end if;
      if rst_i = '1' then
        ack   <= '0';
        err   <= '0';
        dat_o <= (others => '0');
      end if;
    end if;
  end process;

  registers : entity work.rc4_regs
    generic map (CORE => CORE, K => K, KEY_BYTES => KEY_BYTES, WORDS => WORDS)
    port map (
      clk_i => clk_i, rst_i => rst_i,
      valid_i => valid, write_i => we_i, address_i => adr_i, strobe_i => sel_i, data_i => dat_i,
      ready_o => ready, error_o => error, data_o => read, interrupt_o => interrupt_o
    );

  -- An answer is of an access: a master that gives up its access gets none.
  ack_o   <= ack and cyc_i and stb_i;
  err_o   <= err and cyc_i and stb_i;
  stall_o <= cyc_i and not ack and not err;

end architecture;
