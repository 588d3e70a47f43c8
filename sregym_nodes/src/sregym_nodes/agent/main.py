"""The command line of this program."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .journal import Journal
from .refusal import Refusal
from .verbs import VERBS

if TYPE_CHECKING:
    from collections.abc import Mapping


def main() -> int:
    """`VERB` with JSON on standard input; prints JSON.

    Returns:
        0 when it was done, 1 when not; then `error` says why.
    """
    verb, *words = sys.argv[1:] or ("list",)
    journal = Journal(Path(sys.argv[0]).resolve().parent)
    if verb == "disk":
        from . import prepared  # takes long to load, as `burning` does

        prepared.serve(*words)
        return 0
    given: dict[str, Any] = json.loads(sys.stdin.read() or "{}")
    if verb == "work":
        from . import burning

        burning.burn(given)
    try:
        answered = VERBS[verb](journal, given)
    except Refusal as refusal:
        _say({"error": str(refusal)})
        return 1
    _say(answered)
    return 0


def _say(what: Mapping[str, Any]) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
