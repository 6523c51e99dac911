"""The main ratios of the study, by processor."""

from lab.processors import Ratio


def whole(cipher: str, program: str) -> dict[str, object]:
    """A program on 16 MiB, until its output is one file."""
    return {"cipher": cipher, "program": program, "size_bytes": 1 << 24, "clock": {"sequential": "saved", "parallel": "merged"}[program]}


RATIOS = (
    Ratio("speed-up of the parallel RC4 on 16 MiB", "aes", "median_ns", whole("RC4", "sequential"), whole("RC4", "parallel")),
    Ratio("speed-up of the parallel AES on 16 MiB", "aes", "median_ns", whole("AES", "sequential"), whole("AES", "parallel")),
    Ratio("time of AES over RC4, sequential", "aes", "median_ns", whole("AES", "sequential"), whole("RC4", "sequential")),
)
