"""The conditions of each claim on the results, and the figures that its verdict names in claims.toml."""

from lab.galvane2012.verdicts import languages, profiles, versions
from lab.judge import judges

JUDGES = judges(languages, profiles, versions)
