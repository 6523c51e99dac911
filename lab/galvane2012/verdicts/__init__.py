"""The conditions of each claim on the results, and the figures that its verdict names in claims.toml."""

from lab.galvane2012.verdicts import languages, profiles, versions

JUDGES = (*languages.JUDGES, *versions.JUDGES, *profiles.JUDGES)
