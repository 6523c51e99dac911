"""The conditions of each claim on the results, and the figures that its verdict names in claims.toml."""

from lab.judge import judges
from lab.sengupta2013.verdicts import circuits, speed

JUDGES = judges(circuits, speed)
