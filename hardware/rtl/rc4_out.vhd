-- SPDX-License-Identifier: MIT OR Apache-2.0
-- The output of a core with a rotor. Aligns the keystream to transfers, and buffers two transfers,
-- so that no path leads from z_ready_i into the pipeline.
--
-- The first group of a stream begins with a round for i = 0, which swaps a cell with itself. Its word
-- is dropped here, and each transfer is K - 1 words of one group and the first word of the group after.
library ieee;
use ieee.std_logic_1164.all;
use work.rc4_pkg.all;

entity rc4_out is
  generic (
    N : positive := 256;  -- cells of the table: 8, 16, 32, 64, 128 or 256
    K : positive := 1     -- words of a transfer
  );
  port (
    clk_i   : in  std_logic;  -- rising edge
    rst_i   : in  std_logic;  -- forget everything
    ce_i    : in  std_logic;  -- low: nothing is taken
    step_i  : in  std_logic;  -- the pipeline goes on, and group_i with it
    group_i : in  std_logic_vector(K * word_bits(N) - 1 downto 0);  -- K words of the pipeline
    valid_i : in  std_logic;  -- group_i is keystream
    stop_o  : out std_logic;  -- the pipeline must not go on in the next clock
    z_o       : out std_logic_vector(K * word_bits(N) - 1 downto 0);  -- K words of the stream
    z_valid_o : out std_logic;  -- z_o holds K words
    z_ready_i : in  std_logic   -- they are taken when both are high
  );
end entity;

architecture rtl of rc4_out is
  constant W : positive := word_bits(N);

  subtype transfer_t is std_logic_vector(K * W - 1 downto 0);

  signal previous   : transfer_t;  -- the group before group_i
  signal begun      : std_logic;   -- it is keystream
  signal head, tail : transfer_t;
  signal head_valid : std_logic;
  signal tail_valid : std_logic;   -- only where head_valid is
  signal push, pop  : std_logic;
begin

  push <= step_i and valid_i and begun;
  pop  <= ce_i and z_ready_i;

  -- The tail has room for the group that is under way when this rises.
  stop_o <= head_valid and not pop;

  process (clk_i)
    variable full : transfer_t;
  begin
    if rising_edge(clk_i) then
      if rst_i = '1' then
        previous   <= (others => '0');
        begun      <= '0';
        head       <= (others => '0');
        tail       <= (others => '0');
        head_valid <= '0';
        tail_valid <= '0';
      else
        full(transfer_t'high downto transfer_t'high - W + 1) := group_i(W - 1 downto 0);
        for r in 1 to K - 1 loop
          full(r * W - 1 downto (r - 1) * W) := previous((r + 1) * W - 1 downto r * W);
        end loop;
        if pop = '1' or head_valid = '0' then
          -- Otherwise the head keeps its words, so z_o never shows words of the key schedule.
          if tail_valid = '1' then
            head <= tail;
          elsif push = '1' then
            head <= full;
          end if;
          head_valid <= push or tail_valid;
          tail_valid <= push and tail_valid;
        elsif push = '1' then
          tail_valid <= '1';
        end if;
        if push = '1' then
          tail <= full;
        end if;
        if step_i = '1' and valid_i = '1' then
          previous <= group_i;
          begun  <= '1';
        end if;
      end if;
    end if;
  end process;

  z_o       <= head;
  z_valid_o <= head_valid;

end architecture;
