-- SPDX-License-Identifier: MIT OR Apache-2.0
-- Selects what works in this clock: the key schedule, the keystream, or neither.
library ieee;
use ieee.std_logic_1164.all;

entity paper_control is
  port (
    clk_i       : in  std_logic;  -- rising edge
    rst_i       : in  std_logic;  -- as the core's
    ce_i        : in  std_logic;  -- as the core's
    clear_i     : in  std_logic;  -- as the core's
    key_valid_i : in  std_logic;  -- as the core's
    busy_i      : in  std_logic;  -- the K-box holds a complete key
    last_i      : in  std_logic;  -- the key schedule is at its last rounds
    z_valid_i   : in  std_logic;  -- keystream stands at the output
    z_ready_i   : in  std_logic;  -- it is taken
    wipe_o      : out std_logic;  -- wipe the key
    start_o     : out std_logic;  -- table, indexes and output back to the beginning
    ksa_step_o  : out std_logic;  -- the key schedule goes on by a clock
    prga_step_o : out std_logic   -- the keystream goes on by a clock
  );
end entity;

architecture rtl of paper_control is
  signal stream : std_logic;  -- the key schedule is done
begin

  wipe_o      <= rst_i or clear_i;
  start_o     <= rst_i or clear_i or (ce_i and key_valid_i and not busy_i);
  ksa_step_o  <= ce_i and busy_i;
  prga_step_o <= ce_i and stream and (z_ready_i or not z_valid_i);

  process (clk_i)
  begin
    if rising_edge(clk_i) then
      if start_o = '1' then
        stream <= '0';
      elsif ksa_step_o = '1' and last_i = '1' then
        stream <= '1';
      end if;
    end if;
  end process;

end architecture;
