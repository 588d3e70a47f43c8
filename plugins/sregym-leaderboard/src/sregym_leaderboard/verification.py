"""What is looked at before a submission is listed: all figures come from what was verified."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sregym_leaderboard.replay import Replay, replayed
from sregym_statistics import facts_of, problem_facts, summarise

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sregym_core.api import Workspace

    from sregym_leaderboard.submission import Content, Episode, Signed
    from sregym_statistics import EpisodeFacts


@dataclass(frozen=True)
class Entry:
    """A submission with what was found.

    Attributes:
        content: What was signed.
        key: Public key of its submitter.
        signer: Name that the leaderboard knows for the key; empty for none.
        figures: What `summarise` says of its episodes.
        replays: Of the episodes that were played again.
        objections: Why it is not ranked; empty if it is.
        differences: Distributions whose version here is not that with which it was played.
        known_problems: How many of its problems are installed here, and thereby public.
    """

    content: Content
    key: str
    signer: str
    figures: dict[str, Any]
    replays: tuple[Replay, ...]
    objections: tuple[str, ...]
    differences: tuple[str, ...]
    known_problems: int

    @property
    def name(self) -> str:
        """Of the entry."""
        return self.content.statement.name

    @property
    def own(self) -> dict[str, Any]:
        """Figures of the agent that is submitted."""
        found: dict[str, Any] = self.figures["agents"][self.content.statement.agent]
        return found

    @property
    def agreed(self) -> int:
        """How many episodes gave the same when played again, in all that they say."""
        return self._results("agrees")

    @property
    def played_again(self) -> int:
        """How many could be played again as a whole, or differ in what could be compared."""
        return self._results("agrees", "differs")

    @property
    def in_part(self) -> int:
        """How many agree in what could be compared, and say more than that."""
        return self._results("in part")

    @property
    def not_possible(self) -> int:
        """How many of which nothing could be compared."""
        return self._results("not possible")

    def _results(self, *results: str) -> int:
        return sum(one.result in results for one in self.replays)


def verified(
    content: Content,
    signed: Signed,
    signers: Mapping[str, str],
    sample: int | None,
    workspace: Workspace,
) -> Entry:
    """Play episodes of a submission again, and work its figures out anew.

    Args:
        content: Of a submission whose signature is right.
        signed: Its signature.
        signers: Names by public key.
        sample: How many episodes are played again; None for all. Which ones follows from the
            signature: they cannot be chosen.
        workspace: Loaded plugins.
    """
    versions = {
        status.distribution: status.version
        for status in workspace.factory.plugins.statuses()
        if status.distribution
    }
    replays = tuple(
        replayed(
            one.record, content.problems[one.record.problem], content.noise[one.noise], workspace
        )
        for one in _chosen(content.episodes, signed.signature, sample)
    )
    facts = _facts(content, workspace)
    return Entry(
        content=content,
        key=signed.key,
        signer=signers.get(signed.key, ""),
        figures=summarise(facts),
        replays=replays,
        objections=tuple(_objections(content, replays, facts)),
        differences=tuple(
            f"{name} {version} (here {versions.get(name, 'none')})"
            for name, version in sorted(content.played_with.items())
            if versions.get(name) != version
        ),
        known_problems=sum(
            name in {one.id for one in workspace.factory.problems.all()}
            for name in content.problems
        ),
    )


def _facts(content: Content, workspace: Workspace) -> list[EpisodeFacts]:
    known = {
        name: problem_facts(problem, workspace=workspace)
        for name, problem in content.problems.items()
    }
    return [
        facts_of(
            one.record,
            known[one.record.problem],
            agent=one.agent,
            noise=one.noise,
            prices=content.prices.get(one.agent),
        )
        for one in content.episodes
    ]


def _chosen(episodes: tuple[Episode, ...], signature: str, sample: int | None) -> list[Episode]:
    if sample is None or sample >= len(episodes):
        return list(episodes)
    seed = hashlib.sha256(signature.encode()).digest()
    return random.Random(seed).sample(episodes, sample)  # noqa: S311 - to be drawn again by anybody


def _objections(
    content: Content, replays: Iterable[Replay], facts: list[EpisodeFacts]
) -> Iterable[str]:
    for one in replays:
        if one.agrees is False:
            yield f"episode {one.episode}: {one.why}"
    agent = content.statement.agent
    mine = [one for one in facts if one.agent == agent]
    if not mine:
        yield f"agent {agent} has no graded episode"
    if any(one.informed for one in mine):
        yield f"agent {agent} was given the answers"
    worlds = [
        (one.agent, one.problem.id, one.mode, one.noise, one.seed, one.attempt) for one in facts
    ]
    if len(set(worlds)) != len(worlds):
        yield "an episode is there twice"
