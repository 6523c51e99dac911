"""Our numbers beside the paper's, for reading."""

from __future__ import annotations

from functools import partial

import pandas as pd

from lab.model import Table
from lab.results import Results
from lab.shapes import recorded, wide

# The paper's names for statements that our ports name differently.
LANGUAGES = {"assembly": "Assembly"}
PAPER_FUNCTIONS = {"ksa": "rc4_ksa", "prga": "rc4_prga", "keystream": "rc4_keystream", "crypt_v0": "rc4_crypt"}


def languages(results: Results) -> pd.DataFrame:
    """Figure 3.1 by language and size: the paper's seconds, ours both ways."""
    paper = results.paper("figure-3-1").melt("bytes", var_name="language", value_name="paper_s")
    paper["bytes"] = paper["bytes"].replace(1, 2)
    script = results["languages"].assign(process_s=lambda t: t.process_us / 1e6, process_loop=lambda t: t.loop)
    steady = results["languages-steady"].assign(own_s=lambda t: t.us / 1e6)
    keys = ["language", "bytes"]
    ours = script[[*keys, "process_loop", "process_s"]].merge(steady[[*keys, "own_s"]], on=keys).replace({"language": LANGUAGES})
    return ours.merge(paper, on=keys, how="left")[[*keys, "paper_s", "process_s", "process_loop", "own_s"]]


def runs(timed: pd.DataFrame, index: str | list[str], columns: str | None = None) -> pd.DataFrame:
    """How many runs a time rests on: quiet ones of those made, with the least and the most of those that count."""
    said = timed.assign(runs=[f"{row.quiet} of {row.runs}, {row.us_min / 1e3:.4g} to {row.us_max / 1e3:.4g} ms" for row in timed.itertuples()])
    if columns is None:
        return said.set_index(index)[["runs"]].rename(columns={"runs": "quiet runs, least to most"})
    return said.pivot(index=index, columns=columns, values="runs").add_suffix(": quiet runs, least to most")


def sizes(results: Results, experiment: str, claims: tuple[str, ...]) -> pd.DataFrame:
    """§4.3's tables: milliseconds by size; in C a column for each level of optimisation."""
    paper = pd.concat([results.paper(claim) for claim in claims]).rename(columns={"ms": "paper_ms"})
    ours = results[experiment].assign(ms=lambda t: t.us / 1e3)
    ours["column"] = ours.level.map("gcc {} ms".format) if "level" in ours else "ours_ms"
    return paper.merge(wide(ours, "bytes", "column", "ms").join(runs(ours, "bytes", "column")).reset_index(), on="bytes")


def c_versions(results: Results) -> pd.DataFrame:
    """§5.2.1: milliseconds by version and level of optimisation."""
    ours = results["c-versions"].assign(ms=lambda t: t.us / 1e3)
    levels = wide(ours, "version", "level", "ms", "gcc {} ms").join(runs(ours, "version", "level").add_prefix("gcc "))
    return results.paper("c-versions").rename(columns={"ms": "paper_ms"}).merge(levels.reset_index(), on="version")


def java_versions(results: Results) -> pd.DataFrame:
    """§5.2.2 as the paper lays it out: times, improvement on the version before and in total, ratio."""
    ours = results["java-versions"].assign(ms=lambda t: t.us / 1e3).pivot(index="version", columns="jit", values="ms")
    paper = results.paper("java-versions").set_index("version")
    table = pd.DataFrame(index=paper.index)
    for jit, name in ((False, "without_jit"), (True, "with_jit")):
        table[f"paper_{name}_ms"] = paper[f"{name}_ms"]
        table[f"ours_{name}_ms"] = ours[jit]
        for source in ("paper", "ours"):
            times = table[f"{source}_{name}_ms"]
            table[f"{source}_{name}_gain_percent"] = 100 * (1 - times / times.shift()).fillna(0)
            table[f"{source}_{name}_total_percent"] = 100 * (1 - times / times.iloc[0])
    for source in ("paper", "ours"):
        table[f"{source}_ratio"] = table[f"{source}_without_jit_ms"] / table[f"{source}_with_jit_ms"]
    said = runs(results["java-versions"].assign(jit=lambda t: t.jit.map({False: "without_jit", True: "with_jit"})), "version", "jit")
    return table.join(said).reset_index()


# Initial and optimised programs. In C the optimised one is V3, the paper's, or V4.
FINAL = {f"C gcc {level}, {version}": ((f"C {level}", "V0"), (f"C {level}", version)) for level in ("-O2", "-O3") for version in ("V3", "V4")}
FINAL |= {"Java": (("Java", "V1"), ("Java", "V4"))}


def final(results: Results) -> pd.DataFrame:
    """§5.2.3: initial and optimised in milliseconds."""
    rows: list[tuple] = []
    for size, claim in ((200, "final-small"), (5_000_000, "final-large")):
        rows += [(size, f"{row.language}, paper", row.initial_ms, row.optimized_ms, "") for row in results.paper(claim).itertuples()]
        ours = results["final"].query("bytes == @size").fillna({"version": ""})
        times = ours.set_index(["language", "version"]).us / 1e3
        said = runs(ours, ["language", "version"])["quiet runs, least to most"]
        rows += [(size, name, times[initial], times[optimised], said[optimised]) for name, (initial, optimised) in FINAL.items()]
        rows += [(size, name, None, times[name, ""], said[name, ""]) for name in ("assembly", "our rc4")]
    table = pd.DataFrame(rows, columns=["bytes", "program", "initial_ms", "optimized_ms", "optimized: quiet runs, least to most"])
    table["gain_percent"] = 100 * (1 - table.optimized_ms / table.initial_ms)
    return table


def key_length(results: Results) -> pd.DataFrame:
    """§4.3 and §5.1.2: microseconds of key schedule and two bytes."""
    ours = results["key-length"]
    ours["program"] = ours.language + ", " + ours["index"]
    ours = ours.sort_values("program", kind="stable")
    return wide(ours, "key_bytes", "program", "us", "{} us").join(runs(ours, "key_bytes", "program")).reset_index()


def c_functions(results: Results) -> pd.DataFrame:
    """§4.3.1: shares of the functions, paper and ours."""
    tables = []
    for name in ("small", "large"):
        samples = results["c-profile"].query("input == @name").groupby("function")["samples"].sum().rename(index=PAPER_FUNCTIONS)
        paper = results.paper(f"c-functions-{name}").rename(columns={"percent": "paper_percent"})
        tables.append(paper.assign(input=name, ours_percent=(100 * paper.function.map(samples) / samples.sum()).fillna(0.0)))
    return pd.concat(tables)[["input", "function", "paper_percent", "ours_percent"]]


def c_lines(results: Results) -> pd.DataFrame:
    """§4.3.1: the PRGA's lines: time, instructions and accesses to memory."""
    time = results["c-profile"].query("input == 'large' and function == 'prga'")
    time = (100 * time.groupby("statement")["samples"].sum() / time["samples"].sum()).rename("time_percent")
    counts = ["instructions_per_byte", "reads_per_byte", "writes_per_byte"]
    cost = results["c-instructions"].query("function == 'prga'").groupby("statement")[counts].sum()
    paper = results.paper("c-lines").set_index("statement").percent.rename("paper_percent")
    table = pd.concat([paper, time, cost], axis="columns").reset_index(names="statement")
    return table[table.instructions_per_byte > 0.01].fillna({"time_percent": 0.0})


def java_methods(results: Results) -> pd.DataFrame:
    """§4.3.2: shares of the methods of V1: the paper's, ours without the JIT and with it."""
    tables = []
    for name in ("small", "large"):
        ours = results["java-profile"].query("version == 'V1' and input == @name")
        shares = ours.pivot_table(index="method", columns="jit", values="percent", aggfunc="sum", fill_value=0.0)
        shares = shares.rename(columns={False: "ours_percent", True: "ours_jit_percent"}).reset_index()
        paper = results.paper(f"java-methods-{name}").rename(columns={"percent": "paper_percent"}).assign(method=lambda t: t.method.str.removeprefix("RC4."))
        merged = paper[["method", "paper_percent"]].merge(shares, on="method", how="outer").fillna(0.0)
        tables.append(merged.assign(input=name).sort_values("paper_percent", ascending=False))
    return pd.concat(tables)[["input", "method", "paper_percent", "ours_percent", "ours_jit_percent"]]


# The paper's tables and figures of lines: their version, and their claim.
LINE_PROFILES = {"java-lines-small": ("V1", "small"), "java-lines-large": ("V1", "large"), "java-lines-v2": ("V2", "large"), "java-lines-v3": ("V3", "large")}
# Figures 11.1 to 11.6 name lines of versions whose numbering moved; read as in claims/.
LINES_11 = {
    1: {77: "ksa table", 83: "ksa loop", 84: "ksa j", 97: "keystream array", 101: "i"},
    2: {101: "i", 102: "j", 106: "lookup", 68: "posValue"},
    3: {103: "i", 104: "j", 106: "swap", 108: "lookup", 123: "xor"},
    4: {103: "i", 104: "j", 106: "swap", 108: "lookup", 123: "xor"},
    5: {102: "i", 103: "j", 107: "lookup"},
    6: {79: "ksa table", 85: "ksa loop", 86: "ksa j"},
}
FIGURES_11 = {1: ("V1", "small"), 2: ("V1", "large"), 3: ("V2", "large"), 4: ("V3", "large"), 5: ("V4", "large"), 6: ("V4", "small")}
LINES = (*LINE_PROFILES, *(f"figure-11-{number}" for number in FIGURES_11))  # the claims
OURS = ["bytecodes_percent", "jit_percent", "interpreted_percent"]


def statements(results: Results, version: str, name: str) -> pd.DataFrame:
    """Our shares of a version's statements: of the bytecodes, and of the recorder's samples with
    and without the JIT. Without the JIT the recorder knows the method but not the line."""
    ours = results["java-profile"].query("version == @version and input == @name")
    shares = ours.pivot_table(index="statement", columns="jit", values="percent", aggfunc="sum", fill_value=0.0)
    shares = shares.rename(columns={False: "interpreted_percent", True: "jit_percent"})
    bytecodes = results["java-bytecodes"].query("version == @version and input == @name")
    shares["bytecodes_percent"] = bytecodes.groupby("statement").percent.sum()
    return shares.fillna(0.0).reset_index()


def lines_of(results: Results, claim: str) -> pd.DataFrame:
    """A line profile of §4.3.2, §5.1.2 or the appendix, by the statements of the lines."""
    paper = results.paper(claim)
    if claim in LINE_PROFILES:
        version, name = LINE_PROFILES[claim]
    else:
        number = int(claim.removeprefix("figure-11-"))
        version, name = FIGURES_11[number]
        # Lines that the appendix does not name stay nameless.
        paper = paper.assign(percent=paper.self_percent, statement=paper.line.map(LINES_11[number]).fillna("line not printed"))
    paper = paper.groupby("statement", as_index=False).percent.sum().rename(columns={"percent": "paper_percent"})
    table = paper.merge(statements(results, version, name), on="statement", how="outer").fillna(dict.fromkeys(OURS, 0.0))
    # Statements that were not profiled are missing, not zero.
    return table.assign(claim=claim, version=version, input=name).reindex(columns=["claim", "version", "input", "statement", "paper_percent", *OURS])


def java_lines(results: Results) -> pd.DataFrame:
    """All of them."""
    return pd.concat([lines_of(results, claim) for claim in LINES])


def no_swap(results: Results) -> pd.DataFrame:
    """§2.4: how many keys repeat after how many bytes."""
    table = results["no-swap"].groupby(["without_swap_bytes", "rc4_bytes"]).size().reset_index(name="keys")
    return table.rename(columns={"rc4_bytes": "rc4_bytes (0: not in 65,536)"})


def examples(results: Results) -> pd.DataFrame:
    """§4.2 and figure 7.1: the lines of output that are the paper's, by program."""
    table = results["examples"].assign(same=lambda t: t.output == t.paper)
    counted = table.groupby(["claim", "program"], sort=False).same.agg(["sum", "size"])
    counted["lines as in the paper"] = counted["sum"].astype(str) + " of " + counted["size"].astype(str)
    return counted["lines as in the paper"].unstack().reset_index()


TABLES = (
    Table("no-swap", "After how many bytes the keystream repeats", no_swap, ("swap",)),
    Table("second-byte", "The second byte of keystream", recorded("second-byte"), ("weak",)),
    Table("figure-3-1", "Encryption time by language and size (two bytes for the paper's one)", languages, ("figure-3-1", "figure-3-2", "assembly", "interpreted", "java-twice-c")),
    Table("examples", "The examples and the usage text", examples, ("figure-4-1", "figure-4-2", "figure-4-3", "figure-7-1")),
    Table("c-sizes", "C, V0: time by size", partial(sizes, experiment="c-sizes", claims=("c-small", "c-large")), ("c-small", "c-large")),
    Table("java-sizes", "Java, V1, with the JIT: time by size", partial(sizes, experiment="java-sizes", claims=("java-small", "java-large")), ("java-small", "java-large")),
    Table("c-functions", "C, V0: time by function (gprof)", c_functions, ("c-functions-small", "c-functions-large")),
    Table("c-lines", "C, V0: the PRGA's lines", c_lines, ("c-lines",)),
    Table("c-misses", "C, V0: reads of the PRGA's lines that miss a cache of 32 KiB", recorded("c-misses"), ("cache",)),
    Table("java-methods", "Java, V1: time by method", java_methods, ("java-methods-small", "java-methods-large")),
    Table("java-lines", "Java: time by what the lines do", java_lines, LINES),
    Table("c-versions", "C, V0 to V4, 10,000,000 bytes", c_versions, ("c-versions",)),
    Table("c-memory", "C, V0 to V4, gcc -O2: memory", recorded("c-memory"), ("memory",)),
    Table("java-versions", "Java, V1 to V4, 1,000,000 bytes", java_versions, ("java-versions", "modulus")),
    Table("final", "Initial and optimized", final, ("final-small", "final-large")),
    Table("key-length", "Key schedule and two bytes", key_length, ("key-length", "counter")),
    Table("variants", "RC4A and VMPC", recorded("variants"), ("variants",)),
    Table("workload", "Workload sharing", lambda results: results.paper("workload").fillna(""), ("workload",)),
)
