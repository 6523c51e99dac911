-- SPDX-License-Identifier: MIT OR Apache-2.0
-- The registers of rc4_search_axil. Written from registers/rc4.rdl by `make -C hardware registers`.
library ieee;
use ieee.std_logic_1164.all;

package rc4_search_regs_pkg is

  constant ID_ADDRESS : natural := 16#00#;  -- What this is
  constant ID_RESET : std_logic_vector(31 downto 0) := x"41524353";

  constant VERSION_ADDRESS : natural := 16#04#;  -- Version of the registers
  constant VERSION_RESET : std_logic_vector(31 downto 0) := x"00010000";
  constant VERSION_PATCH_HIGH : natural := 15;
  constant VERSION_PATCH_LOW : natural := 0;
  constant VERSION_MINOR_HIGH : natural := 23;
  constant VERSION_MINOR_LOW : natural := 16;
  constant VERSION_MAJOR_HIGH : natural := 31;
  constant VERSION_MAJOR_LOW : natural := 24;

  constant PARAMETERS_ADDRESS : natural := 16#08#;  -- Generics of the array
  constant PARAMETERS_TEXT_BYTES_HIGH : natural := 7;
  constant PARAMETERS_TEXT_BYTES_LOW : natural := 0;
  constant PARAMETERS_KEY_BYTES_HIGH : natural := 19;
  constant PARAMETERS_KEY_BYTES_LOW : natural := 8;
  constant PARAMETERS_ENGINES_HIGH : natural := 31;
  constant PARAMETERS_ENGINES_LOW : natural := 20;

  constant CONTROL_ADDRESS : natural := 16#0C#;  -- Control
  constant CONTROL_RESET : std_logic_vector(31 downto 0) := x"00000000";
  constant CONTROL_CLEAR : natural := 0;

  constant STATUS_ADDRESS : natural := 16#10#;  -- Status
  constant STATUS_RESET : std_logic_vector(31 downto 0) := x"00000000";
  constant STATUS_BUSY : natural := 0;
  constant STATUS_DONE : natural := 1;
  constant STATUS_KEY_ERROR : natural := 2;
  constant STATUS_HIT_AVAILABLE : natural := 3;

  constant INTERRUPT_ENABLE_ADDRESS : natural := 16#14#;  -- Interrupt enable
  constant INTERRUPT_ENABLE_RESET : std_logic_vector(31 downto 0) := x"00000000";
  constant INTERRUPT_ENABLE_DONE : natural := 1;
  constant INTERRUPT_ENABLE_KEY_ERROR : natural := 2;
  constant INTERRUPT_ENABLE_HIT_AVAILABLE : natural := 3;

  constant TEXT_ADDRESS : natural := 16#18#;  -- Expected keystream
  constant TEXT_TEXT_HIGH : natural := 7;
  constant TEXT_TEXT_LOW : natural := 0;
  constant TEXT_CARE_HIGH : natural := 15;
  constant TEXT_CARE_LOW : natural := 8;
  constant TEXT_LAST : natural := 16;

  constant KEY_ADDRESS : natural := 16#1C#;  -- Key to begin from
  constant KEY_KEY_HIGH : natural := 7;
  constant KEY_KEY_LOW : natural := 0;
  constant KEY_MASK_HIGH : natural := 15;
  constant KEY_MASK_LOW : natural := 8;
  constant KEY_LAST : natural := 16;

  constant HIT_ADDRESS : natural := 16#20#;  -- Keys found
  constant HIT_RESET : std_logic_vector(31 downto 0) := x"00000000";
  constant HIT_KEY_HIGH : natural := 7;
  constant HIT_KEY_LOW : natural := 0;
  constant HIT_LAST : natural := 8;

  constant BATCHES_LOW_ADDRESS : natural := 16#24#;  -- Batches tried, low word
  constant BATCHES_LOW_RESET : std_logic_vector(31 downto 0) := x"00000000";

  constant BATCHES_HIGH_ADDRESS : natural := 16#28#;  -- Batches tried, high word
  constant BATCHES_HIGH_RESET : std_logic_vector(31 downto 0) := x"00000000";

end package;
