-- SPDX-License-Identifier: MIT OR Apache-2.0
-- Common declarations of the paper's designs.
--
-- The paper of this folder: S. Sen Gupta, A. Chattopadhyay, K. Sinha, S. Maitra, B. P. Sinha,
-- "High-Performance Hardware Implementation for RC4 Stream Cipher". IEEE Transactions on Computers
-- 62(4), 2013. Names are the paper's. S0, S1 and S2 are the table before, between and after two
-- rounds with the indexes i1, j1 and i2, j2.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

package paper_pkg is

  type words_t is array (natural range <>) of unsigned;

  -- Words of keystream in a transfer of a PRGA: two, but one of "pipelined".
  function prga_words(prga : string) return positive;

  -- Section 2.1, step 2: S1[i2], with a = S0[i1] and c = S0[i2].
  function s1_i2(i2, j1, a, c : unsigned) return unsigned;

  -- Section 2.1, step 4: S1[j2], with a = S0[i1], b = S0[j1] and d = S0[j2].
  function s1_j2(i1, j1, j2, a, b, d : unsigned) return unsigned;

  -- Circuit 2 (figure 2): the sum of three words by one row of full adders and one addition.
  function sum3(a, b, c : unsigned) return unsigned;

  -- Circuit 3 (figure 3) and table 2: computes S2's data in the cells i1, j1, i2 and j2 from S0's.
  -- If two of these are one cell, both get the same data.
  procedure double_swap(
    i1, j1, i2, j2     : in unsigned;
    a, b, c, d         : in unsigned;
    to_i1, to_j1       : out unsigned;
    to_i2, to_j2       : out unsigned
  );

end package;

package body paper_pkg is

  function prga_words(prga : string) return positive is
  begin
    if prga = "pipelined" then
      return 1;
    end if;
    return 2;
  end function;

  function s1_i2(i2, j1, a, c : unsigned) return unsigned is
  begin
    if i2 = j1 then
      return a;
    end if;
    return c;
  end function;

  function s1_j2(i1, j1, j2, a, b, d : unsigned) return unsigned is
  begin
    if j2 = i1 then
      return b;
    elsif j2 = j1 then
      return a;
    end if;
    return d;
  end function;

  function sum3(a, b, c : unsigned) return unsigned is
    constant carries : unsigned(a'length - 1 downto 0) := (a and b) or (b and c) or (c and a);
  begin
    return (a xor b xor c) + (carries(a'length - 2 downto 0) & '0');
  end function;

  procedure double_swap(
    i1, j1, i2, j2     : in unsigned;
    a, b, c, d         : in unsigned;
    to_i1, to_j1       : out unsigned;
    to_i2, to_j2       : out unsigned
  ) is
  begin
    -- Cases 1 to 7; the eighth, all three equal, is impossible.
    if i2 = j1 then
      if j2 = i1 then
        to_i1 := a; to_j1 := b; to_i2 := b; to_j2 := a;  -- case 7
      elsif j2 = j1 then
        to_i1 := b; to_j1 := a; to_i2 := a; to_j2 := a;  -- case 6
      else
        to_i1 := b; to_j1 := d; to_i2 := d; to_j2 := a;  -- case 5
      end if;
    elsif j2 = i1 then
      if j2 = j1 then
        to_i1 := c; to_j1 := c; to_i2 := a; to_j2 := c;  -- case 4
      else
        to_i1 := c; to_j1 := a; to_i2 := b; to_j2 := c;  -- case 3
      end if;
    elsif j2 = j1 then
      to_i1 := b; to_j1 := c; to_i2 := a; to_j2 := c;  -- case 2
    else
      to_i1 := b; to_j1 := a; to_i2 := d; to_j2 := c;  -- case 1
    end if;
  end procedure;

end package body;
