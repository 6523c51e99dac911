"""What we say of each claim. The judgement is a condition on the results, and so are the figures quoted."""

from lab.galvane2012.verdicts import languages, profiles, versions

JUDGES = (*languages.JUDGES, *profiles.JUDGES, *versions.JUDGES)
