-- SPDX-License-Identifier: MIT OR Apache-2.0
-- The smallest use of a core: a key goes in, and the first eight bytes of its keystream are printed.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use std.textio.all;

entity example is
end entity;

architecture simulation of example is
  constant KEY : string := "Quentin";
  signal clk, rst : std_logic := '1';
  signal key_byte : std_logic_vector(7 downto 0) := (others => '0');
  signal key_valid : std_logic := '0';
  signal key_ready, z_valid : std_logic;
  signal z    : std_logic_vector(15 downto 0);
  signal done : boolean := false;
begin
  clk <= not clk after 1 ns when not done;

  core : entity work.rc4_spec
    generic map (K => 2, KEY_BYTES => KEY'length)
    port map (
      clk_i => clk, rst_i => rst, ce_i => '1', clear_i => '0',
      key_i => key_byte, key_valid_i => key_valid, key_ready_o => key_ready, busy_o => open,
      z_o => z, z_valid_o => z_valid, z_ready_i => '1'
    );

  process is
  begin
    wait until rising_edge(clk);
    rst <= '0';
    key_valid <= '1';
    for n in KEY'range loop
      key_byte <= std_logic_vector(to_unsigned(character'pos(KEY(n)), 8));
      wait until rising_edge(clk) and key_ready = '1';
    end loop;
    key_valid <= '0';
    for n in 1 to 4 loop  -- two bytes a transfer, the first one lowest
      wait until rising_edge(clk) and z_valid = '1';
      write(output, to_hstring(z(7 downto 0)) & to_hstring(z(15 downto 8)));
    end loop;
    write(output, (1 => LF));
    done <= true;
    wait;
  end process;
end architecture;
