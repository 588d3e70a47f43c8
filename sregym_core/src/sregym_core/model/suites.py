"""Which suites a problem belongs to: those that its file names, and those that follow from it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import yaml

from sregym_core.model.base import Value
from sregym_core.model.problem import FailureMode

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sregym_core.model.problem import Problem


class Origin(StrEnum):
    """How near a problem is to the upstream benchmark; agents may know what is published there."""

    PORTED = "ported"
    SIMILAR = "similar"
    NEW = "new"


@dataclass(frozen=True)
class PortedProblems:
    """What the problems of the upstream benchmark have; by it the others are similar or new.

    Attributes:
        faults: Their faults.
        modes: The ways in which they fail.
    """

    faults: frozenset[str]
    modes: frozenset[FailureMode]

    @classmethod
    def among(cls, problems: Iterable[Problem]) -> PortedProblems:
        """Of those of the problems that have an upstream id."""
        ported = [problem for problem in problems if problem.upstream]
        return cls(
            frozenset(ref.fault for problem in ported for ref in problem.faults),
            frozenset(mode for problem in ported for mode in problem.modes),
        )

    def origin_of(self, problem: Problem) -> Origin:
        """`ported` with an upstream id; `similar` if no fault and no mode of it is unknown there."""
        if problem.upstream:
            return Origin.PORTED
        known = self.faults.issuperset(ref.fault for ref in problem.faults)
        return Origin.SIMILAR if known and self.modes.issuperset(problem.modes) else Origin.NEW


class SuiteRules(Value):
    """What brings a problem into a suite; one rule that holds is enough.

    Attributes:
        modes: It fails in one of these ways.
        layers: It is of one of these layers.
        faults: One of its faults has a name like one of these, with `*` for anything.
        upstream: It corresponds to a problem of the upstream benchmark.
        origins: It is as near to the upstream benchmark as one of these.
        noise_level: How much noise disturbs the suite by default, 0 to 3; nothing
            said: as much as each problem says.
    """

    modes: tuple[FailureMode, ...] = ()
    layers: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    upstream: bool = False
    origins: tuple[Origin, ...] = ()
    noise_level: int | None = None

    def hold(self, problem: Problem, origin: Origin) -> bool:
        """Whether the problem belongs to the suite."""
        if (self.upstream and problem.upstream) or origin in self.origins:
            return True
        names = [ref.fault for ref in problem.faults]
        if any(fnmatchcase(name, like) for name in names for like in self.faults):
            return True
        return problem.layer in self.layers or not {*self.modes}.isdisjoint(problem.modes)


@cache
def derived_suites() -> Mapping[str, SuiteRules]:
    """The suites of `suites.yaml` by name; they exist also where no problem is in them."""
    text = (files("sregym_core.model") / "suites.yaml").read_text(encoding="utf-8")
    return {name: SuiteRules.model_validate(rules) for name, rules in yaml.safe_load(text).items()}


def noise_level_of(suite: str) -> int | None:
    """How much noise a suite has by default; None where it leaves that to its problems."""
    rules = derived_suites().get(suite)
    return None if rules is None else rules.noise_level


def suites_of(problem: Problem, origin: Origin) -> tuple[str, ...]:
    """Names of all suites of a problem: first those that its file names."""
    derived = (name for name, rules in derived_suites().items() if rules.hold(problem, origin))
    return tuple(dict.fromkeys((*problem.suites, *derived)))
