-- Keystream by the byte: takes it from a core K bytes a transfer, drops the first ones on demand, and
-- gives as many of the next K as the bus needs.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity rc4_meter is
  generic (
    K : positive := 2  -- bytes a transfer
  );
  port (
    clk_i     : in  std_logic;  -- rising edge
    rst_i     : in  std_logic;  -- synchronous; forget the keystream: a new key
    drop_i    : in  unsigned(15 downto 0);  -- bytes to drop from here on; read while rst_i is high
    z_i       : in  std_logic_vector(8 * K - 1 downto 0);  -- K bytes, the first one lowest
    z_valid_i : in  std_logic;  -- z_i holds K bytes
    z_ready_o : out std_logic;  -- they are taken when both are high
    bytes_o   : out std_logic_vector(8 * K - 1 downto 0);  -- the next K bytes, the first one lowest
    valid_o   : out std_logic;  -- there are K
    use_i     : in  natural range 0 to K  -- how many of them are used up at this edge, while valid
  );
end entity;

architecture rtl of rc4_meter is
  subtype byte_t is std_logic_vector(7 downto 0);
  type bytes_t is array (natural range <>) of byte_t;

  signal store : bytes_t(0 to 2 * K - 1);
  signal count : natural range 0 to 2 * K;
  signal drop  : unsigned(15 downto 0);
  signal used  : natural range 0 to K;
begin

  used <= use_i when drop = 0 else
          0     when count < K else
          K     when drop >= K else
          to_integer(drop) mod K;

  process (clk_i)
    variable rest : natural range 0 to 2 * K;
    variable moved : bytes_t(0 to 3 * K - 1);
  begin
    if rising_edge(clk_i) then
      if rst_i = '1' then
        store <= (others => (others => '0'));
        count <= 0;
        drop  <= drop_i;
      else
        moved := store & bytes_t'(0 to K - 1 => (others => '0'));
        for c in 0 to 2 * K - 1 loop
          for shift in 0 to K loop
            if used = shift then
              store(c) <= moved(c + shift);
            end if;
          end loop;
        end loop;
        rest := (count - used) mod (2 * K + 1);
        if z_valid_i = '1' and count <= K then
          for place in 0 to K loop
            if rest = place then
              for c in 0 to K - 1 loop
                store(place + c) <= z_i(8 * c + 7 downto 8 * c);
              end loop;
            end if;
          end loop;
          rest := rest + K;
        end if;
        count <= rest;
        if drop /= 0 then
          drop <= drop - used;
        end if;
      end if;
    end if;
  end process;

  process (all)
  begin
    for c in 0 to K - 1 loop
      bytes_o(8 * c + 7 downto 8 * c) <= store(c);
    end loop;
  end process;

  z_ready_o <= '1' when count <= K else '0';
  valid_o   <= '1' when count >= K and drop = 0 else '0';

end architecture;
