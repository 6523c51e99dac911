# SPDX-License-Identifier: MIT OR Apache-2.0
"""The registers. Written from registers/rc4.rdl by `make -C hardware registers`."""

RC4 = {
    "ID": (
        0x00,
        0x41524334,
        {
            "id": (0, 32, "r"),
        },
    ),
    "VERSION": (
        0x04,
        0x00020000,
        {
            "patch": (0, 16, "r"),
            "minor": (16, 8, "r"),
            "major": (24, 8, "r"),
        },
    ),
    "PARAMETERS": (
        0x08,
        None,
        {
            "k": (0, 8, "r"),
            "key_bytes": (8, 12, "r"),
            "n": (20, 12, "r"),
        },
    ),
    "CONTROL": (
        0x0C,
        0x00000000,
        {
            "clear": (0, 1, "w"),
            "keystream": (1, 1, "rw"),
        },
    ),
    "STATUS": (
        0x10,
        0x00000000,
        {
            "key_wanted": (0, 1, "r"),
            "busy": (1, 1, "r"),
            "streaming": (2, 1, "r"),
            "key_error": (3, 1, "r"),
            "data_available": (4, 1, "r"),
            "data_room": (5, 1, "r"),
            "available": (8, 8, "r"),
            "room": (16, 8, "r"),
        },
    ),
    "INTERRUPT_ENABLE": (
        0x14,
        0x00000000,
        {
            "streaming": (2, 1, "rw"),
            "key_error": (3, 1, "rw"),
            "data_available": (4, 1, "rw"),
            "data_room": (5, 1, "rw"),
        },
    ),
    "DROP": (
        0x18,
        0x00000000,
        {
            "n": (0, 32, "rw"),
        },
    ),
    "KEY_LENGTH": (
        0x1C,
        0x00000000,
        {
            "length": (0, 32, "rw"),
        },
    ),
    "KEY": (
        0x20,
        None,
        {
            "bytes": (0, 32, "w"),
        },
    ),
    "DATA": (
        0x24,
        0x00000000,
        {
            "bytes": (0, 32, "rw"),
        },
    ),
}

RC4_SEARCH = {
    "ID": (
        0x00,
        0x41524353,
        {
            "id": (0, 32, "r"),
        },
    ),
    "VERSION": (
        0x04,
        0x00010000,
        {
            "patch": (0, 16, "r"),
            "minor": (16, 8, "r"),
            "major": (24, 8, "r"),
        },
    ),
    "PARAMETERS": (
        0x08,
        None,
        {
            "text_bytes": (0, 8, "r"),
            "key_bytes": (8, 12, "r"),
            "engines": (20, 12, "r"),
        },
    ),
    "CONTROL": (
        0x0C,
        0x00000000,
        {
            "clear": (0, 1, "w"),
        },
    ),
    "STATUS": (
        0x10,
        0x00000000,
        {
            "busy": (0, 1, "r"),
            "done": (1, 1, "r"),
            "key_error": (2, 1, "r"),
            "hit_available": (3, 1, "r"),
        },
    ),
    "INTERRUPT_ENABLE": (
        0x14,
        0x00000000,
        {
            "done": (1, 1, "rw"),
            "key_error": (2, 1, "rw"),
            "hit_available": (3, 1, "rw"),
        },
    ),
    "TEXT": (
        0x18,
        None,
        {
            "text": (0, 8, "w"),
            "care": (8, 8, "w"),
            "last": (16, 1, "w"),
        },
    ),
    "KEY": (
        0x1C,
        None,
        {
            "key": (0, 8, "w"),
            "mask": (8, 8, "w"),
            "last": (16, 1, "w"),
        },
    ),
    "HIT": (
        0x20,
        0x00000000,
        {
            "key": (0, 8, "r"),
            "last": (8, 1, "r"),
        },
    ),
    "BATCHES_LOW": (
        0x24,
        0x00000000,
        {
            "count": (0, 32, "r"),
        },
    ),
    "BATCHES_HIGH": (
        0x28,
        0x00000000,
        {
            "count": (0, 32, "r"),
        },
    ),
}
