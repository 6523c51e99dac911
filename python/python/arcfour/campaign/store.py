"""A campaign in an object store: workers that share no folder, S3 by `s3fs` among others."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arcfour._native import Campaign, Counts, merge, run_shard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["Store"]


@dataclass(frozen=True)
class Store:
    """The shards of a campaign as the objects `K.cnt` below a URL, as in `s3://bucket/c1`.

    The object `K.claim` says which worker counts shard K. A worker creates the claim by a
    conditional write, so two workers never own one shard, whatever their clocks say.
    """

    url: str
    campaign: Campaign

    @classmethod
    def prepare(cls, url: str, campaign: Campaign) -> Store:
        """Put the campaign into the store.

        Raises ValueError if the store cannot be reached, holds another campaign, or has no
        conditional writes.
        """
        store = cls(url.rstrip("/"), campaign)
        text = campaign.toml.encode()
        store._files()
        try:
            fresh = store._create("campaign.toml", text)
            # A store that creates an object twice cannot keep workers apart.
            twice = fresh and store._create("campaign.toml", text)
            there = text if fresh else store._read("campaign.toml")
        except Exception as error:  # each kind of store has other errors
            message = f"'{url}' cannot be used: {error}"
            raise ValueError(message) from error
        if twice:
            message = f"'{url}' has no conditional writes; workers would count twice"
            raise ValueError(message)
        if there != text and Campaign.parse(there.decode()) != campaign:
            message = f"'{url}' holds another campaign; choose another URL"
            raise ValueError(message)
        return store

    def missing(self, shards: Iterable[int]) -> list[int]:
        """Return the shards that are not counted yet."""
        names = self._names()
        return [index for index in shards if f"{index}.cnt" not in names]

    def claims(self) -> dict[int, str]:
        """Return which worker counts each claimed shard."""
        claims = {}
        for name in sorted(name for name in self._names() if name.endswith(".claim")):
            # Another worker may have counted its shard since the names were listed.
            with suppress(FileNotFoundError):
                claims[int(name.removesuffix(".claim"))] = self._read(name).decode()
        return claims

    def release(self) -> None:
        """Remove all claims: for the user, who knows that their workers are lost."""
        for index in self.claims():
            self._remove(f"{index}.claim")

    def load(self, index: int) -> Counts:
        """Read the counts of a shard.

        Raises OSError if they are not there, ValueError if they are damaged or of another shard.
        """
        name = f"{index}.cnt"
        try:
            counts = Counts.parse(self._read(name))
        except ValueError as error:
            message = f"'{self.url}/{name}': {error}"
            raise ValueError(message) from None
        if counts.campaign != self.campaign or counts.shards != [(index, index)]:
            message = (
                f"'{self.url}/{name}' holds {counts!r}, not shard {index} of {self.campaign!r}"
            )
            raise ValueError(message)
        return counts

    def count(self, index: int, progress: Callable[[int], object] | None = None) -> bool:
        """Count a shard on this core; return False if another worker owns or counted it."""
        claim = f"{index}.claim"
        if not self._create(claim, f"{socket.gethostname()}:{os.getpid()}".encode()):
            return False
        try:
            # The owner before may have finished just before this claim.
            if not self.missing([index]):
                return False
            counts = run_shard(self.campaign, index, progress=progress)
            return self._create(f"{index}.cnt", counts.to_bytes())
        finally:
            self._remove(claim)

    def merge(self, shards: Iterable[int]) -> Counts:
        """Add up counted shards, one in memory at a time.

        Raises ValueError if shards are missing; the message names their owners.
        """
        wanted = list(shards)
        if missing := self.missing(wanted):
            owners = ", ".join(sorted(set(self.claims().values()))) or "no worker"
            message = (
                f"{len(missing)} shards of '{self.url}' are not counted, first {missing[0]}; "
                f"claimed by {owners}; --release frees the claims of lost workers"
            )
            raise ValueError(message)
        total = self.load(wanted[0])
        for index in wanted[1:]:
            total = merge((total, self.load(index)))
        return total

    def _files(self) -> tuple[Any, str]:
        """Return the file system and the path in it; each process has its own connection."""
        try:
            import fsspec  # noqa: PLC0415  # an optional dependency

            return fsspec.url_to_fs(self.url)  # type: ignore[no-any-return]
        except ImportError as error:
            message = f"'{self.url}' needs fsspec ({error}); install the package with its extra s3"
            raise ValueError(message) from None

    def _names(self) -> set[str]:
        files, root = self._files()
        files.invalidate_cache()
        return {path.rpartition("/")[2] for path in files.ls(root, detail=False)}

    def _create(self, name: str, data: bytes) -> bool:
        """Write an object unless it is there; return whether this call wrote the object."""
        files, root = self._files()
        try:
            files.pipe_file(f"{root}/{name}", data, mode="create")
        except FileExistsError:
            return False
        return True

    def _read(self, name: str) -> bytes:
        files, root = self._files()
        return files.cat_file(f"{root}/{name}")  # type: ignore[no-any-return]

    def _remove(self, name: str) -> None:
        """Remove an object, if it is there."""
        files, root = self._files()
        with suppress(FileNotFoundError):
            files.rm_file(f"{root}/{name}")
