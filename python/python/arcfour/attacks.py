"""What breaks RC4: keys from states, from memory and from captures of WEP.

For teaching, and for your own old data. `arcfour attack` attacks memory dumps and captures. The
program `trials` of the lab measures success rates.

    >>> from arcfour import Cipher, attacks
    >>> table, i, j = Cipher("rc4", b"Key").state
    >>> attacks.key_from_state(table, 3)
    b'Key'
    >>> capture = attacks.wep_capture(b"Quentin Uzel!", 60_000)
    >>> attacks.wep_key(capture, key_length=13)
    b'Quentin Uzel!'
"""

from ._native import key_from_state, memory_states, wep_capture, wep_key

__all__ = ["key_from_state", "memory_states", "wep_capture", "wep_key"]
