-- SPDX-License-Identifier: MIT OR Apache-2.0
-- The S-box: a bank of N registers, its read multiplexers and its write decoders. The key schedule
-- and the keystream may share these ports (sections 2.1, 2.4 and 3.4; figures 8, 11 and 12).
--
-- Two writes to one cell in one clock must carry the same data, as in table 2. So a cell
-- needs no priority between its writers.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.paper_pkg.all;

entity paper_sbox is
  generic (
    N            : positive;  -- cells
    W            : positive;  -- bits of a word
    KSA_READS    : positive;  -- read ports that the key schedule needs
    KSA_WRITES   : positive;  -- write ports that it needs
    PRGA_READS   : positive;  -- read ports that the keystream needs
    PRGA_WRITES  : positive;  -- write ports that it needs
    SHARED_PORTS : boolean    -- one set of ports for both; false: a set each (Pipelined-A)
  );
  port (
    clk_i             : in  std_logic;  -- rising edge
    identity_i        : in  std_logic;  -- every cell takes its own number
    ksa_i             : in  std_logic;  -- the key schedule has the ports that are shared
    ksa_write_i       : in  std_logic;  -- the key schedule writes
    ksa_read_addr_i   : in  words_t(0 to KSA_READS - 1)(W - 1 downto 0);
    ksa_read_data_o   : out words_t(0 to KSA_READS - 1)(W - 1 downto 0);
    ksa_write_addr_i  : in  words_t(0 to KSA_WRITES - 1)(W - 1 downto 0);
    ksa_write_data_i  : in  words_t(0 to KSA_WRITES - 1)(W - 1 downto 0);
    prga_write_i      : in  std_logic;  -- the keystream writes
    prga_read_addr_i  : in  words_t(0 to PRGA_READS - 1)(W - 1 downto 0);
    prga_read_data_o  : out words_t(0 to PRGA_READS - 1)(W - 1 downto 0);
    prga_write_addr_i : in  words_t(0 to PRGA_WRITES - 1)(W - 1 downto 0);
    prga_write_data_i : in  words_t(0 to PRGA_WRITES - 1)(W - 1 downto 0)
  );
end entity;

architecture rtl of paper_sbox is
  signal s : words_t(0 to N - 1)(W - 1 downto 0);

  -- Where the ports of the keystream begin.
  function first(ksa_ports : natural) return natural is
  begin
    if SHARED_PORTS then
      return 0;
    end if;
    return ksa_ports;
  end function;

  constant PRGA_READ   : natural := first(KSA_READS);
  constant PRGA_WRITE  : natural := first(KSA_WRITES);
  constant READS       : positive := maximum(KSA_READS, PRGA_READ + PRGA_READS);
  constant WRITES      : positive := maximum(KSA_WRITES, PRGA_WRITE + PRGA_WRITES);

  signal read_addr, read_data   : words_t(0 to READS - 1)(W - 1 downto 0);
  signal write_addr, write_data : words_t(0 to WRITES - 1)(W - 1 downto 0);
  signal write_en               : std_logic_vector(0 to WRITES - 1);
begin

  read_ports : for r in 0 to READS - 1 generate
    both : if r < KSA_READS and r >= PRGA_READ and r - PRGA_READ < PRGA_READS generate
      read_addr(r) <= ksa_read_addr_i(r) when ksa_i = '1' else prga_read_addr_i(r - PRGA_READ);
    elsif r < KSA_READS generate
      read_addr(r) <= ksa_read_addr_i(r);
    else generate
      read_addr(r) <= prga_read_addr_i(r - PRGA_READ);
    end generate;
    read_data(r) <= s(to_integer(read_addr(r)));
  end generate;
  ksa_read_data_o  <= read_data(0 to KSA_READS - 1);
  prga_read_data_o <= read_data(PRGA_READ to PRGA_READ + PRGA_READS - 1);

  write_ports : for p in 0 to WRITES - 1 generate
    both : if p < KSA_WRITES and p >= PRGA_WRITE and p - PRGA_WRITE < PRGA_WRITES generate
      write_en(p)   <= ksa_write_i when ksa_i = '1' else prga_write_i;
      write_addr(p) <= ksa_write_addr_i(p) when ksa_i = '1' else prga_write_addr_i(p - PRGA_WRITE);
      write_data(p) <= ksa_write_data_i(p) when ksa_i = '1' else prga_write_data_i(p - PRGA_WRITE);
    elsif p < KSA_WRITES generate
      write_en(p)   <= ksa_write_i;
      write_addr(p) <= ksa_write_addr_i(p);
      write_data(p) <= ksa_write_data_i(p);
    else generate
      write_en(p)   <= prga_write_i;
      write_addr(p) <= prga_write_addr_i(p - PRGA_WRITE);
      write_data(p) <= prga_write_data_i(p - PRGA_WRITE);
    end generate;
  end generate;

  cells : for m in 0 to N - 1 generate
    process (clk_i)
      variable hit  : std_logic;
      variable data : unsigned(W - 1 downto 0);
    begin
      if rising_edge(clk_i) then
        hit  := '0';
        data := (others => '0');
        for p in 0 to WRITES - 1 loop
          if write_en(p) = '1' and write_addr(p) = m then
            hit  := '1';
            data := data or write_data(p);
          end if;
        end loop;
        if identity_i = '1' then
          s(m) <= to_unsigned(m, W);
        elsif hit = '1' then
          s(m) <= data;
        end if;
      end if;
    end process;
  end generate;

end architecture;
