#!/usr/bin/env python3
"""Computes the numbers of the report a second time, from the recorded tables, by independent code.

It reads the records with pandas and imports nothing of the lab. So it does not repeat a mistake in the lab's tables,
verdicts or helpers. Every figure has the words around it in the report, and `lab/tests/test_recomputed.py` looks for
these words in the verdict. `python lab/second/recompute.py` prints all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import log2, sqrt
from pathlib import Path

import pandas as pd

LAB = Path(__file__).parent.parent
ATTACKS = LAB.parent / "attacks"
SYNTHESIS = LAB.parent / "hardware" / "syn" / "results"
Z95 = 1.959963984540054  # of the normal distribution
CLEAREST = {"first-byte", "zeros", "key-length", "equalities", "roos", "fluhrer-mcgrew", "absab"}  # claims of several events: the report names the clearest


@dataclass(frozen=True)
class Said:
    """Words of the report on a claim, with figures that were computed here."""

    study: str
    claim: str
    words: str
    figures: int


def said(study: str, claim: str, template: str, *figures: float) -> Said:
    """The template with figures in it."""
    return Said(study, claim, template.format(*figures), len(figures))


def ours(study: str, name: str) -> pd.DataFrame:
    """A recorded table."""
    return pd.read_csv(LAB / "results" / study / f"{name}.csv")


def printed(study: str, name: str) -> pd.DataFrame:
    """A table of the paper."""
    return pd.read_csv(LAB / study / "claims" / f"{name}.csv", comment="#")


def one(table: pd.DataFrame, column: str, **where) -> float:
    """The one cell in a column whose row is so."""
    for name, value in where.items():
        table = table[table[name] == value]
    assert len(table) == 1, (column, where, len(table))
    return table[column].iloc[0]


def wilson(hits: float, trials: float) -> tuple[float, float]:
    """The 95 % interval of a share."""
    share, extra = hits / trials, Z95**2 / trials
    middle = (share + extra / 2) / (1 + extra)
    half = Z95 * sqrt(share * (1 - share) / trials + extra / trials / 4) / (1 + extra)
    return middle - half, middle + half


def sigma(hits: float, trials: float, chance: float) -> float:
    """The z-score of a binomial count of hits."""
    return (hits - trials * chance) / sqrt(trials * chance * (1 - chance))


def handa() -> Iterator[Said]:
    """Shares and ratios; times of the paper's own tables; our speed-ups."""
    study = "handa2015"
    paper = {cores: printed(study, f"table-{table}").set_index("size_bytes").sort_index() for table, cores in enumerate((1, 4, 6, 8), 1)}
    first, last = (paper[1].overall_s.iloc[at] / paper[1].index[at] / 2 * 1e9 for at in (0, -1))
    yield said(study, "table-1", "costs the paper {:.2f} ns at the smallest size and {:.2f} at the largest, {:.0f}% more", first, last, (last / first - 1) * 100)
    gains = {cores: paper[1].overall_s / paper[cores].overall_s for cores in (4, 6, 8)}
    for cores, gain in gains.items():
        yield said(study, "tables-computed", "{:.3f} to {:.3f} for " + f"{cores} cores", gain.min(), gain.max())
        yield said(study, "tables-computed", f"{cores} cores: the ratio to Table 1 scatters over the sizes by more than 1 % (measured: {{:.2f}}%)", (gain.max() / gain.min() - 1) * 100)
    apart = {cores: (table.encryption_s - table.decryption_s).abs().max() for cores, table in paper.items()}
    yield said(study, "tables-computed", "differ by up to {:.2f} s in Table 1 and by at most {:.5f} s", apart[1], max(apart[cores] for cores in gains))
    yield said(study, "efficiency", "gives {:.2f} on 4 cores, {:.2f} on 6 cores, {:.2f} on 8 cores", *(gain.iloc[-1] / cores for cores, gain in gains.items()))
    times = {cores: table.overall_s.iloc[-1] for cores, table in paper.items()}
    yield said(study, "halving", "From four to six cores the paper's time is multiplied by {:.2f}, from six to eight by {:.2f}", times[6] / times[4], times[8] / times[6])
    yield said(study, "bits-or-bytes", "the largest row is {:.0f} MB/s each way, as bits {:.0f} MB/s",
               2 * paper[1].index[-1] / 1e6 / times[1], 2 * paper[1].index[-1] / 8e6 / times[1])
    rolled = ours(study, "rolled")
    gain = {work: one(rolled, "overall_s", work=work, threads=1) / one(rolled, "overall_s", work=work, threads=2) for work in ("parc4i", "parc4i-rolled")}
    yield said(study, "as-scalable", "On 2 threads the unrolled PARC4-I is {:.2f} times as fast as on one, the rolled {:.2f} times", *gain.values())
    built = ours(study, "openmp").set_index(["work", "threads"])
    c, rust = (built[built.language.str.startswith(of)].overall_s for of in ("C", "Rust"))
    yield said(study, "compiler", "speed-up {:.2f} and {:.2f}", c["parc4i", 1] / c["parc4i", 2], rust["parc4i", 1] / rust["parc4i", 2])
    yield said(study, "unrolling", "{:.2f} times as long in Rust and {:.2f} times as long in C by GCC",
               one(rolled, "overall_s", work="parc4i-rolled", threads=1) / one(rolled, "overall_s", work="parc4i", threads=1), c["parc4i-rolled", 1] / c["parc4i", 1])
    equal = ours(study, "structure").query("cipher == 'parc4i' and quantity == 'all-equal'").iloc[0]
    yield said(study, "distinct", "equal in {:.6f} of {:,.0f} rounds (95 % interval {:.6f} to {:.6f}", equal.hits / equal.trials, equal.trials, *wilson(equal.hits, equal.trials))
    message = ours(study, "one-message").groupby("cipher").read_fraction.mean() * 100
    yield said(study, "secure", "{:.0f} % is read without the key; under PARC4-I by the text {:.0f} %, under PARC4-R {:.1f} %", *(message[of] for of in ("parc4i", "parc4i-text", "parc4r")))


def biases() -> Iterator[Said]:
    """How often each event comes against chance, in standard deviations."""
    study = "biases"
    first, long, state = (ours(study, f"{name}-checks").set_index("event") for name in ("first", "long", "state"))
    for claim, table, event in (("second-zero", first, "Z2 = 0"), ("first-byte", first, "Z1 = 129"), ("zeros", first, "Z5 = 0"), ("map", first, "Z3 = 131"),
                                ("key-length", first, "Z16 = 240"), ("equalities", first, "Z1 = Z2"), ("two-zeros", first, "Z1 = Z2 = 0"), ("roos", state, "S[0] = K[0]"),
                                ("glimpse", state, "S[j] = i − Z_r"), ("fluhrer-mcgrew", long, "(i+1, 255), i ≠ 254"), ("absab", long, "ABSAB, gap 0")):
        row = table.loc[event]
        times, deviations = row.hits / row.trials / row.chance, sigma(row.hits, row.trials, row.chance)
        yield said(study, claim, event + (", " if claim in CLEAREST else " ") + "comes {:.5g} times as often as chance", times)
        yield said(study, claim, "in 2^{:.1f} trials", log2(row.trials))
        yield said(study, claim, "{:+,.1f} sigma", deviations)
    pieces = ours(study, "published-table")
    yield said(study, "published-table", "chi-square is {:,.0f} on {:,.0f} degrees of freedom", pieces.chi_square.sum(), pieces.degrees.sum())
    battery = ours(study, "dieharder")
    yield said(study, "dieharder", "Of {:.0f} p-values", len(battery))
    yield said(study, "dieharder", "the smallest is {:.4f}", battery.p_value.min())


def attacks() -> Iterator[Said]:
    """Shares of successes with their intervals."""
    study = "attacks"

    def trials(name: str) -> pd.DataFrame:
        return pd.read_json(ATTACKS / "runs" / f"{name}.jsonl", lines=True)

    def share(table: pd.DataFrame) -> tuple[float, ...]:
        hits, all_ = table[["successes", "trials"]].sum()
        return tuple(100 * each for each in (hits / all_, *wilson(hits, all_)))
    yield said(study, "key", "{:.1f} % ({:.1f} to {:.1f}) are found", *share(trials("key").query("key_length == 5")))
    lists = trials("cookie")
    requests, candidates = printed(study, "cookie").iloc[0][["requests", "list"]]
    found = lists[(lists.requests == requests) & (lists.list == candidates) & (lists.alphabet == "rfc6265") & ~lists.known_everywhere]
    yield said(study, "cookie", "in the list in {:.1f} % ({:.1f} to {:.1f})", *share(found))
    rates = trials("broadcast").groupby("ciphertexts", as_index=False)[["successes", "trials"]].sum()
    yield said(study, "broadcast", ", ".join(["{:.1f} % from 2^{:.0f}"] * len(rates)),
               *(value for row in rates.itertuples() for value in (100 * row.successes / row.trials, log2(row.ciphertexts))))
    simulated = trials("wep").query("key_length == 13 and packets == 22500 and sender == 'source'")
    yield said(study, "wep", "From 22,500 simulated packets {:.1f} % ({:.1f} to {:.1f}) of {:,.0f} keys are found", *share(simulated), simulated.trials.sum())
    captures = pd.read_json(ATTACKS / "aircrack" / "compare.jsonl", lines=True).set_index("packets").loc[22500]
    yield said(study, "aircrack", "of 6 keys ({:.1f} to {:.1f} %)", *(100 * each for each in wilson(captures["aircrack-ng"]["found"], captures.captures)))
    tables = trials("state")
    yield said(study, "state", "all {:,.0f} tables are found, in 2^{:.1f} to 2^{:.1f} assignments", tables.successes.sum(), tables.mean_log2.min(), tables.mean_log2.max())


def search() -> Iterator[Said]:
    """Rates, and hours that follow."""
    study = "search"
    rates = ours(study, "rates").set_index(["key_length_bytes", "cores"])
    five = rates.loc[5].eval("keys / seconds") / 1e6
    core2 = printed(study, "rates").set_index("device").loc["Core 2, 1.86 GHz"].pipe(lambda row: row.keys_per_s / row.units) / 1e6
    yield said(study, "rates", "{:.1f} million keys of 5 bytes a second, 2 cores {:.1f} million", five[1], five[2])
    yield said(study, "rates", "tries {:.1f} million: {:.1f} times less", core2, five[1] / core2)
    yield said(study, "forty-bits", "All 2^40 keys take {:.1f} hours", 2**40 / five[2] / 1e6 / 3600)
    engines = printed(study, "engines").iloc[0]
    yield said(study, "engines", "2^40 keys take {:.1f} hours, and a key takes {:.0f} clocks", 2**40 / engines.keys_per_s / 3600, engines.clock_mhz * 1e6 * engines.engines / engines.keys_per_s)
    commands = ours(study, "hashcat")
    for document in ("Office 97", "PDF 1.3"):
        mine, theirs = (one(commands, "seconds", document=document, engine=engine, planted=False) for engine in ("arcfour find", "hashcat"))
        yield said(study, "hashcat", document + " file in {:.1f} s and {:.1f} s ({:.1f} times as long)", mine, theirs, theirs / mine)


def sengupta() -> Iterator[Said]:
    """Ratios of areas and rates, and counts."""
    study = "sengupta2013"
    sg13g2 = pd.read_csv(SYNTHESIS / "sg13g2_stdcell_typ_1p20V_25C" / "synthesis.csv").set_index("design")
    fast, copies = sg13g2.loc["rc4_spec_8"], sg13g2[sg13g2.index.str.startswith("rc4_design2")]
    design = copies.loc[copies.gbit_per_s.idxmax()]
    yield said(study, "throughput", "{:.1f} times the throughput", fast.gbit_per_s / design.gbit_per_s)
    yield said(study, "throughput", "on {:.2f} of its area ({:.2f} and {:.2f} Gb/s, {:.1f} and {:.1f} kGE)", fast.area_ge / design.area_ge,
               fast.gbit_per_s, design.gbit_per_s, fast.area_ge / 1000, design.area_ge / 1000)
    lone, two = sg13g2.loc["rc4_unroll_4"], sg13g2.loc["rc4_unroll_2"]
    yield said(study, "unrolling", "K = 4 has {:.2f} times the throughput of K = 2 on {:.2f} times its area", lone.gbit_per_s / two.gbit_per_s, lone.area_ge / two.area_ge)
    gates = ours(study, "unrolling").set_index("k").gates
    yield said(study, "unrolling", "Gates grow {:.1f} times from 1 round to 6", gates[6] / gates[1])
    clocks = ours(study, "clocks").set_index("design")
    yield said(study, "table-6", "Design 1: KSA {:.0f}", clocks.ksa_clocks["rc4_design1"])
    software = ours(study, "software")
    streams = {(row.streams, row.cores): row for row in software[software.what == "keystream"].itertuples()}
    yield said(study, "software", "{:.2f} cycles per byte on one core here ({:.1f} Gb/s at {:.1f} GHz)", streams[1, 1].cycles_per_byte, streams[1, 1].gbit_per_s, streams[1, 1].ghz)
    yield said(study, "software", "With 5 streams at once it is {:.1f} Gb/s on 1 core and {:.1f} Gb/s on 2 cores", streams[5, 1].gbit_per_s, streams[5, 2].gbit_per_s)


def galvane() -> Iterator[Said]:
    """Ratios of times in C and Java, and shares of functions."""
    study = "galvane2012"
    sizes = ours(study, "c-sizes").query("level == '-O2'").set_index("bytes")
    per_byte = sizes.us[4_000_000] / sizes.us[1_000_000] / 4
    yield said(study, "c-small", "take {:.2f} times as long ({:.2f} to {:.2f} µs", sizes.us[300] / sizes.us[50], sizes.us[50], sizes.us[300])
    yield said(study, "c-small", "leaves {:.2f} µs for no byte at all", sizes.us[50] - 50 * (sizes.us[300] - sizes.us[50]) / 250)
    yield said(study, "c-large", "{:.2f} ms for 4,000,000 bytes (paper: {:.2f}), {:.3f} times as long a byte", sizes.us[4_000_000] / 1000,
               one(printed(study, "c-large"), "ms", bytes=4_000_000), per_byte)
    java = ours(study, "java-sizes").set_index("bytes").us
    yield said(study, "java-small", "take {:.2f} times as long ({:.2f} to {:.2f} µs", java[300] / java[50], java[50], java[300])
    yield said(study, "java-large", "{:.2f} ms for 4,000,000 bytes", java[4_000_000] / 1000)
    languages = ours(study, "languages-steady")
    own = languages[languages.bytes == 10_000_000].set_index("language").us
    yield said(study, "java-twice-c", "Java takes {:.2f} times as long as C", own["Java"] / own["C"])
    yield said(study, "assembly", "C takes {:.2f} times as long as the assembly", own["C"] / own["assembly"])
    yield said(study, "interpreted", "Perl takes {:.0f} times as long as Java and {:.0f} times as long as C", own["Perl"] / own["Java"], own["Perl"] / own["C"])
    table = printed(study, "figure-3-1").set_index("bytes").loc[10_000_000]
    yield said(study, "figure-3-1", "Assembly {:.1f}, C {:.1f}, Java {:.1f}, Python {:.1f}, Perl {:.1f}.",
               *(table[name] * 1e6 / own["assembly" if name == "Assembly" else name] for name in ("Assembly", "C", "Java", "Python", "Perl")))
    zeros = ours(study, "second-byte").iloc[0]
    yield said(study, "weak", "0 in {:.5f} of {:,.0f} keystreams, {:.3f} times as often as it should be ({:.0f} sigma)", zeros.zeros / zeros.keystreams, zeros.keystreams,
               zeros.zeros / zeros.keystreams * 256, sigma(zeros.zeros, zeros.keystreams, 1 / 256))
    memory = ours(study, "c-memory").set_index("version")
    accesses = memory.reads_per_byte + memory.writes_per_byte
    yield said(study, "memory", "V2 saves {:.2f} accesses a byte, {:.0f} million for ten million bytes, and {:.1f} MB", accesses["V0"] - accesses["V2"],
               10 * (accesses["V0"] - accesses["V2"]), (memory.peak_kib["V0"] - memory.peak_kib["V2"]) * 1024 / 1e6)


def weerasinghe() -> Iterator[Said]:
    """Speed-ups, and rates in MiB/s."""
    study = "weerasinghe2012"
    alone, together = ours(study, "sequential"), ours(study, "parallel")

    def median(table: pd.DataFrame, clock: str, jvm: str = "new") -> pd.Series:
        return table[(table.clock == clock) & (table.jvm == jvm)].set_index("data_size_kb").median_ns.sort_index()
    saved, submitted, merged = median(alone, "saved"), median(together, "submitted"), median(together, "merged")
    yield said(study, "table-1", "Ours takes {:.2f} ms at 200 KB in a new JVM", saved[200] / 1e6)
    yield said(study, "table-2", "{:.1f} ms at 200 KB in a new JVM; the file is merged at {:.1f} ms", submitted[200] / 1e6, merged[200] / 1e6)
    share = submitted / merged * 100
    yield said(study, "clock", "{:.0f}% to {:.0f}% of the time", share.min(), share.max())
    gain, warm = saved / merged, median(alone, "saved", "warm") / median(together, "merged", "warm")
    yield said(study, "figure-2", "{:.2f} to {:.2f} when the clock runs until the file is merged", gain.min(), gain.max())
    yield said(study, "any-architecture", "all cores, new JVM: {:.2f} to {:.2f}, above 1 at {:.0f} of {:.0f} sizes", gain.min(), gain.max(), (gain > 1).sum(), len(gain))
    yield said(study, "any-architecture", "all cores, warm JVM: {:.2f} to {:.2f}", warm.min(), warm.max())
    rates = median(together, "merged", "warm").pipe(lambda times: times.index / 1024 / (times / 1e9))
    yield said(study, "table-8", "{:.0f} to {:.0f} MiB/s over the sizes until the file is merged", rates.min(), rates.max())
    large = ours(study, "pools").query("size_bytes == 16777216 and clock == 'merged'").set_index("policy").median_ns / 1e6
    yield said(study, "cost-effective", "the cached pool {:,.1f} ms", large["cached"])
    whole = ours(study, "aes").query("size_bytes == 16777216").set_index(["cipher", "clock"]).median_ns / 1e6
    yield said(study, "block-ciphers", "AES sequential {:,.1f} ms, parallel {:,.1f} ms ({:.2f} times); RC4 {:.2f} times", whole["AES", "saved"], whole["AES", "merged"],
               whole["AES", "saved"] / whole["AES", "merged"], whole["RC4", "saved"] / whole["RC4", "merged"])
    files = ours(study, "large-seal").query("size_bytes == 1073741824").set_index("program").median_ns / 1e9
    yield said(study, "files-cost", "arcfour seal {:,.0f} on one thread and {:,.0f} on two", 1024 / files["seal, 1 thread"], 1024 / files["seal, 2 threads"])


def singhal() -> Iterator[Said]:
    """Ratios between ciphers, in the median over sizes where the report says so."""
    study = "singhal2011"
    media = ours(study, "media").set_index(["cipher", "key_bits", "bytes", "content"]).encrypt_ns_per_byte.unstack()
    for content in ("audio (MP3)", "audio (Opus)", "video (H.264)"):
        yield said(study, "compressed-media", "{:+.1f} % (" + content + ")", ((media[content] / media["text"]).dropna().median() - 1) * 100)
    held = ours(study, "memory").query("size_kb == 51200 and key_bits == 128").set_index("cipher").whole_kib
    yield said(study, "graph-7", "takes {:.1f} MiB less", (held["RC4 (OpenSSL)"] - held["RC4 (Arcfour)"]) / 1024)
    counted = ours(study, "operations").set_index("cipher").instructions_per_byte
    yield said(study, "operations", "Arcfour's kernel takes {:.1f} instructions for a byte, OpenSSL's {:.1f}", counted["RC4 (Arcfour)"], counted["RC4 (OpenSSL)"])
    energy = ours(study, "energy").query("level == 'AES instructions' and key_bits == 128").set_index("cipher").cpu_s_per_gb
    yield said(study, "energy", "{:.2f} s by OpenSSL's RC4, {:.2f} s by Arcfour's and {:.2f} s by AES-CTR", energy["RC4 (OpenSSL)"], energy["RC4 (Arcfour)"], energy["AES-CTR"])
    times = ours(study, "times-aes")
    big = times[(times.key_bits == 128) & (times.size_kb == times.size_kb.max())].set_index("cipher")
    yield said(study, "modes", "ECB {:.2f} GB/s, CBC {:.2f} GB/s, CFB {:.2f} GB/s, OFB {:.2f} GB/s, CTR {:.2f} GB/s",
               *(times.size_kb.max() * 1024 / 1e6 / big.encrypt_ms[f"AES-{mode}"] for mode in ("ECB", "CBC", "CFB", "OFB", "CTR")))


def everything() -> list[Said]:
    """All that is computed here."""
    return [each for study in (handa, biases, attacks, search, sengupta, galvane, weerasinghe, singhal) for each in study()]


if __name__ == "__main__":
    for each in everything():
        print(f"{each.study} {each.claim}: {each.words}")
