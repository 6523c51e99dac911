"""Reading ciphertexts in depth: several bytes of text under one and the same byte of keystream.

The keystream is found from the ciphertext alone, as the most likely path through all its candidates
(Viterbi) under a model of pairs of letters. Nothing of the key or of the text is known.
"""

from __future__ import annotations

import numpy as np

from lab.english import Model

Pairs = list[tuple[int, int]]


def read(encrypted: np.ndarray, model: Model, lanes: int = 1, width: int = 32) -> np.ndarray:
    """Texts (one a row, all under one keystream) read as if each round of `lanes` bytes had one byte of keystream."""
    count, size = encrypted.shape
    steps = encrypted.reshape(count, size // lanes, lanes).transpose(1, 0, 2).reshape(size // lanes, count * lanes)
    inner = [(m * lanes + a, m * lanes + a + 1) for m in range(count) for a in range(lanes - 1)]
    outer = [(m * lanes + lanes - 1, m * lanes) for m in range(count)]
    return encrypted ^ np.repeat(keystream(steps, inner, outer, model, width), lanes)


def keystream(steps: np.ndarray, inner: Pairs, outer: Pairs, model: Model, width: int) -> np.ndarray:
    """The most likely byte of keystream for each step.

    `steps[t, m]` is the m-th byte of ciphertext under byte t of the keystream. In the plaintext,
    byte b follows byte a of the same step for (a, b) in `inner`. For (a, b) in `outer` it follows
    byte a of the step before. The `width` best bytes of each step, taken alone, are candidates.
    """
    local = np.concatenate([alone(part, inner, model) for part in np.array_split(steps, len(steps) // 512 + 1)])
    candidates = np.argsort(-local, axis=1)[:, :width].astype(np.uint8)
    score = np.take_along_axis(local[:1], candidates[:1].astype(int), axis=1)[0]
    came_from = np.zeros(candidates.shape, np.intp)
    for t in range(1, len(steps)):
        now = np.take_along_axis(local[t], candidates[t].astype(int), axis=0)[None, :] + score[:, None]
        for a, b in outer:
            before, after = steps[t - 1, a] ^ candidates[t - 1], steps[t, b] ^ candidates[t]
            now += model.pair[before[:, None], after[None, :]] - model.single[after][None, :]
        came_from[t] = now.argmax(axis=0)
        score = now.max(axis=0)
    path = np.empty(len(steps), np.uint8)
    at = int(score.argmax())
    for t in range(len(steps) - 1, -1, -1):
        path[t] = candidates[t, at]
        at = came_from[t, at]
    return path


def alone(steps: np.ndarray, inner: Pairs, model: Model) -> np.ndarray:
    """The log-likelihood of each of the 256 bytes at each step, by that step alone."""
    texts = steps[:, :, None] ^ np.arange(256, dtype=np.uint8)
    score = model.single[texts].sum(axis=1)
    for a, b in inner:
        score += model.pair[texts[:, a], texts[:, b]] - model.single[texts[:, b]]
    return score
