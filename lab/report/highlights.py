"""The results worth knowing, in figures taken from the results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lab.results import Results


@dataclass(frozen=True)
class Highlight:
    """A figure to remember, what it is of, and where it comes from."""

    study: str
    claim: str
    figure: str
    text: str


def highlights(results: dict[str, Results]) -> list[Highlight]:
    """Those of the studies that there are."""
    return [Highlight(study, claim, *tell(results[study])) for study, claim, tell in WORTH_KNOWING if study in results]


def aes_ahead(results: Results) -> tuple[str, str]:
    """Seed of the comparison: AES-CTR against RC4 with AES instructions and without."""
    def rates(level: str) -> dict[str, float]:
        table = results[f"times-{level}"].query("size_kb == 1024 and key_bits == 128").set_index("cipher")
        return {cipher: 1.048576 / ms for cipher, ms in table["encrypt_ms"].items()}
    fast, slow = rates("aes"), rates("tables")
    return (f"{fast['AES-CTR'] / fast['RC4 (OpenSSL)']:.0f} ×",
            f"AES-128-CTR against RC4 in OpenSSL with AES instructions ({fast['AES-CTR']:.1f} and {fast['RC4 (OpenSSL)']:.2f} GB/s). "
            f"Without them it is {slow['AES-CTR'] / slow['RC4 (OpenSSL)']:.2f} ×: that is how the order of 2011 has turned.")


def content(results: Results) -> tuple[str, str]:
    """Text, sound, pictures, film."""
    times = results["kinds"].groupby("cipher")["encrypt_ns_per_byte"]
    spread = 100 * (times.max() / times.min() - 1).median()
    return (f"{spread:.1f} %", "is all that lies between text, sound, pictures, film, zeros and random bytes: "
            "the content makes no difference to the time.")


WORTH_KNOWING: list[tuple[str, str, Callable[[Results], tuple[str, str]]]] = [
    ("singhal2011", "conclusion", aes_ahead),
    ("singhal2011", "future-work", content),
]
