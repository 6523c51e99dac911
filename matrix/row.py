"""A row of the matrix."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """Tests of somebody else that ran at a door of ours."""

    door: str
    tests: str
    version: str
    run: int
    failed: int

    @property
    def name(self) -> str:
        """What it is, without its result."""
        return f"{self.door}, {self.tests} of {self.version}"
