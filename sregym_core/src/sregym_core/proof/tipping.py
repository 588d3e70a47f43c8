"""What a proof shows of a system that stays down: the defect alone, what tips it over alone, and both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.conductor.grading import VISIBLE_DROP
from sregym_core.conductor.journal import UndoJournal
from sregym_core.proof.checks import ProofCheck

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sregym_core.conductor.component_factory import ComponentFactory
    from sregym_core.conductor.worlds import Worlds
    from sregym_core.interfaces import Application, Fault, FaultContext
    from sregym_core.model import Problem

    _Faults = Sequence[tuple[Fault, FaultContext]]

# So long after the last change users must be well, where they have to be, and still not be, where the
# system stays down: rollouts are over by then, and backlogs that only take their time.
CALM_S, DOWN_S = 300.0, 900.0
# What is asked of users.
WINDOW_S = 60.0
_WELL, _UNWELL = "users are well", "users are not well"


def tipping_checks(
    factory: ComponentFactory, worlds: Worlds, problem: Problem, application: Application, seed: int
) -> Iterator[ProofCheck]:
    """Three worlds: with the defect and no occasion, with the occasion and no defect, with both."""
    waiting = without_occasion(factory, problem)
    if waiting == problem:
        names = ", ".join(dict.fromkeys(ref.fault for ref in problem.faults))
        why = (
            f"problem {problem.id!r} is said to be metastable, but the parameters of {names} bring no "
            "occasion about that tips it over; give it one, or take the mode away"
        )
        yield ProofCheck("condition-alone-is-borne", _WELL, "no occasion", False, why)
        return

    def seen(of: Problem, change: Callable[[_Faults], None], later_s: float) -> tuple[bool, str]:
        world = worlds.make(application, problem.timing.warm_up_s, seed, served=False)
        try:
            journal = UndoJournal()
            change(factory.faults_in_context(of, application, world.cluster, journal, seed))
            world.cluster.clock.advance(later_s)
            rate = application.traffic(world.cluster, WINDOW_S).success_rate
            before = world.baseline.traffic.success_rate
            told = f"success rate {rate:.3f} {later_s:g} s later, healthy {before:.3f}"
            return rate >= before - VISIBLE_DROP, told
        finally:
            world.cluster.close()

    cases = (
        ("condition-alone-is-borne", waiting, _inject, CALM_S, _WELL),
        ("occasion-alone-passes", problem, _replay, CALM_S, _WELL),
        ("both-stay-down", problem, _inject, DOWN_S, _UNWELL),
    )
    for name, of, change, later_s, expected in cases:
        well, told = seen(of, change, later_s)
        got = _WELL if well else _UNWELL
        yield ProofCheck(name, expected, got, got == expected, told)


def without_occasion(factory: ComponentFactory, problem: Problem) -> Problem:
    """The same defects where nothing tips the system over."""
    faults = []
    for ref in problem.faults:
        tipping = factory.fault(ref.fault).tipping
        left = {name: value for name, value in ref.parameters.items() if name not in tipping}
        faults.append(ref.model_copy(update={"parameters": left}))
    return problem.model_copy(update={"faults": tuple(faults)})


def _inject(faults: _Faults) -> None:
    for fault, context in faults:
        fault.inject(context)


def _replay(faults: _Faults) -> None:
    for fault, context in faults:
        fault.replay(context)
