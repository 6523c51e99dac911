"""What we say of each claim, in figures taken from the results."""

from lab.sengupta2013.verdicts import circuits, speed

JUDGES = (*circuits.JUDGES, *speed.JUDGES)
