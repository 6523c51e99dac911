"""The main ratios of the study, by processor."""

from lab.processors import Ratio

C = "C, gcc -O3 -march=native, OpenMP"


def ran(work: str, threads: int, **more: str) -> dict[str, object]:
    """A program on a number of threads."""
    return {"work": work, "threads": threads, **more}


# The loop of PARC4-I kept, against unrolled.
KEPT = {
    "Rust": Ratio("time of PARC4-I with its loop kept over unrolled, one thread", "rolled", "overall_s", ran("parc4i-rolled", 1), ran("parc4i", 1)),
    "C": Ratio("the same in C by GCC", "openmp", "overall_s", ran("parc4i-rolled", 1, language=C), ran("parc4i", 1, language=C)),
}
RATIOS = (
    Ratio("speed-up of PARC4-I on 2 threads", "rolled", "overall_s", ran("parc4i", 1), ran("parc4i", 2)),
    Ratio("speed-up of PARC4-I with its loop kept, on 2 threads", "rolled", "overall_s", ran("parc4i-rolled", 1), ran("parc4i-rolled", 2)),
    *KEPT.values(),
    Ratio("speed-up of PARC4-I in C with OpenMP, on 2 threads", "openmp", "overall_s", ran("parc4i", 1, language=C), ran("parc4i", 2, language=C)),
    Ratio("time of RC4A's definition over PARC4-I on 2 threads, in C", "openmp", "overall_s", ran("rc4a", 1, language=C), ran("parc4i", 2, language=C)),
    Ratio("time of PARC4-I with a key for each block over without, 2 threads", "keyed", "overall_s", ran("parc4i-keyed", 2), ran("parc4i", 2)),
)
