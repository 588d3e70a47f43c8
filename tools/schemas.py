"""Writes the JSON Schemas in `docs/reference/schemas`, or with `--check` says which are out of date.

They are what `sregym schema` prints with all plugins of this repository installed, and that of indexes of plugins.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from sregym_dev.schema import SCHEMAS
from sregym_index.form import schema

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "reference" / "schemas"


def pages() -> dict[Path, str]:
    """Each file, with what is to stand in it."""
    return {
        FOLDER / f"{kind}.schema.json": json.dumps(make(), indent=1) + "\n"
        for kind, make in sorted({**SCHEMAS, "plugin-index": schema}.items())
    }


def main(words: list[str]) -> int:
    """Write, or compare."""
    stale = []
    for path, text in pages().items():
        if "--check" not in words:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(path.name)
    if stale:
        print(f"out of date: {', '.join(stale)}; run: python tools/schemas.py")
    return 1 if stale else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
