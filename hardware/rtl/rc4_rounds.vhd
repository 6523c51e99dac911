-- SPDX-License-Identifier: MIT OR Apache-2.0
-- K rounds of RC4 at once, by priority forwarding.
--
-- Round r reads the table from before all rounds, and forwards the writes of the rounds m < r. The
-- latest write to a cell wins. The number of word comparisons is quadratic in K; no case per combination of
-- their results is needed.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.rc4_pkg.all;

entity rc4_rounds is
  generic (
    N : positive := 256;  -- cells of the table: 8, 16, 32, 64, 128 or 256
    K : positive := 1     -- rounds
  );
  port (
    s_i   : in  std_logic_vector(N * word_bits(N) - 1 downto 0);  -- the table, cell 0 lowest
    i_i   : in  std_logic_vector(word_bits(N) - 1 downto 0);      -- i of the first round
    j_i   : in  std_logic_vector(word_bits(N) - 1 downto 0);      -- j of the round before
    key_i : in  std_logic_vector(K * word_bits(N) - 1 downto 0);  -- what each round adds to j
    s_o   : out std_logic_vector(N * word_bits(N) - 1 downto 0);  -- the table after all rounds
    i_o   : out std_logic_vector(K * word_bits(N) - 1 downto 0);  -- of each round: i, j,
    j_o   : out std_logic_vector(K * word_bits(N) - 1 downto 0);
    x_o   : out std_logic_vector(K * word_bits(N) - 1 downto 0);  -- S[i] before its swap,
    y_o   : out std_logic_vector(K * word_bits(N) - 1 downto 0)   -- and S[j] before its swap
  );
end entity;

architecture rtl of rc4_rounds is
  constant W : positive := word_bits(N);

  subtype word_t is unsigned(W - 1 downto 0);
  type words_t is array (natural range <>) of word_t;
begin

  process (all)
    variable s, swapped    : words_t(0 to N - 1);
    variable is1, js, x, y : words_t(0 to K - 1);
    variable v             : word_t;
  begin
    for c in 0 to N - 1 loop
      s(c) := unsigned(s_i((c + 1) * W - 1 downto c * W));
    end loop;

    for r in 0 to K - 1 loop
      is1(r) := unsigned(i_i) + r;
      v := s(to_integer(is1(r)));
      for m in 0 to r - 1 loop
        if js(m) = is1(r) then
          v := x(m);
        end if;
      end loop;
      x(r)  := v;
      js(r) := unsigned(j_i) + v + unsigned(key_i(W - 1 downto 0));
      if r > 0 then
        js(r) := js(r - 1) + v + unsigned(key_i((r + 1) * W - 1 downto r * W));
      end if;
      v := s(to_integer(js(r)));
      for m in 0 to r - 1 loop
        if js(r) = is1(m) then
          v := y(m);
        end if;
        if js(r) = js(m) then
          v := x(m);
        end if;
      end loop;
      y(r) := v;
    end loop;

    swapped := s;
    for r in 0 to K - 1 loop
      swapped(to_integer(is1(r))) := y(r);
      swapped(to_integer(js(r)))  := x(r);
    end loop;

    for c in 0 to N - 1 loop
      s_o((c + 1) * W - 1 downto c * W) <= std_logic_vector(swapped(c));
    end loop;
    for r in 0 to K - 1 loop
      i_o((r + 1) * W - 1 downto r * W) <= std_logic_vector(is1(r));
      j_o((r + 1) * W - 1 downto r * W) <= std_logic_vector(js(r));
      x_o((r + 1) * W - 1 downto r * W) <= std_logic_vector(x(r));
      y_o((r + 1) * W - 1 downto r * W) <= std_logic_vector(y(r));
    end loop;
  end process;

end architecture;
