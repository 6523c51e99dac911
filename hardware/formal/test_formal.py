"""The proofs, and mutants that each proof must refute. FULL=1 adds the long proofs."""

import os

import mutation
import pytest
from proofs import (
    BUILT,
    HERE,
    WIPED_AXIS,
    bare_axis,
    bare_regs,
    bare_search,
    bare_wb,
    elaborated,
    flow,
    forgotten,
    invariant,
    reach,
    reached,
    registered,
    sat,
)

FULL = os.environ.get("FULL") == "1"


def table(quick, full):
    """Parameters of a test: the quick set, and with FULL=1 the others."""
    return [*quick, *(full if FULL else [])]


# rc4_rounds and rc4_reads: one clock of rc4_unroll is K serial rounds, from any state.

# Each takes one bypass away: the file, the text, and what stands there instead.
BYPASSES = {
    "x of an earlier j": ("rc4_rounds.vhd", "if js(m) = is1(r) then", "if false then"),
    "y of an earlier i": ("rc4_rounds.vhd", "if js(r) = is1(m) then", "if false then"),
    "x at an earlier j": ("rc4_rounds.vhd", "if js(r) = js(m) then", "if false then"),
    "z at a later j": ("rc4_reads.vhd", "if word(t_i, r) = word(j_i, m) then", "if false then"),
    "z at a later i": ("rc4_reads.vhd", "if word(t_i, r) = word(i_i, m) then", "if false then"),
    "latest write": ("rc4_rounds.vhd", "for m in 0 to r - 1 loop", "for m in r - 1 downto 0 loop"),
}


def equal(rounds, name, mutation=None):
    """Returns true if the K rounds equal serial rounds from every state."""
    folder = elaborated("equal", {"N": 8, "K": rounds}, f"{name}-{rounds}", mutation, [HERE / "equal.vhd"])
    flow.yosys(
        """
        read_rtlil flat.il
        opt -full
        techmap
        opt
        write_rtlil bench.il
        """,
        folder,
        "bench",
    )
    return sat(folder, "equal", "-prove equal_o 1 -set-def-inputs")


@pytest.mark.parametrize("rounds", table([1, 2, 3], [4]))
def test_equal_to_serial_rounds(rounds):
    assert equal(rounds, "equal")


@pytest.mark.parametrize("name", BYPASSES)
def test_a_missing_bypass_is_refuted(name):
    assert not equal(3, name, BYPASSES[name])


# Invariants: the core or part beside a model of it.

# Of each entity the bench, and its generics with the names of the bench's parameters.
BENCHES = {
    "rc4_skid": ("skid.sv", {"BITS": "BITS"}),
    "rc4_meter": ("meter.sv", {"K": "K"}),
    "rc4_axis": ("axis.sv", {"K": "K", "KEY_BYTES": "L"}),
    "rc4_axil_port": ("axil.sv", {"ADDRESS_BITS": "A"}),
    "rc4_wb": ("wb.sv", {}),
    "rc4_regs": ("regs.sv", {"K": "K", "KEY_BYTES": "L", "WORDS": "WORDS"}),
    "rc4_fifo": ("fifo.sv", {"BITS": "BITS", "WORDS": "WORDS"}),
    "rc4_search": ("search_control.sv", {"KEY_BYTES": "L", "TEXT_BYTES": "T", "ENGINES": "E"}),
    "rc4_key": ("key.sv", {"N": "N", "K": "K", "KEY_BYTES": "L"}),
    "rc4_bram": ("bram.sv", {"N": "N", "K": "K", "KEY_BYTES": "L"}),
    "rc4_unroll": ("unroll.sv", {"N": "N", "K": "K", "KEY_BYTES": "L"}),
    "rc4_pipe": ("pipe.sv", {"N": "N", "K": "K", "KEY_BYTES": "L"}),
    "rc4_spec": ("spec.sv", {"N": "N", "K": "K", "KEY_BYTES": "L"}),
    "rc4_spec with CORRECT": ("spec.sv", {"N": "N", "K": "K", "KEY_BYTES": "L"}),
    "rc4_still": ("still.sv", {"N": "N", "K": "K", "KEY_BYTES": "L"}),
}


def holds(entity, numbers, name="proof", mutation=None):
    """Returns true if the invariant of an entity holds, with these numbers for its generics."""
    bench, names = BENCHES[entity]
    generics = dict(zip(names, numbers))
    built, more = BUILT.get(entity, (entity, {}))
    build = {"rc4_axis": bare_axis, "rc4_wb": bare_wb, "rc4_regs": bare_regs, "rc4_search": bare_search}.get(entity, elaborated)
    folder = build(built, generics | more, f"{entity}-{name}-{'-'.join(map(str, numbers))}", mutation)
    parameters = dict(zip(names.values(), numbers)) | ({"C": 1} if "CORRECT" in more else {})
    return invariant(built, bench, parameters, folder, hard=built in ("rc4_pipe", "rc4_spec") and parameters["K"] > 1)


PROVEN = [("rc4_skid", (4,)), ("rc4_axis", (1, 2)), ("rc4_key", (8, 2, 3)), ("rc4_bram", (8, 1, 2)), ("rc4_pipe", (8, 1, 2))]
PROVEN += [("rc4_axil_port", (6,)), ("rc4_wb", ()), ("rc4_fifo", (4, 4)), ("rc4_search", (2, 2, 1))]
PROVEN_FULL = [
    ("rc4_regs", (2, 3, 2)),
    ("rc4_regs", (1, 3, 1)),
    ("rc4_fifo", (9, 2)),
    ("rc4_fifo", (4, 8)),
    *(("rc4_search", numbers) for numbers in [(1, 1, 1), (3, 2, 1), (3, 3, 2), (2, 2, 16)]),
    ("rc4_skid", (37,)),
    *(("rc4_meter", (k,)) for k in (1, 2, 4)),
    *(("rc4_axis", (k, length)) for k in (1, 2, 4) for length in (2, 3) if (k, length) != (1, 2)),
    *(("rc4_key", (8, k, length)) for k in (1, 2, 4) for length in range(1, 9) if (k, length) != (2, 3)),
    ("rc4_bram", (8, 1, 3)),
    ("rc4_unroll", (8, 1, 3)),
    ("rc4_unroll", (8, 2, 3)),
    ("rc4_pipe", (8, 1, 3)),
    ("rc4_pipe", (16, 2, 2)),
    ("rc4_spec", (8, 1, 2)),
    ("rc4_spec", (8, 1, 3)),
    ("rc4_spec", (16, 2, 2)),
    ("rc4_spec with CORRECT", (8, 1, 2)),
    ("rc4_spec with CORRECT", (16, 2, 2)),
    ("rc4_still", (8, 1, 2)),
    ("rc4_still", (8, 1, 3)),
]


@pytest.mark.parametrize("entity, numbers", table(PROVEN, PROVEN_FULL))
def test_invariant(entity, numbers):
    assert holds(entity, numbers)


# Each entry is one mutant: entity, file, original text, replacement.
ERRORS = [
    ("rc4_skid", "rc4_skid.vhd", "          if tail_free = '0' then", "          if false then"),
    ("rc4_meter", "rc4_meter.vhd", "high_valid <= fresh_valid and not dropping;", "high_valid <= fresh_valid;"),
    ("rc4_axis", "rc4_axis.vhd", "        if key_taken = '1' then\n          next_state := closed when s_key_tlast = '1' else discarding;\n        elsif", "        if"),
    ("rc4_key", "rc4_key.vhd", "if m < K or m < length then", "if m < length then"),
    ("rc4_bram", "rc4_bram.vhd", "base when t = j else ", ""),
    ("rc4_search", "rc4_search.vhd", "elsif state = handing and hit_ready = '1' then", "elsif state = handing then"),
]
ERRORS_FULL = [
    ("rc4_axil_port", "rc4_axil_port.vhd", "s_axil_awvalid = '1' and s_axil_wvalid = '1' and", "s_axil_awvalid = '1' and"),
    ("rc4_axil_port", "rc4_axil_port.vhd", " and (s_axil_arvalid = '0' or was_write = '0') then", " and s_axil_arvalid = '0' then"),
    ("rc4_axil_port", "rc4_axil_port.vhd", " and (s_axil_arvalid = '0' or was_write = '0') then", " then"),
    ("rc4_axil_port", "rc4_axil_port.vhd", "        if ready_i = '1' then", "        if true then"),
    ("rc4_axil_port", "rc4_axil_port.vhd", "(s_axil_bvalid = '1' and s_axil_bready = '1') or", "s_axil_bvalid = '1' or"),
    ("rc4_axil_port", "rc4_axil_port.vhd", "s_axil_rdata   <= (others => '0');\n        address_o", "address_o"),
    ("rc4_axil_port", "rc4_axil_port.vhd", "response := error_i & '0';", 'response := "00";'),
    ("rc4_axil_port", "rc4_axil_port.vhd", "          data_o <= (others => '0');  -- it may have been a key\n", ""),
    ("rc4_axil_port", "rc4_axil_port.vhd", "strobe_o       <= s_axil_wstrb;", 'strobe_o       <= "1111";'),
    ("rc4_regs", "rc4_regs.vhd", "rst_i => rst_i or wipe or stop", "rst_i => rst_i"),
    ("rc4_regs", "rc4_regs.vhd", "aresetn => not (rst_i or stop)", "aresetn => not rst_i"),
    ("rc4_regs", "rc4_regs.vhd", "elsif write_i = '1' and in_beats /= 0 then", "elsif false then"),
    ("rc4_regs", "rc4_regs.vhd", """elsif write_i = '1' and key_keep /= "0000" then""", "elsif false then"),
    ("rc4_regs", "rc4_regs.vhd", "room <= WORDS - claimed when", "room <= WORDS - available when"),
    ("rc4_regs", "rc4_regs.vhd", "if key_last = '1' then", "if false then"),
    ("rc4_regs", "rc4_regs.vhd", "if write_i = '1' and key_wanted = '0' then", "if false then"),
    ("rc4_regs", "rc4_regs.vhd", "key_left(2 downto 0) > ones(key_keep)", "key_left(2 downto 0) /= 0"),
    ("rc4_regs", "rc4_regs.vhd", """if write_i = '1' and key_keep /= "0000" then\n        ready_o""", "if false then\n        ready_o"),
    ("rc4_regs", "rc4_regs.vhd", "and unsigned(data_i(31 downto 16)) = 0 else", "else"),
    ("rc4_regs", "rc4_regs.vhd", "if state = scheduling and in_ready = '1' and stop = '0' then", "if state = scheduling then"),
    ("rc4_regs", "rc4_words.vhd", "left := count - 1;", "left := count;"),
    ("rc4_wb", "rc4_wb.vhd", "valid <= cyc_i and stb_i and not ack and not err;", "valid <= cyc_i and stb_i and not ack;"),
    ("rc4_wb", "rc4_wb.vhd", "valid <= cyc_i and stb_i and not ack and not err;", "valid <= cyc_i and stb_i;"),
    ("rc4_wb", "rc4_wb.vhd", "ack   <= valid and ready and not error;", "ack   <= valid and ready;"),
    ("rc4_wb", "rc4_wb.vhd", "      dat_o <= (others => '0');\n      if valid", "      if valid"),
    ("rc4_wb", "rc4_wb.vhd", "stall_o <= cyc_i and not ack and not err;", "stall_o <= cyc_i and not ack;"),
    ("rc4_wb", "rc4_wb.vhd", "err_o   <= err and cyc_i and stb_i;", "err_o   <= err and cyc_i;"),
    ("rc4_search", "rc4_search.vhd", "if pair = N / 2 then", "if pair = N / 2 - 1 then"),
    ("rc4_search", "rc4_search.vhd", "                epoch <= not epoch;", "                epoch <= epoch;"),
    ("rc4_search", "rc4_search.vhd", "            sweep   <= '1';\n", ""),
    ("rc4_search", "rc4_search.vhd", "if lane_no = lane_limit then", "if lane_no = 8 * ENGINES - 1 then"),
    ("rc4_search", "rc4_search.vhd", "          if m0 = last then\n            next_lane", "          if m0 = 0 then\n            next_lane"),
    ("rc4_search", "rc4_search.vhd", "elsif m0 = KEY_BYTES - 1 then", "elsif false then"),
    ("rc4_search", "rc4_search.vhd", "        carry <= '1';", "        carry <= '0';"),
    ("rc4_search", "rc4_search.vhd", "carry   <= sum(W);", "carry   <= '0';"),
    ("rc4_search", "rc4_search.vhd", "                bank  <= not bank;\n", ""),
    ("rc4_search", "rc4_search.vhd", "batches <= batches + 1;", "batches <= batches + 2;"),
    ("rc4_search", "rc4_search.vhd", "if answer_due = '1' and found = '0' then", "if answer_due = '1' then"),
    ("rc4_search", "rc4_search.vhd", "positive := 9; ", "positive := 10; "),
    ("rc4_search", "rc4_search.vhd", "if pair = text_count then", "if pair = text_count - 1 then"),
    ("rc4_search", "rc4_search.vhd", "resize(pair - 1, T) when", "resize(pair, T) when"),
    ("rc4_search", "rc4_search.vhd", "m1       <= after_place(to_unsigned(0, M), last);", "m1       <= to_unsigned(0, M);"),
    ("rc4_search", "rc4_search.vhd", "                seen      <= 0;\n", ""),
    ("rc4_search", "rc4_search.vhd", "          if m0 = 0 then\n            key_error <= '0';\n          end if;\n", ""),
    ("rc4_search", "rc4_search.vhd", "        text_count <= 0;\n", ""),
    ("rc4_search", "rc4_search.vhd", "second and not slot(1);", "second;"),
    ("rc4_search", "rc4_search.vhd", '"000" & told.group_no(0);', '"000" & told.group_no(1);'),
    ("rc4_search", "rc4_search.vhd", "hit(b) <= lane_no(q);", "hit(b) <= base_1(b);"),
    ("rc4_search", "rc4_search.vhd", " and text_valid_i = '0'", ""),
    ("rc4_search", "rc4_search.vhd", "            dead  <= '1';\n            state <= draining;", "            state <= draining;"),
    ("rc4_search", "rc4_search.vhd", "          pass_1   <= '1';\n", ""),
    ("rc4_search", "rc4_search.vhd", "          dead     <= '0';\n", ""),
    ("rc4_search", "rc4_search.vhd", "if pair /= 1 or second = '1' then", "if second = '1' then"),
    ("rc4_search", "rc4_search.vhd", "told.write_even <= second and not pair(0);", "told.write_even <= second;"),
    ("rc4_search", "rc4_search.vhd", "wipe        <= rst_i or clear_i;", "wipe        <= rst_i;"),
    ("rc4_search", "rc4_search.vhd", "                sweep     <= '0';\n                epoch     <= not epoch;", "                sweep     <= '0';"),
    ("rc4_search", "rc4_search.vhd", "                dead      <= '0';\n", ""),
    ("rc4_search", "rc4_search.vhd", "        if pair /= N / 2 then\n", "        if true then\n"),
    ("rc4_search", "rc4_search.vhd", "first(0) := carry;", "first(0) := '1';"),
    ("rc4_search", "rc4_search.vhd", "            lane_no <= (others => '0');\n            state   <= probing;", "            state   <= probing;"),
    ("rc4_search", "rc4_search.vhd", "answer_due  <= marks(ANSWER);", "answer_due  <= marks(ANSWER - 1);"),
    ("rc4_fifo", "rc4_fifo.vhd", "        if valid_i = '1' and full = '0' then", "        if valid_i = '1' then"),
    ("rc4_fifo", "rc4_fifo.vhd", "      if valid_i = '1' and full = '0' then\n        held", "      if valid_i = '1' then\n        held"),
    ("rc4_fifo", "rc4_fifo.vhd", " when none = '0' else (others => '0');", ";"),
    ("rc4_skid", "rc4_skid.vhd", "head_valid <= valid_i or not tail_free;", "head_valid <= valid_i;"),
    ("rc4_meter", "rc4_meter.vhd", "place(B - 1) <= '0';\n        end if;", "end if;"),
    ("rc4_meter", "rc4_meter.vhd", "turn        <= full and take_i and next_place(B - 1);", "turn <= take_i and next_place(B - 1);"),
    ("rc4_axis", "rc4_axis.vhd", "        too_long   <= '0';\n        key_count", "        key_count"),
    ("rc4_axis", "rc4_axis.vhd", "s_axis_tready <= room0 when state = streaming else '0';", "s_axis_tready <= room0 when state = streaming or state = draining else '0';"),
    ("rc4_axis", "rc4_axis.vhd", "coming_valid = '0' and valid1 = '0'", "coming_valid = '0'"),
    ("rc4_axis", "rc4_axis.vhd", "elsif state = waiting and window_valid = '1' then", "elsif state = waiting then"),
    # These keep the data right, and the bus does not go on.
    ("rc4_axis", "rc4_axis.vhd", "elsif state = waiting and window_valid = '1' then", "elsif state = waiting and window_valid = '1' and drop_taken = 0 then"),
    ("rc4_axis", "rc4_axis.vhd", "elsif state = streaming and s_key_tvalid = '1' then", "elsif state = streaming and s_key_tvalid = '1' and valid1 = '0' then"),
    ("rc4_axis", "rc4_axis.vhd", "take <= valid1 and window_valid and room3;", "take <= valid1 and window_valid and room3 and not m_axis_tvalid;"),
    ("rc4_axis", "rc4_axis.vhd", "go0  <= take or not valid1;", "go0  <= take;"),
    ("rc4_axis", "rc4_axis.vhd", "take <= valid1 and window_valid and room3;", "take <= valid1 and window_valid;"),
    ("rc4_axis", "rc4_axis.vhd", "core_busy or (key1_valid and key1_last)", "core_busy"),
    ("rc4_axis", "rc4_axis.vhd", "wipe <= clear or too_long;", "wipe <= clear;"),
    ("rc4_axis", "rc4_axis.vhd", "lane := place + number1(b);", "lane := place or number1(b);"),
    ("rc4_axis", "rc4_axis.vhd", "and (7 downto 0 => transfer2(8 * K + b))", ""),
    ("rc4_axis", "rc4_axis.vhd", "when state /= discarding", "when true"),
    ("rc4_key", "rc4_key.vhd", "words(m + K) and (v'range => longer(m + K))", "words(m + K)"),
    ("rc4_key", "rc4_key.vhd", "words((m + K) mod length)", "words(m mod length)"),
    ("rc4_key", "rc4_key.vhd", "if (m + 1) mod length = 0 then", "if m + 1 = length then"),
    ("rc4_key", "rc4_key.vhd", "            if VARIABLE_KEY then\n              longer <= (others => '0');\n            end if;\n", ""),
    ("rc4_bram", "rc4_bram.vhd", "write_d when t = write_a else ", ""),
    ("rc4_bram", "rc4_bram.vhd", "            i      <= to_unsigned(1, W);", "            i      <= to_unsigned(0, W);"),
    ("rc4_unroll", "rc4_reads.vhd", "if word(t_i, r) = word(j_i, m) then", "if false then"),
    ("rc4_unroll", "rc4_unroll.vhd", "        valid2  <= '0';\n", ""),
    # These keep the keystream right, and the core does not go on.
    ("rc4_bram", "rc4_bram.vhd", "and (busy or stream)", "and (busy or (stream and z_ready_i and not z_due))"),
    ("rc4_pipe", "rc4_pipe.vhd", "go <= not stop;", "go <= go and not stop;"),
    ("rc4_pipe", "rc4_rotor.vhd", "eq(e0(r), e1(m)) and live(1)", "'0'"),
    ("rc4_pipe", "rc4_rotor.vhd", "eq(e2(m), (AHEAD + 3) * K + r)", "'0'"),
    ("rc4_pipe", "rc4_pipe.vhd", "if word(e0, m) = (3 * K + r) mod N and live = '1' then", "if false then"),
    ("rc4_pipe", "rc4_out.vhd", "stop_o <= head_valid and not pop;", "stop_o <= tail_valid and not pop;"),
    ("rc4_pipe", "rc4_key.vhd", "turned(m) <= words((m + K) mod KEY_BYTES);", "turned(m) <= words(m);"),
    ("rc4_spec", "rc4_spec.vhd", "meets(sum, 3 * K)", "'0'"),
    ("rc4_spec", "rc4_spec.vhd", "meets(sum, 4 * K)", "'0'"),
    ("rc4_spec", "rc4_spec.vhd", "to_std_logic(e0(r) = (5 * K + target) mod N)", "'0'"),
    ("rc4_spec", "rc4_rotor.vhd", "eq(e0(r), e2(m)) and live(2)", "'0'"),
    ("rc4_spec with CORRECT", "rc4_spec.vhd", "x_old <= x_to;", "x_old <= x_from;"),
    ("rc4_spec with CORRECT", "rc4_spec.vhd", "          late <= (others => '0');  -- the sums have it now\n", ""),
    ("rc4_spec with CORRECT", "rc4_spec.vhd", "if r > 0 or first = '0' then", "if true then"),
    ("rc4_still", "rc4_spec.vhd", "meets(sum, 3 * K)", "'0'"),
    ("rc4_still", "rc4_spec.vhd", "(kind3.stream and kind2.stream and kind1.stream and kind0.stream) = ", "kind3.stream = "),
    ("rc4_still", "rc4_cells.vhd", "eq(e2(m), (AHEAD + 4) * K + r)", "'0'"),
    ("rc4_still", "rc4_cells.vhd", "not (i_lost3(r) or rst_i)", "not rst_i"),
    ("rc4_still", "rc4_cells.vhd", "row(i2 + (AHEAD + 4) * K)", "row(i2 + (AHEAD + 3) * K)"),
]


AT = {"rc4_search": (3, 2, 1), "rc4_regs": (2, 3, 2), "rc4_meter": (2,), "rc4_axis": (2, 2), "rc4_unroll": (8, 2, 3)}  # where smaller numbers would hide an error


@pytest.mark.parametrize("entity, file, old, new", table(ERRORS, ERRORS_FULL))
def test_an_error_breaks_the_invariant(entity, file, old, new, request):
    numbers = AT.get(entity) or next(numbers for proven, numbers in PROVEN + PROVEN_FULL if proven == entity)
    assert not holds(entity, numbers, request.node.name, (file, old, new))


# Errors in what rounds of one group do to each other.
ERRORS_OF_TWO = [
    ("rc4_pipe", "rc4_rotor.vhd", "eq(e0(r), e0(m))", "'0'"),
    ("rc4_pipe", "rc4_pipe.vhd", "if word(e, m) = 2 * K + r then", "if false then"),
    ("rc4_spec", "rc4_rotor.vhd", "eq(e0(r), e0(m))", "'0'"),
    ("rc4_spec", "rc4_spec.vhd", "v     := patch(x0, x0, hit0);", "v     := x0;"),
    ("rc4_spec with CORRECT", "rc4_rotor.vhd", "eq(e0(r), e0(m))", "'0'"),
    ("rc4_spec with CORRECT", "rc4_spec.vhd", "x_old <= x_to;", "x_old <= x_from;"),
    ("rc4_spec with CORRECT", "rc4_spec.vhd", "if r > 0 or first = '0' then", "if first = '0' then"),  # holds for K = 1
]


@pytest.mark.parametrize("entity, file, old, new", table([], ERRORS_OF_TWO))
def test_an_error_of_two_rounds_breaks_the_invariant(entity, file, old, new, request):
    assert not holds(entity, (16, 2, 2), request.node.name, (file, old, new))


# Errors in what clusters of engines do.
ERRORS_OF_CLUSTERS = [
    ("one := one or any(s - 1);", "one := one;"),
    ("chain(s) <= chain(s - 1);", "chain(s) <= told;"),
    ("CODE_LANE + q - 2", "CODE_LANE + q - 3"),
    ("resize(shift_right(lane_no, 3), 8)", "resize(shift_right(lane_no, 4), 8)"),
]


@pytest.mark.parametrize("old, new", table([], ERRORS_OF_CLUSTERS))
def test_an_error_of_clusters_breaks_the_invariant(old, new, request):
    assert not holds("rc4_search", (2, 2, 16), request.node.name, ("rc4_search.vhd", old, new))


@pytest.mark.skipif(not FULL, reason="FULL=1")
def test_what_is_read_while_it_is_written_does_not_matter():
    """The RAM of rc4_bram may give anything then: no synthesis has to make it give the old word, or the new one."""
    anything = "at <= not write_d when write_e = '1' and write_a = read_a else s(to_integer(read_a));"
    assert holds("rc4_bram", (8, 1, 2), "read-while-written", ("rc4_bram.vhd", "at <= s(to_integer(read_a));", anything))


# rc4_search_engine: what it does with the table of a key, P or Q, is what RC4 does.

PARTS = ["schedule", "last pair", "exchange", "comparison", "sweep", "first rounds", "probe"]  # of search.sv


def engine(part, q, name, mutation=None):
    """Returns true if a part of an engine's work is right, from every state and for any other keys."""
    folder = elaborated("rc4_search_engine", {"N": 8, "NUMBER": 0}, f"engine-{part}-{q}-{name}", mutation)
    return reached("rc4_search_engine", "search.sv", {"PART": PARTS.index(part), "Q": q}, folder, clocks=23)


@pytest.mark.parametrize("part, q", table([], [(part, q) for part in PARTS for q in (0, 1)]))
def test_engine(part, q):
    assert engine(part, q, "proof")


# An error each: the part, the key, the text, and what stands there instead.
ENGINE_ERRORS = [
    ("last pair", 0, "write_odd  <= past(0).write_odd;", "write_odd <= '0';"),
    ("schedule", 1, "even_takes_x2(7)  <= inside(j2, past(6)) and not j2(0);", "even_takes_x2(7) <= '0';"),
    ("schedule", 0, "if inside(j1, past(4)) = '1' and j1(0) = '1' then", "if false then"),
    ("schedule", 0, "if inside_1(7) = '1' then", "if false then"),
    ("schedule", 1, "inside_2(7)       <= inside(j2, past(6)) or not", "inside_2(7) <= not"),
    ("schedule", 0, "      y2 <= b_now;\n", "      y2 <= even_8;\n"),
    ("schedule", 1, "if past(4).slot(0) = '1' then", "if false then"),
    ("schedule", 0, "if past(6).slot(1) = '0' and (", "if ("),
    ("exchange", 0, "if past(2).odd = '1' then", "if false then"),
    ("exchange", 1, "(past(4).schedule or past(4).step)", "(past(4).schedule or past(4).compare)"),
    ("comparison", 1, "j := even_after(14);", "j := even_after(13);"),
    ("comparison", 0, "alive_o <= or alive;", "alive_o <= alive(0);"),
    ("sweep", 0, "word_in    <= past(7).epoch", "word_in    <= not past(7).epoch"),
    ("sweep", 0, "write_odd  <= past(0).write_odd;", "write_odd  <= past(0).write_odd and not past(0).sweep;"),
    ("first rounds", 0, "place_b(2), past(7).epoch", "place_b(2), past(9).epoch"),
    ("probe", 0, "if past(0).number = NUMBER then", "if true then"),
    ("probe", 0, "alive(to_integer(past(0).pair(2 downto 0)))", "alive(to_integer(past(1).pair(2 downto 0)))"),
]


@pytest.mark.parametrize("part, q, old, new", table([], ENGINE_ERRORS))
def test_an_error_of_the_engine_is_refuted(part, q, old, new, request):
    assert not engine(part, q, request.node.name, ("rc4_search_engine.vhd", old, new))


# Wipes: the entity, the clocks that the README states, and the registers.
CORE = {"N": 8, "K": 1, "KEY_BYTES": 3}
WIPED = [
    ("rc4_pipe", 1, "key_box.words"),
    ("rc4_pipe", 2, "rotor.s_n"),
    ("rc4_bram", 1 + CORE["N"], "*"),
]
WIPED_FULL = [
    ("rc4_unroll", 1, "*"),
    ("rc4_spec", 1, "key_box.words"),
    ("rc4_spec", 2, "rotor.s_n"),
    ("rc4_still", 1, "core.key_box.words"),
    ("rc4_still", 2, "core.cells.s_n"),
    ("rc4_still", 12, "*"),
    ("rc4_bram", 1, "key_box.words"),
    ("rc4_pipe", 12, "*"),
    ("rc4_spec", 12, "*"),
]


@pytest.mark.parametrize("command", ["rst_i", "clear_i"] if FULL else ["rst_i"])
@pytest.mark.parametrize("entity, clocks, registers", table(WIPED, WIPED_FULL))
def test_wiped(entity, clocks, registers, command):
    folder = elaborated(entity, CORE, f"wipe-{entity}-{clocks}-{registers}-{command}")
    assert forgotten(entity, folder, clocks, registers, {command: 1})


# Of rc4_axis without its core: after aresetn all data and keystream are gone, and after clear all but what waits at the output.
@pytest.mark.parametrize("command, clocks, registers", table(WIPED_AXIS[-1:], WIPED_AXIS[:-1]))
def test_axis_wiped(command, clocks, registers):
    folder = bare_axis("rc4_axis", {"K": 2, "KEY_BYTES": 2}, f"wipe-axis-{clocks}-{'-'.join(command)}")
    assert forgotten("rc4_axis", folder, clocks, registers, command, quiet={})


@pytest.mark.parametrize("command, clocks, registers", table([], WIPED_AXIS))
def test_what_axis_keeps_is_found(command, clocks, registers):
    """A register of each stage that is not wiped."""
    error = {
        ("aresetn", 1): ("rc4_skid.vhd", "        tail       <= (others => '0');\n", ""),
        ("clear", 1): ("rc4_axis.vhd", "        stream2   <= (others => '0');\n", ""),
        ("clear", 2): ("rc4_meter.vhd", "        high       <= (others => '0');\n", ""),
    }[next(iter(command)), clocks]
    folder = bare_axis("rc4_axis", {"K": 2, "KEY_BYTES": 2}, f"kept-axis-{clocks}-{'-'.join(command)}", error)
    assert not forgotten("rc4_axis", folder, clocks, registers, command, quiet={})


# The clocks are no fewer than that, and a register that keeps its value is found.
KEPT = [
    ("rc4_bram", CORE["N"], "*", None),
    ("rc4_pipe", 1, "key_box.words", ("rc4_key.vhd", "      if rst_i = '1' then\n        words     <= (others => (others => '0'));", "      if rst_i = '1' then")),
]
KEPT_FULL = [
    ("rc4_pipe", 1, "rotor.s_n", None),
    ("rc4_still", 2, "core.cells.s_n", ("rc4_cells.vhd", "not (i_lost3(r) or rst_i)", "not i_lost3(r)")),
    ("rc4_pipe", 12, "*", ("rc4_out.vhd", "        head       <= (others => '0');\n", "")),
    ("rc4_spec", 12, "*", ("rc4_out.vhd", "        tail       <= (others => '0');\n", "")),
    ("rc4_unroll", 1, "*", ("rc4_unroll.vhd", "        ts2     <= (others => '0');\n", "")),
    ("rc4_bram", 1 + CORE["N"], "*", ("rc4_bram.vhd", "        base    <= (others => '0');\n", "")),
]


@pytest.mark.parametrize("entity, clocks, registers, mutation", table(KEPT, KEPT_FULL))
def test_what_is_kept_is_found(entity, clocks, registers, mutation):
    folder = elaborated(entity, CORE, f"kept-{entity}-{clocks}-{registers}", mutation)
    assert not forgotten(entity, folder, clocks, registers)


# Every ready and every valid of the bus is made of registers alone: none depends on one of the other side in the same clock.
HANDSHAKE = {
    "rc4_skid": ({"BITS": 4}, ["ready_o", "valid_o"]),
    "rc4_axis": ({"CORE": "bram", "K": 1}, ["s_key_tready", "s_axis_tready", "m_axis_tvalid", "m_axis_tdata", "m_axis_tkeep", "m_axis_tlast"]),
}


@pytest.mark.parametrize("entity", HANDSHAKE)
def test_no_path_from_the_other_side(entity):
    generics, outputs = HANDSHAKE[entity]
    assert not reach(entity, outputs, elaborated(entity, generics, f"reach-{entity}"))


def test_a_path_from_the_other_side_is_found():
    generics, outputs = HANDSHAKE["rc4_skid"]
    error = ("rc4_skid.vhd", "ready_o <= tail_free;", "ready_o <= tail_free or ready_i;")
    assert reach("rc4_skid", outputs, elaborated("rc4_skid", generics, "reach-error", error)) == ["ready_i"]


@pytest.mark.parametrize("entity", table(["rc4_axil"], ["rc4_search_axil"]))
def test_outputs_are_registers(entity):
    """Each output of the entities on AXI4-Lite is a register or a constant."""
    assert registered(entity, elaborated(entity, {}, f"outputs-{entity}"))


def test_an_output_that_is_no_register_is_found():
    error = ("rc4_axil.vhd", "interrupt_o => interrupt\n    );", "interrupt_o => open\n    );\n\n  interrupt <= valid;")
    assert not registered("rc4_axil", elaborated("rc4_axil", {}, "outputs-error", error))


def test_the_table_of_errors_is_recorded():
    assert mutation.table() in (HERE / "README.md").read_text(), "run mutation.py"
