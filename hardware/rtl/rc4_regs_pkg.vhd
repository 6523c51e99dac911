-- SPDX-License-Identifier: MIT OR Apache-2.0
-- The registers of rc4_axil and rc4_wb. Written from registers/rc4.rdl by `make -C hardware registers`.
library ieee;
use ieee.std_logic_1164.all;

package rc4_regs_pkg is

  constant ID_ADDRESS : natural := 16#00#;  -- What this is
  constant ID_RESET : std_logic_vector(31 downto 0) := x"41524334";

  constant VERSION_ADDRESS : natural := 16#04#;  -- Version of the registers
  constant VERSION_RESET : std_logic_vector(31 downto 0) := x"00020000";
  constant VERSION_PATCH_HIGH : natural := 15;
  constant VERSION_PATCH_LOW : natural := 0;
  constant VERSION_MINOR_HIGH : natural := 23;
  constant VERSION_MINOR_LOW : natural := 16;
  constant VERSION_MAJOR_HIGH : natural := 31;
  constant VERSION_MAJOR_LOW : natural := 24;

  constant PARAMETERS_ADDRESS : natural := 16#08#;  -- Generics of the core
  constant PARAMETERS_K_HIGH : natural := 7;
  constant PARAMETERS_K_LOW : natural := 0;
  constant PARAMETERS_KEY_BYTES_HIGH : natural := 19;
  constant PARAMETERS_KEY_BYTES_LOW : natural := 8;
  constant PARAMETERS_N_HIGH : natural := 31;
  constant PARAMETERS_N_LOW : natural := 20;

  constant CONTROL_ADDRESS : natural := 16#0C#;  -- Control
  constant CONTROL_RESET : std_logic_vector(31 downto 0) := x"00000000";
  constant CONTROL_CLEAR : natural := 0;
  constant CONTROL_KEYSTREAM : natural := 1;

  constant STATUS_ADDRESS : natural := 16#10#;  -- Status
  constant STATUS_RESET : std_logic_vector(31 downto 0) := x"00000000";
  constant STATUS_KEY_WANTED : natural := 0;
  constant STATUS_BUSY : natural := 1;
  constant STATUS_STREAMING : natural := 2;
  constant STATUS_KEY_ERROR : natural := 3;
  constant STATUS_DATA_AVAILABLE : natural := 4;
  constant STATUS_DATA_ROOM : natural := 5;
  constant STATUS_AVAILABLE_HIGH : natural := 15;
  constant STATUS_AVAILABLE_LOW : natural := 8;
  constant STATUS_ROOM_HIGH : natural := 23;
  constant STATUS_ROOM_LOW : natural := 16;

  constant INTERRUPT_ENABLE_ADDRESS : natural := 16#14#;  -- Interrupt enable
  constant INTERRUPT_ENABLE_RESET : std_logic_vector(31 downto 0) := x"00000000";
  constant INTERRUPT_ENABLE_STREAMING : natural := 2;
  constant INTERRUPT_ENABLE_KEY_ERROR : natural := 3;
  constant INTERRUPT_ENABLE_DATA_AVAILABLE : natural := 4;
  constant INTERRUPT_ENABLE_DATA_ROOM : natural := 5;

  constant DROP_ADDRESS : natural := 16#18#;  -- Keystream to drop
  constant DROP_RESET : std_logic_vector(31 downto 0) := x"00000000";

  constant KEY_LENGTH_ADDRESS : natural := 16#1C#;  -- Length of the key
  constant KEY_LENGTH_RESET : std_logic_vector(31 downto 0) := x"00000000";

  constant KEY_ADDRESS : natural := 16#20#;  -- Key

  constant DATA_ADDRESS : natural := 16#24#;  -- Data
  constant DATA_RESET : std_logic_vector(31 downto 0) := x"00000000";

end package;
