-- SPDX-License-Identifier: MIT OR Apache-2.0
-- One clock of rc4_unroll beside K rounds of RC4, one after the other, from the same state.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.rc4_pkg.all;

entity equal is
  generic (
    N : positive := 8;  -- cells of the table
    K : positive := 2   -- rounds
  );
  port (
    s_i     : in  std_logic_vector(N * word_bits(N) - 1 downto 0);  -- any table
    i_i     : in  std_logic_vector(word_bits(N) - 1 downto 0);      -- any i, j and words of a key
    j_i     : in  std_logic_vector(word_bits(N) - 1 downto 0);
    key_i   : in  std_logic_vector(K * word_bits(N) - 1 downto 0);
    equal_o : out std_logic  -- the same table, j and keystream
  );
end entity;

architecture formal of equal is
  constant W : positive := word_bits(N);

  subtype words_t is std_logic_vector(K * W - 1 downto 0);

  signal s_end           : std_logic_vector(N * W - 1 downto 0);
  signal i, j, x, y, t, z : words_t;
begin

  rounds : entity work.rc4_rounds
    generic map (N => N, K => K)
    port map (
      s_i => s_i, i_i => i_i, j_i => j_i, key_i => key_i,
      s_o => s_end, i_o => i, j_o => j, x_o => x, y_o => y
    );

  reads : entity work.rc4_reads
    generic map (N => N, K => K)
    port map (s_i => s_end, i_i => i, j_i => j, x_i => x, y_i => y, t_i => t, z_o => z);

  process (all)
  begin
    for r in 0 to K - 1 loop
      t((r + 1) * W - 1 downto r * W) <= std_logic_vector(
        unsigned(x((r + 1) * W - 1 downto r * W)) + unsigned(y((r + 1) * W - 1 downto r * W)));
    end loop;
  end process;

  -- RC4 as it is written in the books.
  serial : process (all)
    type table_t is array (0 to N - 1) of unsigned(W - 1 downto 0);
    variable s          : table_t;
    variable si, sj, si_cell, sj_cell, sum : unsigned(W - 1 downto 0);
    variable same       : std_logic;
  begin
    for c in 0 to N - 1 loop
      s(c) := unsigned(s_i((c + 1) * W - 1 downto c * W));
    end loop;
    si   := unsigned(i_i);
    sj   := unsigned(j_i);
    same := '1';
    for r in 0 to K - 1 loop
      si_cell := s(to_integer(si));
      sj      := sj + si_cell + unsigned(key_i((r + 1) * W - 1 downto r * W));
      sj_cell := s(to_integer(sj));
      s(to_integer(si)) := sj_cell;
      s(to_integer(sj)) := si_cell;
      sum := si_cell + sj_cell;
      if s(to_integer(sum)) /= unsigned(z((r + 1) * W - 1 downto r * W))
        or sj /= unsigned(j((r + 1) * W - 1 downto r * W)) then
        same := '0';
      end if;
      si := si + 1;
    end loop;
    for c in 0 to N - 1 loop
      if s(c) /= unsigned(s_end((c + 1) * W - 1 downto c * W)) then
        same := '0';
      end if;
    end loop;
    equal_o <= same;
  end process;

end architecture;
