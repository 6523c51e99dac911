"""The main ratios of the study, by processor."""

from lab.processors import Ratio


def steady(language: str) -> dict[str, object]:
    """A language on the largest input."""
    return {"language": language, "bytes": 10_000_000}


RATIOS = (
    Ratio("time of C's V0 over V4, -O0", "c-versions", "us", {"level": "-O0", "version": "V0"}, {"level": "-O0", "version": "V4"}),
    Ratio("time of C's V0 over V4, -O2", "c-versions", "us", {"level": "-O2", "version": "V0"}, {"level": "-O2", "version": "V4"}),
    Ratio("time of Java's V1 over V4, interpreted", "java-versions", "us", {"jit": False, "version": "V1"}, {"jit": False, "version": "V4"}),
    Ratio("time of Java's V1 over V4, by the JIT", "java-versions", "us", {"jit": True, "version": "V1"}, {"jit": True, "version": "V4"}),
    Ratio("time of Java over C", "languages-steady", "us", steady("Java"), steady("C")),
    Ratio("time of C over the assembly", "languages-steady", "us", steady("C"), steady("assembly")),
    Ratio("time of Python over C", "languages-steady", "us", steady("Python"), steady("C")),
    Ratio("time of Perl over C", "languages-steady", "us", steady("Perl"), steady("C")),
)
