"""pytest, whose failures are tried once more: what passes alone then has failed beside the others.

Tests of processes and of the wall clock share a machine with all others, and with whatever else runs on it.
A few that fail are run again, one after the other, and named. A defect fails twice; more failures than a
few are no matter of chance, and stand.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

MOST = 3
_FAILED = 1
# Options that share tests out, with a value each.
_SHARING = ("-n", "--dist")


def main(words: Sequence[str]) -> int:
    """Run pytest with these words; its exit code, or 0 where all passes the second time."""
    with tempfile.TemporaryDirectory() as cache:
        pytest = (sys.executable, "-m", "pytest", "-o", f"cache_dir={cache}")
        code = subprocess.run((*pytest, *words), check=False).returncode
        failed = _failed(Path(cache))
        if code != _FAILED or not 0 < len(failed) <= MOST:
            return code
        print(f"\nAgain, alone: {', '.join(failed)}", flush=True)
        code = subprocess.run((*pytest, *_options(words), *failed), check=False).returncode
        if code == 0:
            print(f"{len(failed)} failed beside the others and passed alone: {', '.join(failed)}")
        return code


def _failed(cache: Path) -> list[str]:
    file = cache / "v" / "cache" / "lastfailed"
    return sorted(json.loads(file.read_text(encoding="utf-8"))) if file.exists() else []


def _options(words: Sequence[str]) -> list[str]:
    """The words without those that name tests or share them out."""
    kept: list[str] = []
    before = ""
    for word in words:
        value = before.startswith("-")
        drop = word in _SHARING or before in _SHARING or "xdist.plugin" in (word,)
        if word == "-p":
            pass  # kept or dropped with what it loads
        elif before == "-p":
            kept += [] if drop else ["-p", word]
        elif not drop and (value or not Path(word).exists()):
            kept.append(word)
        before = word
    return kept


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
