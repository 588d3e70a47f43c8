"""Is the repair safe: what else did it change, and did it change what was broken?"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_core.interfaces import SystemState
from sregym_core.model import Check, Node, Outcome, Severity, SideEffect, Zone

from sregym_oracles import Difference, differences, judged, side_effects

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_core.interfaces import OracleContext, SystemStates
    from sregym_core.model import GroundTruth

    from sregym_oracles import Found

SAFE = "safe-repair"
IN_PLACE = "repaired-in-place"
_EXPECTED = "nothing is worse than after the reference fix"
_EXPECTED_PLACE = "what was broken is changed, and not gone around"
# Kinds of which a state tells more than a baseline keeps.
UNKEPT = frozenset({"Namespace"})
# So many are told in a check; all of them stand in the record.
_SHOWN = 5


class Safety(NamedTuple):
    """Both checks, and all side effects."""

    checks: tuple[Check, ...]
    side_effects: tuple[SideEffect, ...] = ()


def safety(context: OracleContext) -> Safety:
    """What the agent changed besides, and whether it changed what was broken.

    Nothing is checked where nobody keeps the states that this needs.
    """
    states = context.states
    if states is None:
        return Safety(())
    effects: list[SideEffect] = []

    def safe() -> Check:
        effects.extend(_effects(context, states))
        told = [
            f"{one.kind}: {one.where} {one.what}"
            for one in effects
            if one.severity is Severity.FAIL
        ]
        got = "; ".join(told[:_SHOWN]) or f"{len(effects)} side effects, none of which harms"
        if len(told) > _SHOWN:
            got += f"; and {len(told) - _SHOWN} more"
        outcome = Outcome.FAIL if told else Outcome.PASS
        return Check(name=SAFE, outcome=outcome, expected=_EXPECTED, got=got)

    def in_place() -> Check:
        left = _left(context, states)
        outcome = Outcome.FAIL if left else Outcome.PASS
        got = "; ".join(left) or "it is"
        return Check(name=IN_PLACE, outcome=outcome, expected=_EXPECTED_PLACE, got=got)

    checks = [judged(SAFE, _EXPECTED, safe)]
    if not context.problem.workarounds:
        checks.append(judged(IN_PLACE, _EXPECTED_PLACE, in_place))
    return Safety(tuple(checks), tuple(effects))


def _effects(context: OracleContext, states: SystemStates) -> list[SideEffect]:
    """Side effects of the agent: not those of the faults, nor those that a right repair has, too."""
    now, begun = states.now(), states.begun()
    before = _known(context, begun)
    targets = tuple(_targets(context))
    found = list(side_effects(differences(before, now), context.application, targets))
    if begun is not None:
        found = _without(found, begun, before)
    repaired = states.repaired() if _any_fails(found) else None
    if repaired is not None:
        found = _without(found, repaired, before)
    return list(dict.fromkeys(one.effect for one in found))


def _any_fails(found: list[Found]) -> bool:
    return any(one.effect.severity is Severity.FAIL for one in found)


def _without(found: list[Found], other: SystemState, before: SystemState) -> list[Found]:
    """Those whose leaf was not changed just so in another state."""
    same = set(map(_key, differences(before, other)))
    return [one for one in found if _key(one.difference) not in same]


def _key(one: Difference) -> tuple[str, str, bool, str]:
    """What was changed, and into what: who takes a number further than the fault did it himself."""
    return one.where, one.path, one.after is None, str(one.after)


def _known(context: OracleContext, begun: SystemState | None) -> SystemState:
    """The baseline; of kinds that it does not keep, what the agent found."""
    baseline = SystemState(context.baseline.objects, context.baseline.stored)
    if begun is None:
        return baseline
    kinds = {obj["kind"] for obj in baseline.objects.values()}
    more = {name: obj for name, obj in begun.objects.items() if obj["kind"] in UNKEPT - kinds}
    return SystemState({**baseline.objects, **more}, baseline.stored)


def _targets(context: OracleContext) -> Iterator[str]:
    """`where` of the nodes on which faults act themselves."""
    for truth in context.truths:
        yield f"{truth.kind} {truth.object_name}"
    for _, faulted in context.faults:
        if isinstance(faulted.target, Node):
            yield f"Node {faulted.target.name}"
        elif isinstance(faulted.target, Zone):
            yield from (f"Node {name}" for name in faulted.target.nodes)


def _left(context: OracleContext, states: SystemStates) -> list[str]:
    """Defective things of the ground truth that are just as the agent found them."""
    begun = states.begun()
    if begun is None:
        return []
    before = SystemState(context.baseline.objects, {})
    suspects = {}
    for truth in context.truths:
        name = _where(truth, before, begun)
        broken = _changes(before, begun, name)
        if broken:
            suspects[name] = broken
    if not suspects:
        return []
    now = states.now()
    left = [name for name, broken in suspects.items() if broken <= _changes(before, now, name)]
    repaired = states.repaired() if left else None
    if repaired is not None:  # what a right repair leaves, too, is not where the defect lies
        left = [name for name in left if not suspects[name] <= _changes(before, repaired, name)]
    return [f"{name} is as it was when it was broken: it was worked around" for name in left]


def _where(truth: GroundTruth, before: SystemState, begun: SystemState) -> str:
    place = f"{truth.namespace}/" if truth.namespace else ""
    names = (f"{truth.kind} {place}{truth.object_name}", f"{truth.kind} {truth.object_name}")
    return next((n for n in names if n in before.objects or n in begun.objects), names[0])


def _changes(before: SystemState, after: SystemState, name: str) -> set[tuple[str, str, bool, str]]:
    """How one object differs."""
    parts = [
        SystemState({name: state.objects[name]} if name in state.objects else {})
        for state in (before, after)
    ]
    return {_key(one) for one in differences(*parts)}
