"""What we say of each claim, every figure quoted from the results."""

from __future__ import annotations

from lab.model import Status, Verdict
from lab.results import Results
from lab.weerasinghe2012 import tables

SEQUENTIAL, SUBMITTED, MERGED = tables.CLOCKS.values()


def verdicts(results: Results) -> list[Verdict]:
    """One for each claim, in the paper's order."""
    said: list[Verdict] = []

    def say(claims: str | list[str], status: Status, text: str) -> None:
        said.extend(
            Verdict(claim, status, text) for claim in ([claims] if isinstance(claims, str) else claims)
        )

    ours = {
        cores: tables.our_times(results, cores)
        .set_index(["jvm", "what", "data_size_kb"])
        .mean_ns.sort_index()
        for cores in ("all", "one")
    }
    largest = 200  # KB

    for claim, machine, cores in (
        ("table-1", "Core i3", "all"),
        ("table-3", "Core 2 Duo", "all"),
        ("table-5", "Pentium 4", "one"),
    ):
        printed = tables.paper_times(results, machine).sequential
        new = ours[cores]["new", SEQUENTIAL]
        say(
            claim,
            Status.PARTLY,
            "The shape holds: a start-up cost, then a straight line. The unit cannot: "
            f"{printed[largest] / largest / 1024:.3f} ns a "
            f"byte is less than any RC4 takes. Ours takes {new[largest]:,.0f} ns in a new JVM; the paper's "
            f"{printed[largest]:,} read as microseconds is {printed[largest] * 1000 / new[largest]:.1f} "
            "times that.",
        )
    for claim, machine, cores in (
        ("table-2", "Core i3", "all"),
        ("table-4", "Core 2 Duo", "all"),
        ("table-6", "Pentium 4", "one"),
    ):
        printed = tables.paper_times(results, machine).parallel
        new = ours[cores]["new"]
        say(
            claim,
            Status.FAILS,
            "The listing stops its clock when the tasks are submitted. In our run that is after "
            f"{new[SUBMITTED, largest] / 1e6:.1f} ms "
            f"at 200 KB; the file is merged after {new[MERGED, largest] / 1e6:.1f} ms. The paper prints "
            f"{printed[largest]:,} ns.",
        )

    arithmetic = tables.arithmetic(results)
    worst = arithmetic["largest difference from size / time in MiB/s"].max()
    rates = {claim: results.paper(claim).set_index("data_size_kb") for claim in ("table-7", "table-8")}
    warm = {
        what: largest / 1024 / (ours["all"]["warm", what, largest] / 1e9)
        for what in (SEQUENTIAL, SUBMITTED, MERGED)
    }
    say(
        "table-7",
        Status.PARTLY,
        f"The arithmetic is right to a part in {1 / worst:,.0f}, with KB of 1024 bytes and MB of 1024 KB. "
        "What it is done on is not: "
        f"{rates['table-7'].core_i3_mbps[largest]:,.0f} MBps on the Core i3, where our warm JVM does "
        f"{warm[SEQUENTIAL]:.0f} MiB/s.",
    )
    seal = results["seal"].set_index(["program", "data_size_kb"]).mean_ns
    say(
        "table-8",
        Status.FAILS,
        f"{rates['table-8'].core_i3_mbps[largest]:,.0f} MBps is a rate of submitting. At 200 KB our warm "
        f"JVM submits at {warm[SUBMITTED]:.0f} "
        f"MiB/s and has the merged file at {warm[MERGED]:.0f}; arcfour seal, a whole process, does "
        f"{largest / 1024 / seal['seal, 2 threads', largest] * 1e9:.0f} on two threads.",
    )

    read = results["one-key"].set_index("chunks").read_fraction
    say(
        "figure-1",
        Status.FAILS,
        "The chunks merge into a file that decrypts, but one key without a place in the keystream "
        "encrypts all of them alike: two "
        f"chunks xored are their plaintexts xored in {results['crib'].xor_equals_plaintext_xor[0]:.0%} of "
        "the bytes, and from the "
        f"ciphertext alone we read {read.iloc[0]:.0%} of {read.index[0]} chunks, {read[4]:.1%} of 4 and "
        f"{read[8]:.2%} of 8.",
    )
    for claim, machine, cores in (
        ("figure-2", "Core i3", "all"),
        ("figure-3-core-2-duo", "Core 2 Duo", "all"),
        ("figure-3-p4", "Pentium 4", "one"),
    ):
        new, printed = ours[cores]["new"], tables.paper_times(results, machine)
        say(
            claim,
            Status.FAILS,
            "At 200 KB the figure shows the parallel program "
            f"{printed.sequential[largest] / printed.parallel[largest]:.1f} times as fast. "
            f"Ours is {new[SEQUENTIAL, largest] / new[SUBMITTED, largest]:.1f} times as fast by that clock "
            "and "
            f"{new[SEQUENTIAL, largest] / new[MERGED, largest]:.2f} times when the clock runs until the "
            "file is merged.",
        )
    say(
        "figure-4",
        Status.PARTLY,
        "Throughput rises with the size as a start-up cost is spread, here too: "
        f"{rate(ours, 'new', 20):.2f} to "
        f"{rate(ours, 'new', largest):.2f} MiB/s in a new JVM. The paper's scale is a thousand times too "
        "high.",
    )
    say(
        "figure-5",
        Status.FAILS,
        "It rises because submitting a task takes about as long whatever is in it: the curve measures the "
        "executor, not RC4. "
        f"By the paper's clock our own warm program would do {warm[SUBMITTED] / warm[MERGED]:.1f} times "
        "what it does.",
    )

    share = ours["all"]["new", SUBMITTED, largest] / ours["all"]["new", MERGED, largest]
    say(
        "clock",
        Status.FAILS,
        "The listing takes endTime1 before shutdown() and awaitTermination(), so no thread need have run. "
        "At 200 KB in a new JVM "
        f"{share:.0%} of the time until the merged file have passed by then; merging is not in the listing "
        "at all.",
    )
    per_byte = [
        tables.paper_times(results, machine).sequential[largest] / largest / 1024
        for machine in tables.MACHINES
    ]
    ratios = [
        tables.paper_times(results, machine).sequential[largest]
        * 1000
        / ours[cores]["new", SEQUENTIAL, largest]
        for machine, cores in (("Core i3", "all"), ("Core 2 Duo", "all"), ("Pentium 4", "one"))
    ]
    say(
        "unit",
        Status.FAILS,
        f"The sequential program's clock is right, yet it would take {min(per_byte):.2f} to "
        f"{max(per_byte):.2f} ns a byte, where a "
        "step of RC4 has five accesses to memory. Read as microseconds, the times are "
        f"{min(ratios):.1f} to {max(ratios):.1f} times those of our new JVM, which mostly interprets: the "
        "likeliest reading is that "
        "they are microseconds.",
    )

    one = tables.speed_up(results).set_index("data_size_kb")
    merged = one[[column for column in one if column.startswith("ours, one core") and "merged" in column]]
    submitted = one[
        [column for column in one if column.startswith("ours, one core") and "submitting" in column]
    ]
    say(
        "any-architecture",
        Status.HOLDS if merged.min(axis=None) > 1 else Status.FAILS,
        f"On one core our speed-up until the file is merged is {merged.min(axis=None):.2f} to "
        f"{merged.max(axis=None):.2f}; what lies above 1 "
        "is not the threads but that the sequential program reads line by line. The paper's clock makes "
        f"that {submitted.min(axis=None):.2f} to "
        f"{submitted.max(axis=None):.2f}; its Pentium 4 shows {one['paper, Pentium 4'].min():.2f} to "
        f"{one['paper, Pentium 4'].max():.2f}, "
        "which one core cannot.",
    )
    duo, i3 = one["paper, Core 2 Duo"], one["paper, Core i3"]
    two = one[[column for column in one if column.startswith("ours, all cores") and "merged" in column]]
    say(
        "quad-core",
        Status.FAILS,
        f"The paper's two cores gain {duo.min():.1f} to {duo.max():.1f} times, more than two can, and more "
        "than the Core i3 in "
        f"{(duo > i3).sum()} of {len(duo)} sizes. At these sizes two cores of ours give "
        f"{two.min(axis=None):.2f} to {two.max(axis=None):.2f}.",
    )

    large = tables.large_times(results).set_index(["series", "size_mib"])
    biggest = large.index.get_level_values("size_mib").max()
    java = large.mib_per_s["Java, sequential", biggest]
    pool = large.loc["Java, parallel: until merged", biggest]
    say(
        "cost-effective",
        Status.HOLDS if pool.mib_per_s > 1.5 * java else Status.FAILS,
        f"The pool has no bound: at {biggest:,.0f} MiB it grows to {pool.threads:,.0f} threads for the "
        "cores at hand. It does "
        f"{pool.mib_per_s:.0f} MiB/s, the sequential program {java:.0f}, arcfour seal "
        f"{large.mib_per_s['arcfour seal, 1 thread', biggest]:.0f} "
        f"on one thread and {large.mib_per_s['arcfour seal, 2 threads', biggest]:.0f} on two, with a key "
        "for each chunk and a tag behind it.",
    )
    return said


def rate(ours: dict, jvm: str, size_kb: int) -> float:
    """MiB/s of our sequential program."""
    return size_kb / 1024 / (ours["all"][jvm, SEQUENTIAL, size_kb] / 1e9)
