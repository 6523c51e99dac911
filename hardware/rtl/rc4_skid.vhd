-- SPDX-License-Identifier: MIT OR Apache-2.0
-- A buffer of two transfers: its ready and its valid are registers, and it passes one transfer a clock.
library ieee;
use ieee.std_logic_1164.all;

entity rc4_skid is
  generic (
    BITS : positive := 8  -- of a transfer
  );
  port (
    clk_i   : in  std_logic;  -- rising edge
    rst_i   : in  std_logic;  -- synchronous; wipes both transfers
    data_i  : in  std_logic_vector(BITS - 1 downto 0);
    valid_i : in  std_logic;  -- data_i holds a transfer
    ready_o : out std_logic;  -- it is taken when both are high
    data_o  : out std_logic_vector(BITS - 1 downto 0);
    valid_o : out std_logic;  -- data_o holds a transfer
    ready_i : in  std_logic   -- it is taken when both are high
  );
end entity;

architecture rtl of rc4_skid is
  signal head, tail : std_logic_vector(BITS - 1 downto 0);
  signal head_valid : std_logic;
  signal tail_free  : std_logic;  -- the tail is in use only while the head is
begin

  process (clk_i)
  begin
    if rising_edge(clk_i) then
      if rst_i = '1' then
        head       <= (others => '0');
        tail       <= (others => '0');
        head_valid <= '0';
        tail_free  <= '1';
      else
        if tail_free = '1' and valid_i = '1' then
          tail <= data_i;
        end if;
        if ready_i = '1' or head_valid = '0' then
          -- The head changes only with a transfer, so data_o shows only transfers.
          if tail_free = '0' then
            head <= tail;
          elsif valid_i = '1' then
            head <= data_i;
          end if;
          head_valid <= valid_i or not tail_free;
          tail_free  <= '1';
        elsif valid_i = '1' then
          tail_free <= '0';
        end if;
      end if;
    end if;
  end process;

  ready_o <= tail_free;
  data_o  <= head;
  valid_o <= head_valid;

end architecture;
