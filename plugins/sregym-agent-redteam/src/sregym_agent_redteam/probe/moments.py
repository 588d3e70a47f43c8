"""The moment at which a healthy system breaks, computed beforehand from the seed."""

from __future__ import annotations

import hmac
from itertools import islice
from random import Random
from typing import TYPE_CHECKING, ClassVar

from .forging import seeds_in
from .route import Known, ProbeResult, Route

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .place import Place

PURPOSE = "moment of the first fault"
# No fault comes sooner than this share of the time that is given.
EARLIEST = 0.1
# What an attempt without knowledge would name by luck is far less than one moment in a thousand.
NAMED, WITHIN_S = 24, 0.06
# A moment that falls on a round second comes so much later.
SHIFTS_S = (0.0, 1.85)
SALTS = ("", "0", "salt", "secret", "default", "None", "0" * 64)


def moments(seed: int, horizon_s: float) -> Iterator[float]:
    """Moments that would follow from a seed alone, or with a salt that can be guessed."""
    for salt in (*SALTS, str(seed)):
        text = f"{PURPOSE}\0{seed}".encode()
        number = int.from_bytes(hmac.digest(salt.encode(), text, "sha256")[:8], "big")
        yield drawn(number, horizon_s)
    yield drawn(seed, horizon_s)
    yield drawn(f"{PURPOSE}, seed {seed}", horizon_s)


def drawn(chance: int | str, horizon_s: float) -> float:
    """A moment within the horizon."""
    return round(Random(chance).uniform(EARLIEST * horizon_s, horizon_s), 1)  # noqa: S311


class Moment(Route):
    """When the fault will come, before it comes."""

    name: ClassVar[str] = "predicted-moment"
    alone: ClassVar[bool] = True
    breaks_within_s: ClassVar[float | None] = 7200.0

    def attempt(self, place: Place, result: ProbeResult) -> None:
        """Find the seed by uids that are there, and name moments; the rest shows by itself."""
        texts = [
            result.take(place.api(f"/api/v1/{what}")[1])
            for what in ("namespaces", "nodes", "serviceaccounts", "pods")
        ]
        horizon_s = self.breaks_within_s or 0.0
        seeds = seeds_in(texts)
        named = (moment for seed in seeds for moment in moments(seed, horizon_s))
        result.facts.update(seeds=seeds, moments=list(islice(named, NAMED)))

    def leaked(self, result: ProbeResult, known: Known) -> str:
        """None of the few moments may be the one."""
        broke = known.broke_after_s
        for moment in result.facts.get("moments", ())[:NAMED]:
            late = 0.0 if broke is None else broke - moment
            if broke is not None and any(abs(late - shift) <= WITHIN_S for shift in SHIFTS_S):
                return f"that the system breaks {moment} s after the agent's start was foretold"
        return known.found(result.texts)
