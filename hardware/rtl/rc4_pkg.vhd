-- SPDX-License-Identifier: MIT OR Apache-2.0
-- Common functions of all cores: the width of a word, the check of their generics, and the priority of rounds.
library ieee;
use ieee.std_logic_1164.all;

package rc4_pkg is

  -- Returns the bits of a word of a table of n cells: log2 n.
  function word_bits(n : integer) return positive;

  -- Returns the same if all generics of the core are legal. Otherwise elaboration fails, and the
  -- message names the core, the generic, its value and the allowed values.
  function legal_word_bits(core : string; n, k, key_bytes, k_max : integer) return positive;

  -- Returns the logarithm of a power of two.
  function log2(k : positive) return natural;

  -- True if groups of k rounds have their priority logic as trees, whose depth grows with log k. With up to 8
  -- rounds a chain through all rounds is smaller, and no longer than the other paths of the cores.
  function has_trees(k : positive) return boolean;

  -- True if any hit from `first` to `last` is set. Slices with the same `last` share gates.
  function any_in(hits : std_logic_vector; first, last : integer) return std_logic;

end package;

package body rc4_pkg is

  function word_bits(n : integer) return positive is
    variable bits : positive := 3;
  begin
    while bits < 8 and 2 ** bits < n loop
      bits := bits + 1;
    end loop;
    return bits;
  end function;

  function legal_word_bits(core : string; n, k, key_bytes, k_max : integer) return positive is
  begin
    assert 2 ** word_bits(n) = n
      report core & ": N is " & integer'image(n) & "; it must be 8, 16, 32, 64, 128 or 256"
      severity failure;
    assert k >= 1 and k <= k_max and n mod k = 0
      report core & ": K is " & integer'image(k) & "; it must be a power of two from 1 to "
        & integer'image(k_max)
      severity failure;
    assert key_bytes >= 1 and key_bytes <= n
      report core & ": KEY_BYTES is " & integer'image(key_bytes) & "; it must be 1 to "
        & integer'image(n)
      severity failure;
    return word_bits(n);
  end function;

  function log2(k : positive) return natural is
    variable bits : natural := 0;
  begin
    while 2 ** bits < k loop
      bits := bits + 1;
    end loop;
    return bits;
  end function;

  function has_trees(k : positive) return boolean is
  begin
    return k > 8;
  end function;

  function any_in(hits : std_logic_vector; first, last : integer) return std_logic is
  begin
    if first > last then
      return '0';
    end if;
    return or hits(first to last);
  end function;

end package body;
