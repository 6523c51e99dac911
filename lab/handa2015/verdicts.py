"""What we say of each claim, every figure quoted from the results."""

from __future__ import annotations

from lab.handa2015 import tables
from lab.model import Status, Verdict
from lab.results import Results


def verdicts(results: Results) -> list[Verdict]:
    """One for each claim, in the paper's order."""
    said: list[Verdict] = []

    def say(claim: str, status: Status, text: str) -> None:
        said.append(Verdict(claim, status, text))

    size = tables.largest(results)
    ours = tables.our_times(results)
    ours = ours[ours.size_bytes == size].set_index(["work", "threads"]).overall_s
    paper = tables.paper_times(results)
    paper = paper[paper.size_bytes == size].set_index("cores").overall_s
    most = int(ours["parc4i"].index.max())
    rate = {key: 2 * size / 1e6 / seconds for key, seconds in ours.items()}

    say(
        "table-1",
        Status.HOLDS,
        f"Taken as bytes, the paper's {paper[1]:.1f} s for {size:,} are {2 * size / 1e6 / paper[1]:.0f} "
        "MB/s each way; taken as bits it "
        f"would be an eighth of that. Ours: {ours['rc4a-plain', 1]:.2f} s by the definition "
        f"({rate['rc4a-plain', 1]:.0f} MB/s), "
        f"{ours['rc4a', 1]:.2f} s by the fastest backend ({rate['rc4a', 1]:.0f} MB/s). Time is "
        "proportional to size in both.",
    )
    text_times = ", ".join(
        f"{ours['parc4i', count]:.2f} s on {tables.thread_count(count)}" for count in ours["parc4i"].index
    )
    for claim, cores in (("table-2", 4), ("table-3", 6), ("table-4", 8)):
        have = most >= cores
        say(
            claim,
            Status.HOLDS if have else Status.PARTLY,
            f"The paper: {paper[cores]:.2f} s on {cores} cores. Ours, by the same scheme: {text_times}. "
            + (
                ""
                if have
                else f"This machine has {most} cores, so the column itself cannot be measured here; the scaling up to {most} can. "
            )
            + "What is timed encrypts all blocks with the same 256 bytes of keystream.",
        )

    blocks = results["blocks"].set_index(["attack", "blocks"])
    some = int(blocks.loc["blocks alone"].index.max())
    say(
        "figure-1",
        Status.FAILS,
        "One keystream supplied to every block is a many-time pad, and the sentence that each block should "
        "have its own is not followed "
        f"by a rule. From the ciphertext of {some} blocks ({some * 256:,} bytes of English) we read "
        f"{blocks.read_fraction['blocks alone', some]:.1%} "
        "without the key; with four equal bytes a round used too, "
        f"{blocks.read_fraction['blocks and rounds', 4]:.1%} of 4 blocks.",
    )
    within = results["keyed"].set_index(["work", "threads"]).overall_s
    say(
        "figure-2",
        Status.PARTLY,
        "The mechanism runs and decrypts. A key for each block, which secrecy needs, makes it "
        f"{within['parc4i-keyed', most] / within['parc4i', most]:.1f} times "
        "as slow, since 256 bytes do not pay for a key schedule; PARC4-R's chunks do: "
        f"{ours['parc4r', most]:.2f} s on {tables.thread_count(most)}, "
        f"{ours['parc4i', most] / ours['parc4r', most]:.1f} times as fast as PARC4-I on the same.",
    )

    distance = tables.distance(results)
    raw = results["ent-small"]
    for claim, cipher in (("figure-3", "rc4a"), ("figure-4", "parc4i")):
        printed = results.paper(claim).iloc[0]
        near = distance[distance.cipher == tables.CIPHERS[cipher]].sort_values("largest").iloc[0]
        plain = raw[
            (raw.cipher == cipher) & (raw.content == "keystream") & (raw.notation == "raw bytes")
        ].iloc[0]
        say(
            claim,
            Status.PARTLY,
            f"ENT prints such figures, but not for a keystream: {printed['bytes']:.0f} raw bytes of it "
            f"have {plain.entropy_mean:.2f} ± {plain.entropy_std:.2f} "
            f"bits per byte, not {printed.entropy_bits_per_byte:.3f}. Of the notations tried, the one "
            "nearest to the paper's entropy, chi-square, mean and serial "
            f"correlation is {near['file holds']} written as {near['written as']} (farthest of the four: "
            f"{near.largest:.1f} standard deviations): "
            "the figure is about digits, not about the cipher.",
        )

    say(
        "figure-5",
        Status.PARTLY,
        f"More cores, less time, here too: PARC4-I {ours['parc4i', 1]:.2f} s on 1 thread and "
        f"{ours['parc4i', most]:.2f} s on {most}. "
        f"But one thread of our RC4A takes {ours['rc4a', 1]:.2f} s, and one of PARC4-R "
        f"{ours['parc4r', 1]:.2f} s.",
    )
    gain = tables.speed_ups(results)
    gain = gain[gain.size_bytes == size].set_index(["name", "baseline", "threads"])
    name, plain, fast, itself = (
        tables.NAMES["parc4i"],
        tables.NAMES["rc4a-plain"],
        tables.NAMES["rc4a"],
        "itself, 1 thread",
    )
    own = gain.speed_up[name, itself, most]
    say(
        "figure-6",
        Status.PARTLY,
        f"Blocks that need nothing of one another do scale: {own:.2f} on {most} threads over one. Over "
        "sequential RC4A the speed-up "
        f"depends on whose: {gain.speed_up[name, plain, most]:.2f} over the definition, "
        f"{gain.speed_up[name, fast, most]:.2f} over a tuned RC4A.",
    )

    counts = tables.counts(results).set_index(["cipher", "quantity", "a", "b"])
    ent = tables.ent_large(results).set_index("cipher")
    message = tables.one_message(results).set_index("cipher")["read (%)"]
    printed, reading, repaired = (tables.CIPHERS[c] for c in ("parc4i", "parc4i-text", "parc4r"))
    worst = tables.controls(results).holm.min()
    exact, behind = counts.loc[("parc4i", "is-rc4", 4, 0)], counts.loc[("parc4i", "is-rc4", 1, 0)]
    say(
        "secure",
        Status.FAILS,
        "PARC4-I is RC4 with each byte written four times. Byte 4 of every round is RC4's byte in "
        f"{exact.hits:,.0f} of {exact.trials:,.0f} rounds, "
        f"byte 1 in {behind.frequency:.6f} (95 % interval {behind.low:.6f} to {behind.high:.6f}). ENT "
        f"itself shows it on {ent.bytes[printed]:,} bytes: serial "
        f"correlation {ent['serial correlation'][printed]:.4f} ({reading}: "
        f"{ent['serial correlation'][reading]:.4f}; RC4A: "
        f"{ent['serial correlation']['RC4A']:.5f}). One English message is read without the key to "
        f"{message[printed]:.0f} % "
        f"({message[reading]:.0f} %; {repaired}: {message[repaired]:.1f} %). RC4A and {repaired} pass "
        f"every count (smallest p after Holm {worst:.2f}).",
    )
    equal = counts.loc[("parc4i", "all-equal", 0, 0)]
    say(
        "distinct",
        Status.FAILS,
        f"The four bytes are equal in {equal.frequency:.6f} of {equal.trials:,.0f} rounds (95 % interval "
        f"{equal.low:.6f} to {equal.high:.6f}; "
        f"predicted {equal.predicted:.6f}); four independent bytes would be in {equal.chance:.1e}.",
    )

    printed_times = tables.paper_times(results).pivot(index="size_bytes", columns="cores", values="overall_s")
    ratios = {cores: printed_times[1] / printed_times[cores] for cores in (4, 6, 8)}
    say(
        "speed-up",
        Status.PARTLY,
        f"The paper's tables give {ratios[8].min():.2f} to {ratios[8].max():.2f} on eight cores and "
        f"{ratios[6].min():.2f} to {ratios[6].max():.2f} on six, at every "
        f"size: it does not rise with the input ({ratios[8].iloc[0]:.2f} at the smallest, "
        f"{ratios[8].iloc[-1]:.2f} at the largest). "
        f"Ours on {most}: {own:.2f} over PARC4-I on one thread.",
    )
    steps = {(a, b): printed_times[b].iloc[-1] / printed_times[a].iloc[-1] for a, b in ((4, 6), (6, 8))}
    say(
        "halving",
        Status.FAILS,
        f"From four to six cores the paper's time falls to {steps[4, 6]:.2f}, from six to eight to "
        f"{steps[6, 8]:.2f}, about as 4/6 and 6/8 would have it. "
        "Two cores more halve the time from two to four only.",
    )
    mine = gain.efficiency[name, itself, most]
    say(
        "efficiency",
        Status.HOLDS if mine > 0.85 else Status.PARTLY,
        f"Equation 1 on the paper's tables gives {(ratios[8] / 8).min():.2f} to "
        f"{(ratios[8] / 8).max():.2f} on eight cores, {(ratios[6] / 6).min():.2f} to "
        f"{(ratios[6] / 6).max():.2f} on six, {(ratios[4] / 4).min():.2f} to {(ratios[4] / 4).max():.2f} "
        "on four. Its T(1) is another cipher's; PARC4-I's own time on one core is "
        f"not in the paper. By our own, {most} threads are {mine:.2f} efficient; {repaired} "
        f"{gain.efficiency[repaired, itself, most]:.2f}.",
    )
    core = tables.per_byte(results).set_index(["name", "threads"])["ns per byte and core"]
    say(
        "unrolling",
        Status.PARTLY if core[name, 1] < core[plain, 1] else Status.FAILS,
        f"Not in the paper's tables: a byte costs {core['paper, RC4A', 1]:.1f} ns in RC4A and "
        f"{core['paper, PARC4-I', 8]:.1f} ns of a core in PARC4-I on eight. "
        "A byte takes one shuffle in all three ciphers, however often the PRGA is called; but shuffles of "
        "separate tables overlap within a core. Ours: "
        f"{core[plain, 1]:.2f} ns in plain RC4A, {core[name, 1]:.2f} ns in unrolled PARC4-I, "
        f"{core[fast, 1]:.2f} ns in tuned RC4A, {core[repaired, 1]:.2f} ns in "
        f"PARC4-R with five tables.",
    )
    return said
