"""The lab: what the literature claims about RC4, and what we measure."""
