"""Makes attempts: `python probe NAME,NAME GUESSES`, a line of JSON for each."""

from __future__ import annotations

import json
import sys

from .place import Place
from .route import ProbeResult
from .routes import ROUTES

TEXT_CAP = 6_000_000


def main(names: list[str], guesses: dict[str, str]) -> None:
    """Make the attempts in order and print what they brought."""
    place = Place(guesses)
    for name in names:
        result = ProbeResult()
        raised = ""
        try:
            ROUTES[name].attempt(place, result)
        except Exception as error:  # an attempt that breaks off is no reason to leave out the next
            raised = f"{type(error).__name__}: {error}"
        room = TEXT_CAP
        texts = []
        for text in result.texts:
            texts.append(text[:room])
            room -= len(texts[-1])
        told = {"route": name, "texts": texts, "facts": result.facts, "raised": raised}
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1].split(","), json.loads(sys.argv[2]))
