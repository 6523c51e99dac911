-- SPDX-License-Identifier: MIT OR Apache-2.0
-- Reads the K words of keystream of K rounds from the table after all rounds.
--
-- Round r must not see the writes of the rounds m > r. If several of these wrote the cell, the
-- earliest of them read the value that round r needs.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.rc4_pkg.all;

entity rc4_reads is
  generic (
    N : positive := 256;  -- cells of the table: 8, 16, 32, 64, 128 or 256
    K : positive := 1     -- rounds
  );
  port (
    s_i : in  std_logic_vector(N * word_bits(N) - 1 downto 0);  -- the table, cell 0 lowest
    i_i : in  std_logic_vector(K * word_bits(N) - 1 downto 0);  -- of each round: i, j,
    j_i : in  std_logic_vector(K * word_bits(N) - 1 downto 0);
    x_i : in  std_logic_vector(K * word_bits(N) - 1 downto 0);  -- S[i] before its swap,
    y_i : in  std_logic_vector(K * word_bits(N) - 1 downto 0);  -- S[j] before its swap,
    t_i : in  std_logic_vector(K * word_bits(N) - 1 downto 0);  -- and their sum
    z_o : out std_logic_vector(K * word_bits(N) - 1 downto 0)   -- S[t] after each round
  );
end entity;

architecture rtl of rc4_reads is
  constant W : positive := word_bits(N);

  subtype word_t is unsigned(W - 1 downto 0);
  type words_t is array (natural range <>) of word_t;

  function word(v : std_logic_vector; r : natural) return word_t is
  begin
    return unsigned(v((r + 1) * W - 1 downto r * W));
  end function;
begin

  process (all)
    variable s : words_t(0 to N - 1);
    variable z : word_t;
  begin
    for c in 0 to N - 1 loop
      s(c) := word(s_i, c);
    end loop;
    for r in 0 to K - 1 loop
      z := s(to_integer(word(t_i, r)));
      for m in K - 1 downto r + 1 loop
        if word(t_i, r) = word(j_i, m) then
          z := word(y_i, m);
        end if;
        if word(t_i, r) = word(i_i, m) then
          z := word(x_i, m);
        end if;
      end loop;
      z_o((r + 1) * W - 1 downto r * W) <= std_logic_vector(z);
    end loop;
  end process;

end architecture;
