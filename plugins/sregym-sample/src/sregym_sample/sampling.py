"""Suites made of pairs: a seeded sample of them, and problems with several faults."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from operator import itemgetter
from random import Random
from typing import TYPE_CHECKING, Any

from sregym_core.errors import SregymError, UsageError
from sregym_core.model import ComponentTarget, FailureMode, Problem
from sregym_core.model.defect import no_such
from sregym_runs import pair, pairs

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence

    from sregym_core.api import Workspace
    from sregym_core.model import Component, Target

# Kinds of objects whose defects stay with one component: any number of them can be broken at once.
_OWN = frozenset(
    ("Deployment", "StatefulSet", "DaemonSet", "Service", "ConfigMap", "Secret", "DatabaseUser")
)
# How many faults composites have, and how many draws find one before the seed is given up.
_SIZES = (2, 2, 3)
_DRAWS = 400
# So many are looked at as a further fault beside the first.
_PARTNERS = 40


@dataclass(frozen=True)
class _Candidate:
    """A pair on a component that serves users.

    Attributes:
        fault: Name of the fault.
        application: Name of the application.
        component: The target.
        occasion: What tips the system over and passes; empty where nothing does.
        parameters: Of the fault, with that occasion.
    """

    fault: str
    application: str
    component: Component
    occasion: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def operations(self) -> frozenset[str]:
        """Users' operations that pass through it."""
        return frozenset(self.component.operations)


class Sampler:
    """Makes problems of pairs: single ones, and several whose faults do not mask each other.

    Args:
        workspace: What is installed.
        seed: All chance derives from it.
        mode: Only problems that fail in this way; empty for any.
        application: Only of this application; empty for any.

    Raises:
        UsageError: There is no such mode, or nothing installed fails in that way.
    """

    def __init__(
        self, workspace: Workspace, seed: int = 0, mode: str = "", application: str = ""
    ) -> None:
        known = [one.value for one in FailureMode]
        if mode and mode not in known:
            raise UsageError(no_such("failure mode", mode, known))
        self._workspace = workspace
        self._mode = mode
        self._seed = seed
        self._chance = Random(f"sample of problems, seed {seed}, {mode}, {application}")  # noqa: S311
        self._pool = [*self._candidates(application)]
        self._alone: dict[str, bool] = {}
        if not self._pool:
            whose = f" of application {application!r}" if application else ""
            how = f"fails in mode {mode!r}" if mode else "hurts users"
            raise UsageError(f"no pair{whose} {how} with the plugins that are installed")

    def problems(self) -> Generator[Problem, None, None]:
        """Problems without doubles, for as long as draws find new ones."""
        told: set[str] = set()
        misses = 0
        while misses < _DRAWS:
            chosen = self._draw()
            made = None if chosen is None else self._problem(chosen)
            if made is None or made.id in told:
                misses += 1
                continue
            misses = 0
            told.add(made.id)
            yield made

    def _candidates(self, application: str) -> Iterator[_Candidate]:
        names = self._workspace.factory.registry.names
        for one in pairs(
            [name for name in names("fault") if self._has_mode(name)],
            [name for name in names("application") if application in ("", name)],
            whole=True,
            workspace=self._workspace,
        ):
            if _is_whole_component(one.target):
                system = self._workspace.application(one.application)
                name = str(one.target)
                found = next(part for part in system.components() if part.name == name)
                if not found.operations:
                    continue
                candidate = _Candidate(one.fault, one.application, found)
                if self._mode == FailureMode.METASTABLE:
                    yield from self._tipped_over(candidate)
                else:
                    yield candidate

    def _tipped_over(self, candidate: _Candidate) -> Iterator[_Candidate]:
        """The same with each occasion after which the system stays down."""
        fault = self._workspace.factory.fault(candidate.fault)
        if FailureMode.METASTABLE in fault.modes:
            system = self._workspace.application(candidate.application)
            for name, parameters in fault.occasions(system, candidate.component).items():
                yield replace(candidate, occasion=name, parameters=parameters)

    def _has_mode(self, fault: str) -> bool:
        if self._mode in ("", FailureMode.CONCURRENT, FailureMode.CORRELATED):
            return True
        return self._mode in self._workspace.factory.fault(fault).modes

    def _first(self) -> _Candidate:
        """A fault by lot, then an application that it fits, then a target: many targets are no more likely."""
        fault = self._chance.choice([*dict.fromkeys(one.fault for one in self._pool)])
        fitting = [one for one in self._pool if one.fault == fault]
        application = self._chance.choice([*dict.fromkeys(one.application for one in fitting)])
        return self._chance.choice([one for one in fitting if one.application == application])

    def _draw(self) -> tuple[_Candidate, ...] | None:
        first = self._first()
        if self._mode == FailureMode.METASTABLE:
            return (first,)  # a system that is down for one of two keeps the other out of sight
        if self._mode == FailureMode.CORRELATED:
            like = [one for one in self._fitting(first) if one.fault == first.fault]
            return self._with((first,), like)
        several = self._mode == FailureMode.CONCURRENT or self._chance.random() < 0.5
        if not several:
            return (first,)
        return self._with((first,), self._fitting(first))

    def _fitting(self, first: _Candidate) -> list[_Candidate]:
        return [
            one
            for one in self._pool
            if one.application == first.application and one.component != first.component
        ]

    def _with(
        self, chosen: tuple[_Candidate, ...], others: Sequence[_Candidate]
    ) -> tuple[_Candidate, ...] | None:
        size = self._chance.choice(_SIZES)
        for one in self._by_faults(others)[:_PARTNERS]:
            if len(chosen) < size and self._apart((*chosen, one)):
                chosen = (*chosen, one)
        return chosen if len(chosen) > 1 else None

    def _by_faults(self, candidates: Sequence[_Candidate]) -> list[_Candidate]:
        """In an order by lot in which each fault comes once before any comes twice."""
        faults = {one.fault: self._chance.random() for one in candidates}
        turns: Counter[str] = Counter()
        found = []
        for one in self._chance.sample(candidates, len(candidates)):
            found.append((turns[one.fault], faults[one.fault], one))
            turns[one.fault] += 1
        return [one for _, _, one in sorted(found, key=itemgetter(0, 1))]

    def _apart(self, chosen: tuple[_Candidate, ...]) -> bool:
        """Whether no fault masks another: each is alone on its component and for some operation."""
        if len({one.component.name for one in chosen}) < len(chosen):
            return False
        counts = Counter(operation for one in chosen for operation in one.operations)
        if not all(any(counts[name] == 1 for name in one.operations) for one in chosen):
            return False
        return all(map(self._stays_alone, chosen))

    def _stays_alone(self, candidate: _Candidate) -> bool:
        """Whether what its fault breaks belongs to the component alone."""
        if candidate.fault not in self._alone:
            self._alone[candidate.fault] = self._is_own(candidate)
        return self._alone[candidate.fault]

    def _is_own(self, candidate: _Candidate) -> bool:
        from sregym_core.api import solution

        fault = self._workspace.factory.fault(candidate.fault)
        if fault.needs:
            return False
        try:
            (truth,) = solution(self._pair(candidate), workspace=self._workspace).ground_truths
        except (SregymError, ValueError):
            return False
        namespaces = self._workspace.application(candidate.application).namespaces
        return (
            truth.kind in _OWN
            and truth.namespace in namespaces
            and truth.component == candidate.component.name
        )

    def _pair(self, candidate: _Candidate) -> Problem:
        names = (candidate.fault, candidate.application, candidate.component.name)
        made = pair(*names, candidate.parameters, workspace=self._workspace)
        if not candidate.occasion:
            return made
        return made.model_copy(
            update={
                "id": f"{made.id}.{candidate.occasion}",
                "title": f"{made.title}; after a passing {candidate.occasion}",
                "silent": False,
                "modes": (FailureMode.METASTABLE,),
                # A repair must leave a system that withstands the same trigger again.
                "oracles": made.oracles.model_copy(update={"mitigation": ("replay",)}),
            }
        )

    def _problem(self, chosen: tuple[_Candidate, ...]) -> Problem:
        parts = sorted(map(self._pair, chosen), key=lambda one: one.id)
        first = parts[0]
        if len(parts) == 1:
            return first
        faults = tuple(ref for one in parts for ref in one.faults)
        modes = dict.fromkeys((FailureMode.CONCURRENT, *(m for one in parts for m in one.modes)))
        if self._mode == FailureMode.CORRELATED:
            targets = tuple(target for ref in faults for target in ref.targets)
            faults = (first.faults[0].model_copy(update={"targets": targets}),)
            modes = dict.fromkeys((FailureMode.CORRELATED, *first.modes))
        return first.model_copy(
            update={
                "id": "_and_".join(one.id for one in parts),
                "title": "; ".join(one.title for one in parts),
                "faults": faults,
                # Users notice the whole as soon as they notice a part.
                "silent": all(one.silent for one in parts),
                "modes": tuple(modes),
            }
        )


def _is_whole_component(target: Target) -> bool:
    return isinstance(target, ComponentTarget) and not target.component.parts
