"""What a server offers, from variables of its environment: containers are set up by these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sregym_core.api import Budget
from sregym_core.errors import UsageError
from sregym_rollouts import Rollouts, RolloutTask, rollout_tasks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True)
class Settings:
    """What is played, how, and by how many at once.

    Attributes:
        problems: Ids; none for those of the suite.
        suite: Name of a suite; empty for all problems.
        seeds: How many worlds of each problem there are to train on, and how many others to test.
        mode: How episodes are put to the policy.
        max_steps: Most actions of an episode.
        sessions: Most sessions at once.
        idle_s: Seconds without a request after which a session is closed.
    """

    problems: tuple[str, ...] = ()
    suite: str = "lite"
    seeds: tuple[int, int] = (8, 2)
    mode: str = "standard"
    max_steps: int = 30
    sessions: int = 16
    idle_s: float = 600.0

    @classmethod
    def of(cls, variables: Mapping[str, str]) -> Settings:
        """Those that variables named `SREGYM_OPENENV_...` say; the rest as by default.

        Raises:
            UsageError: A value is none, or there is no such setting.
        """
        prefix = "SREGYM_OPENENV_"
        known: dict[str, tuple[str, Callable[[str], object]]] = {
            "PROBLEMS": ("problems", lambda text: tuple(text.replace(",", " ").split())),
            "SUITE": ("suite", str),
            "SEEDS": ("seeds", _two),
            "MODE": ("mode", str),
            "MAX_STEPS": ("max_steps", _positive),
            "SESSIONS": ("sessions", _positive),
            "IDLE_S": ("idle_s", _positive),
        }
        found: dict[str, object] = {}
        for name, text in sorted(variables.items()):
            if not name.startswith(prefix):
                continue
            if name.removeprefix(prefix) not in known:
                there = ", ".join(prefix + one for one in known)
                raise UsageError(f"variable {name}: there is no such setting; there are: {there}")
            field, read = known[name.removeprefix(prefix)]
            try:
                found[field] = read(text)
            except ValueError as error:
                raise UsageError(f"variable {name}: {error}") from None
        return cls(**found)  # type: ignore[arg-type]

    def rollouts(self) -> Rollouts:
        """Where the episodes of all sessions come from."""
        return Rollouts(mode=self.mode, budget=Budget(steps=self.max_steps), agent="openenv")

    def splits(self, rollouts: Rollouts) -> dict[str, tuple[RolloutTask, ...]]:
        """The tasks of `train` and of `test`: the same problems in different worlds.

        Raises:
            UsageError: There is no such problem or suite.
        """
        train, test = self.seeds
        ranges = {"train": range(train), "test": range(train, train + test)}
        return {
            name: rollout_tasks(
                self.problems, suite=self.suite, seeds=seeds, workspace=rollouts.workspace
            )
            for name, seeds in ranges.items()
        }


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(f"a whole number from 1 is needed, not {text!r}")
    return int(text)


def _two(text: str) -> tuple[int, int]:
    first, _, second = text.partition(",")
    try:
        return _positive(first.strip()), _positive(second.strip())
    except ValueError:
        msg = f"two whole numbers from 1 are needed, to train and to test: 8,2, not {text!r}"
        raise ValueError(msg) from None
