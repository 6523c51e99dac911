"""The main ratios of the study, by processor."""

from lab.processors import Ratio
from lab.singhal2011.measure import RC4


def on_50_mb(cipher: str) -> dict[str, object]:
    """A cipher on the largest file, with a key of 128 bits."""
    return {"cipher": cipher, "key_bits": 128, "size_kb": 51_200}


RATIOS = (
    Ratio("time of OpenSSL's RC4 over Arcfour's", "times-aes", "encrypt_ms", on_50_mb(RC4[1]), on_50_mb(RC4[0])),
    *(Ratio(f"time of AES-{mode} over OpenSSL's RC4, with AES instructions", "times-aes", "encrypt_ms", on_50_mb(f"AES-{mode}"), on_50_mb(RC4[1]))
      for mode in ("ECB", "CBC", "CFB", "CTR")),
)
