"""What one request does: which calls it makes, how often it tries them, and how each try ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.telemetry.traces.draws import NEGLIGIBLE, choose, hit

if TYPE_CHECKING:
    from sregym_cluster_embedded.clock import Seed
    from sregym_cluster_embedded.telemetry.traces.sites import Failure, TracedCall
    from sregym_cluster_embedded.traffic.segments import CallFlow


class Attempt(NamedTuple):
    """One try of a call.

    Attributes:
        target: Which of the targets it goes to.
        failure: How it fails, None when it succeeds.
        number: Which of the tries that end so it is.
    """

    target: CallFlow
    failure: Failure | None
    number: int


class PlannedCall(NamedTuple):
    """A call that a request makes: its tries, the last of which decides."""

    site: TracedCall
    position: int
    attempts: tuple[Attempt, ...]

    @property
    def failed(self) -> bool:
        """Whether it fails for good."""
        return self.attempts[-1].failure is not None

    @property
    def timed_out(self) -> bool:
        """Whether a try of it has waited without success."""
        return any(
            part.failure is not None and part.failure.kind == "timeout" for part in self.attempts
        )


class Planner:
    """The calls of one operation.

    Args:
        seed: Chance of the time.
        purpose: Tells this operation at this time from others.
        sites: The calls that it makes.
    """

    def __init__(
        self, seed: Seed, purpose: tuple[object, ...], sites: tuple[TracedCall, ...]
    ) -> None:
        self._seed = seed
        self._purpose = purpose
        self._sites = sites

    def plan(self, error: str | None, number: int) -> tuple[PlannedCall, ...]:
        """The calls of one request, in order.

        Args:
            error: What the request fails with, None when it succeeds.
            number: Which of the requests with this outcome it is, from 0.
        """
        cause = None if error is None else self._cause(error, number)
        made: list[PlannedCall] = []
        for position, site in enumerate(self._sites):
            if cause is not None and site.stage > self._sites[cause[0]].stage:
                break
            if cause is not None and position == cause[0]:
                made.append(self._fatal(site, position, cause[1], cause[2]))
                continue
            made.extend(self._calls(site, position, made, error, number))
        return tuple(made)

    def _cause(self, error: str, number: int) -> tuple[int, int, int] | None:
        """(position of the site, which failure, number) behind an error; None: it is its own."""
        known = [
            (position, index, failure.share * site.made * site.lost)
            for position, site in enumerate(self._sites)
            if site.fatal and site.lost > 0
            for index, failure in enumerate(site.failures)
            if failure.returned == error
        ]
        if not any(weight > 0 for _, _, weight in known):
            return None
        shares = [weight for _, _, weight in known]
        index, rank = choose(self._seed, (*self._purpose, "cause", error), number, shares)
        return known[index][0], known[index][1], rank

    def _fatal(self, site: TracedCall, position: int, index: int, rank: int) -> PlannedCall:
        failure = site.failures[index]
        last = Attempt(failure.flow, failure, rank)
        tries = site.attempts - 1 if failure.again else 0
        before = self._failing(site, position, tries, rank)
        return PlannedCall(site, position, (*before, last))

    def _failing(
        self, site: TracedCall, position: int, count: int, number: int
    ) -> tuple[Attempt, ...]:
        """Tries that fail and are repeated."""
        found = []
        shares = [failure.share if failure.again else 0.0 for failure in site.failures]
        for turn in range(count if any(shares) else 0):
            index, rank = choose(
                self._seed, (*self._purpose, position, "try", turn), number, shares
            )
            failure = site.failures[index]
            found.append(Attempt(failure.flow, failure, rank))
        return tuple(found)

    def _calls(
        self,
        site: TracedCall,
        position: int,
        made: list[PlannedCall],
        error: str | None,
        number: int,
    ) -> list[PlannedCall]:
        """The calls of a site that do not fail the request."""
        share = site.made
        if site.look is not None:
            looks = [call for call in made if call.position == site.look]
            lost = self._sites[site.look].lost if not self._sites[site.look].fatal else 0.0
            if any(call.failed for call in looks):
                # A cache that does not answer is a miss.
                share = 1.0
            elif lost > 0:
                share = max(0.0, (share - lost) / max(NEGLIGIBLE, 1 - lost))
        if site.fatal and site.lost > 0:
            # Of the requests that get beyond it fewer have made it: those that failed are gone.
            share *= (1 - site.lost) / max(NEGLIGIBLE, 1 - min(1.0, share) * site.lost)
        purpose = (*self._purpose, position, error or "")
        whole = int(share + NEGLIGIBLE)
        ranks = [number * whole + turn for turn in range(whole)]
        more = hit(self._seed, (*purpose, "more"), number, share - whole)
        if more is not None and share - whole > NEGLIGIBLE:
            ranks.append(more)
        return [self._one(site, position, purpose, rank) for rank in ranks]

    def _one(
        self, site: TracedCall, position: int, purpose: tuple[object, ...], rank: int
    ) -> PlannedCall:
        if not site.fatal and site.lost > 0:
            fails = hit(self._seed, (*purpose, "ignored"), rank, site.lost)
            if fails is not None and site.failures:
                shares = [failure.share for failure in site.failures]
                index, number = choose(self._seed, (*purpose, "lost"), fails, shares)
                return self._fatal(site, position, index, number)
        failed = 0
        chance = sum(failure.share for failure in site.failures if failure.again)
        while (
            site.failures
            and failed < site.attempts - 1
            and hit(self._seed, (*purpose, "again", failed), rank, chance) is not None
        ):
            failed += 1
        shares = [target.rate * target.ok for target in site.targets]
        if not any(share > 0 for share in shares):
            shares = [target.rate for target in site.targets]
        index, number = choose(self._seed, (*purpose, "target"), rank, shares)
        last = Attempt(site.targets[index], None, number)
        return PlannedCall(site, position, (*self._failing(site, position, failed, rank), last))
