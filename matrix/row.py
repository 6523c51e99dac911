"""A row of the matrix."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """Tests of somebody else that ran on an interface of ours."""

    interface: str
    tests: str
    version: str
    run: int
    failed: int

    @property
    def name(self) -> str:
        """What it is, without its result."""
        return f"{self.interface}, {self.tests} of {self.version}"
