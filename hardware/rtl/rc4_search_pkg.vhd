-- SPDX-License-Identifier: MIT OR Apache-2.0
-- The commands that rc4_search sends to all its engines, in every clock.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

package rc4_search_pkg is

  -- A bit of a word for all keys, as a code of four bits: a constant, a don't-care, or bit q of a
  -- number. The number ends in the key's type, P or Q, and begins with the engine's number.
  constant CODE_BITS : positive := 4;
  subtype code_t is std_logic_vector(CODE_BITS - 1 downto 0);
  constant CODE_0    : code_t   := "0000";
  constant CODE_1    : code_t   := "0001";
  constant CODE_ANY  : code_t   := "0010";
  constant CODE_LANE : positive := 3;    -- plus q, 0 to 8

  type command_t is record
    group_no : unsigned(1 downto 0);     -- which two of eight keys have these three clocks; they take turns for ever
    slot     : unsigned(1 downto 0);     -- of these clocks. 0: the command is for key P of the two; 1: for Q; 2: for none
    schedule : std_logic;                -- two rounds of the key schedule
    step     : std_logic;                -- or a round of the stream up to its exchange
    compare  : std_logic;                -- or the rest of that round: compare its word
    start    : std_logic;                -- the first ones of schedule or stream: j is 0
    sweep    : std_logic;                -- take every cell for untouched
    epoch    : std_logic;                -- the tag of cells that this key has touched
    pair     : unsigned(6 downto 0);     -- the address of a pair of cells; in a probe, the key asked for
    write_even, write_odd : std_logic;   -- write there what the key's last command has left
    odd      : std_logic;                -- of the stream: i is odd
    codes    : std_logic_vector(8 * CODE_BITS - 1 downto 0);  -- two clocks late: a word of the key, or what is expected of
                                         -- the stream. The key's second word is in the clocks of no key, for P and Q
    probe    : std_logic;                -- ask one engine for one of its keys
    number   : unsigned(7 downto 0);     -- that engine
  end record;

  -- Returns a word of the key with this number, lowest bit first.
  function key_word(codes : std_logic_vector; number : natural; bits : positive) return unsigned;

  -- The bits of an expected word, and a mask of the bits that matter.
  function expected(codes : std_logic_vector; bits : positive) return std_logic_vector;
  function matters(codes : std_logic_vector; bits : positive) return std_logic_vector;

end package;

package body rc4_search_pkg is

  function code(codes : std_logic_vector; b : natural) return code_t is
    alias all_of_them : std_logic_vector(codes'length - 1 downto 0) is codes;
  begin
    return all_of_them((b + 1) * CODE_BITS - 1 downto b * CODE_BITS);
  end function;

  function key_word(codes : std_logic_vector; number : natural; bits : positive) return unsigned is
    variable word : unsigned(bits - 1 downto 0);
  begin
    for b in 0 to bits - 1 loop
      word(b) := '0';
      if code(codes, b) = CODE_1 then
        word(b) := '1';
      end if;
      for q in 0 to 8 loop
        if (number / 2 ** q) mod 2 = 1
          and code(codes, b) = std_logic_vector(to_unsigned(CODE_LANE + q, CODE_BITS)) then
          word(b) := '1';
        end if;
      end loop;
    end loop;
    return word;
  end function;

  function expected(codes : std_logic_vector; bits : positive) return std_logic_vector is
    variable word : std_logic_vector(bits - 1 downto 0);
  begin
    for b in 0 to bits - 1 loop
      word(b) := code(codes, b)(0);
    end loop;
    return word;
  end function;

  function matters(codes : std_logic_vector; bits : positive) return std_logic_vector is
    variable word : std_logic_vector(bits - 1 downto 0);
  begin
    for b in 0 to bits - 1 loop
      word(b) := not code(codes, b)(1);
    end loop;
    return word;
  end function;

end package body;
