"""Pairs of a fault and a target that it fits: every pair is a problem."""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from sregym_core.api.arguments import checked
from sregym_core.api.workspace import shared
from sregym_core.conductor.targets import candidates
from sregym_core.errors import UsageError
from sregym_core.model import Component, FailureMode, FaultRef, Problem, TargetKind, kind_of
from sregym_core.model.validation import explain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_core.api import Workspace
    from sregym_core.interfaces import Fault
    from sregym_core.model import FaultTarget, Target


@dataclass(frozen=True)
class Pair:
    """Names of a fault and an application, and a target that it fits, as a problem file names it."""

    fault: str
    application: str
    target: Target


@checked
def pair(
    fault: str,
    application: str,
    target: str,
    parameters: Mapping[str, Any] | None = None,
    *,
    workspace: Workspace | None = None,
) -> Problem:
    """The problem of a fault on a target that it fits.

    Args:
        fault: Name of the fault primitive.
        application: Name of the application.
        target: Name of a component (of a fault on nodes or zones: of what runs there), or another
            target as `sregym faults pairs` names it.
        parameters: Of the fault; those that are left out have their defaults.
        workspace: As for `sregym_core.api.Environment`.

    Raises:
        UsageError: There is no such thing, or the fault does not fit.
    """
    factory = (workspace or shared()).factory
    primitive = factory.fault(fault)
    system = factory.application(application)
    known = {
        str(one): (one, found)
        for one, found in candidates(system, primitive.takes, primitive.parts)
    }
    if target not in known:
        target = next((name for name in known if name.endswith(f" that runs {target}")), target)
    if target not in known:
        text = factory.registry.unknown("target", target, list(known))
        raise UsageError(f"pair {fault!r}, application {application!r}: {text}")
    chosen, found = known[target]
    given = {
        "fault": fault,
        "target": chosen,
        "parameters": {} if parameters is None else parameters,
    }
    try:
        ref = FaultRef.model_validate(given)
    except ValidationError as error:
        msg = f"pair {fault!r}, application {application!r}: {explain(error, FaultRef, given)}"
        raise UsageError(msg) from error
    slug = re.sub(r"[^a-z0-9.-]+", "-", f"{fault}.{application}.{target}".lower()).strip("-")
    problem = Problem(
        id=slug,
        title=f"{primitive.title}: {target} of {application}",
        application=application,
        layer=primitive.layer,
        faults=(ref,),
        # What users do without hurts none of them, nor does what is latent.
        silent=FailureMode.LATENT in primitive.modes or _is_done_without(found),
        modes=_modes(primitive, ref.parameters),
    )
    factory.check(problem)
    return problem


def _is_done_without(target: FaultTarget) -> bool:
    """Whether a component serves no operation of users, or none that needs it."""
    return isinstance(target, Component) and (not target.operations or target.needed is False)


def _modes(primitive: Fault, parameters: Mapping[str, Any]) -> tuple[FailureMode, ...]:
    """Those of the fault; it only stays down where its parameters bring about what tips it over."""
    tipped = any(parameters.get(name) not in (None, False) for name in primitive.tipping)
    return tuple(one for one in primitive.modes if tipped or one != FailureMode.METASTABLE)


@checked
def pairs(
    faults: Sequence[str] | None = None,
    applications: Sequence[str] | None = None,
    *,
    whole: bool = False,
    workspace: Workspace | None = None,
) -> tuple[Pair, ...]:
    """Every fault with every target that it fits and where users may notice it, of all applications, sorted by names.

    Each thing that breaks counts once, in a cluster of three workers in two zones; names choose who
    stands for a machine or namespace. Applications count with their default parameters.

    Args:
        faults: Names of those that count, in their order; None for all.
        applications: The same; beside an application its other sizes do not count.
        whole: Whether every target counts for itself, and variants of faults, too.
        workspace: As for `sregym_core.api.Environment`.
    """
    factory = (workspace or shared()).factory
    names, found = factory.registry.names, []
    given = names("application") if applications is None else applications
    # Another size of one that is listed adds nothing to what can break.
    listed = [name for name in given if factory.application(name).size_of not in given]
    every: dict[Any, list[tuple[Target, FaultTarget]]] = {}  # most faults take the same targets
    for fault in map(factory.fault, names("fault") if faults is None else faults):
        for name in listed:
            key = name, fault.takes, fault.parts
            if key not in every:
                every[key] = [*candidates(factory.application(name), *key[1:])]
            fitting = {target: chosen for target, chosen in every[key] if _is_listed(fault, chosen)}
            targets = fitting if whole else _each_once(fault, name, fitting)
            found += [Pair(fault.name, name, target) for target in targets]
    return tuple(found)


def _is_listed(fault: Fault, target: FaultTarget) -> bool:
    return fault.fits(target) and not fault.unnoticed(target)


def _each_once(
    fault: Fault, application: str, fitting: Mapping[Target, FaultTarget]
) -> Sequence[Target]:
    """Those that stand for all that breaks, in their order."""
    there = {TargetKind.NODE: 3, TargetKind.ZONE: 2, TargetKind.CLUSTER: 1}
    groups: dict[Any, list[Target]] = {}
    for target, chosen in () if fault.variant_of else fitting.items():
        kind = fault.breaks or kind_of(chosen)
        own = chosen.namespace if kind == TargetKind.NAMESPACE else target  # type: ignore[union-attr]
        groups.setdefault(kind if kind in there else own, []).append(target)
    chance = Random(f"{fault.name} on {application}")  # noqa: S311 - a game, no secret
    kept: set[Target] = set()
    for what, targets in groups.items():
        kept.update(chance.sample(targets, min(len(targets), there.get(what, 1))))
    return [target for target in fitting if target in kept]


def sampled_pairs(
    workspace: Workspace, count: int | None, seed: int, cluster: str
) -> tuple[Problem, ...]:
    """Pairs as problems, in their order: all that such a cluster can play, or so many by the seed."""
    factory = workspace.factory
    able = factory.provider(cluster).capabilities
    every = [
        one
        for one in pairs(workspace=workspace)
        if able is None or able.issuperset(factory.fault(one.fault).needs)
    ]
    chance = Random(f"sample of pairs, seed {seed}")  # noqa: S311 - a game, no secret
    drawn = chance.sample(range(len(every)), min(count or len(every), len(every)))
    chosen = (every[place] for place in sorted(drawn))
    return tuple(
        pair(one.fault, one.application, str(one.target), workspace=workspace) for one in chosen
    )
