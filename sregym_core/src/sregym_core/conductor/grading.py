"""Confirming that a fault hurts, asking oracles, and the outcome that follows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sregym_core.conductor.progress import Progress
from sregym_core.error_location import check_returned, format_with_location, must_propagate
from sregym_core.errors import WorldError
from sregym_core.interfaces import ClusterSpec, Reference
from sregym_core.model import Check, Claims, Outcome, SideEffect, Verdict, name_of, worst

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sregym_core.conductor.worlds import World
    from sregym_core.interfaces import (
        Application,
        Clock,
        Cluster,
        Fault,
        FaultContext,
        Oracle,
        OracleContext,
    )
    from sregym_core.model import GroundTruth, Problem

# Users notice when at least this share of their requests fails that did not fail before.
VISIBLE_DROP = 0.02
VISIBLE_WINDOW_S = 20.0
# So long a rollout may take that is neither over nor visibly stuck.
ROLLOUT_S = 120.0
# How an injection without effect is told of: whoever proves problems knows it by these words.
UNNOTICED = "users did not notice the fault"
NO_DEFECT = "left no defect behind"
NO_HOLD = "the fault did not take hold"


def confirm(
    problem: Problem,
    faults: Sequence[tuple[Fault, FaultContext]],
    world: World,
    application: Application,
    progress: Progress | None = None,
) -> float:
    """Wait until users notice, once every defect is really there; returns their success rate.

    What they notice has to outlast the rollouts that the fault set off: pods that are replaced are
    missed for a moment whatever the new ones are like.

    Raises:
        WorldError: The injection had no effect: an error of the world, not of an agent.
    """
    confirm_present(faults, world.cluster, application)
    healthy = world.baseline.traffic
    rate = healthy.success_rate

    def noticed() -> bool:
        nonlocal rate
        traffic = application.traffic(world.cluster, VISIBLE_WINDOW_S)
        rate = traffic.success_rate
        if rate < healthy.success_rate - VISIBLE_DROP:
            return True
        return any(
            seen.requests > 0 and seen.success_rate < before.success_rate - 0.5
            for name, before in healthy.operations.items()
            if (seen := traffic.operations.get(name)) is not None
        )

    clock, settle_s = world.cluster.clock, problem.timing.settle_s
    progress = progress or Progress()
    _await_rollouts(world.cluster, application, progress)
    if not clock.real_time:  # a wall clock does not wait for what may be seen at once
        clock.advance(VISIBLE_WINDOW_S)
    _await_outstanding(faults, clock, settle_s, progress)
    if problem.silent:
        noticed()
        return rate
    with progress.phase(clock, "waiting until users notice the fault", settle_s) as phase:

        def told() -> bool:
            if noticed():
                return True
            phase.look([f"success rate {rate:.3f}, healthy {healthy.success_rate:.3f}"])
            return False

        has_noticed = clock.wait_until(told, settle_s, 2.0 if clock.real_time else 5.0)
    if not has_noticed:
        msg = (
            f"{UNNOTICED} within {problem.timing.settle_s:g} s: "
            f"success rate {rate:.3f}, healthy {healthy.success_rate:.3f}"
        )
        raise WorldError(msg)
    return rate


def _await_rollouts(cluster: Cluster, application: Application, progress: Progress) -> None:
    """Wait until no rollout goes on; one that is stuck hurts for as long as it is."""
    clock = cluster.clock

    def over() -> bool:
        left = cluster.operations.rolling(application)
        if left:
            phase.look([f"{name} is being rolled out" for name in left])
        return not left

    with progress.phase(clock, "waiting until rollouts have ended", ROLLOUT_S) as phase:
        clock.wait_until(over, ROLLOUT_S, 2.0)


def _await_outstanding(
    faults: Sequence[tuple[Fault, FaultContext]],
    clock: Clock,
    timeout_s: float,
    progress: Progress,
) -> None:
    """Wait until every defect rules the running system.

    Raises:
        WorldError: One does not, and what of it is missing.
    """

    def missing() -> list[str]:
        told = [
            check_returned(fault, "outstanding", fault.outstanding(context), str)
            for fault, context in faults
        ]
        return [text for text in told if text]

    with progress.phase(clock, "waiting until the fault has taken hold", timeout_s) as phase:

        def rules() -> bool:
            left = missing()
            if left:
                phase.look(left)
            return not left

        holds = clock.wait_until(rules, timeout_s, 2.0)
    if not holds:
        msg = f"{NO_HOLD} within {timeout_s:g} s: {'; '.join(missing())}"
        raise WorldError(msg)


def confirm_present(
    faults: Sequence[tuple[Fault, FaultContext]], cluster: Cluster, application: Application
) -> None:
    """Every defect is really there; where there can be a copy it is looked for in that.

    A check logs in to databases and runs commands, and what that leaves in logs would point at
    the fault.

    Raises:
        WorldError: An injection had no effect.
    """
    checkpoint = cluster.checkpoint()
    if checkpoint is None:
        _confirm_present(faults)
        return
    copied = checkpoint.fork(ClusterSpec(applications=(application,)))
    try:
        _confirm_present([(fault, replace(context, cluster=copied)) for fault, context in faults])
    finally:
        copied.close()


def _confirm_present(faults: Sequence[tuple[Fault, FaultContext]]) -> None:
    for fault, context in faults:
        if check_returned(fault, "present", fault.present(context), Check).outcome is Outcome.PASS:
            msg = f"fault {fault.name!r} on {name_of(context.target)!r} {NO_DEFECT}"
            raise WorldError(msg)


def judge(
    oracles: Sequence[Oracle],
    context: OracleContext,
    tell: Callable[[BaseException], str] = format_with_location,
) -> Verdict:
    """The verdict of all oracles of a stage; one that raises is an error, never a fail.

    Args:
        oracles: Who judges.
        context: What they may know.
        tell: Attributes an exception to its plugin.
    """
    checks: list[Check] = []
    scores: list[float] = []
    reasons: list[str] = []
    outcomes: list[Outcome] = []
    effects: list[SideEffect] = []
    for oracle in oracles:
        try:
            verdict = check_returned(oracle, "judge", oracle.judge(context), Verdict)
        except BaseException as error:
            if must_propagate(error):
                raise
            got = tell(error)
            check = Check(name=oracle.name, outcome=Outcome.ERROR, expected="a verdict", got=got)
            verdict = Verdict.of([check])
        checks.extend(verdict.checks)
        scores.append(verdict.score)
        reasons.append(verdict.reason)
        outcomes.append(verdict.outcome)
        effects.extend(verdict.side_effects)
    if not outcomes:
        return Verdict(outcome=Outcome.ERROR, reason="the problem names no oracle for this stage")
    return Verdict(
        outcome=worst(outcomes),
        checks=tuple(checks),
        score=sum(scores) / len(scores),
        reason="; ".join(dict.fromkeys(reasons)),
        side_effects=tuple(dict.fromkeys(effects)),
    )


def reference(
    faults: Sequence[tuple[Fault, FaultContext]], ground_truths: Sequence[GroundTruth]
) -> Reference:
    """The answer key of an episode."""
    fixes = [fault.reference_fix(context) for fault, context in faults]
    return Reference(
        diagnosis=" ".join(truth.sentence() for truth in ground_truths),
        claims=true_claims(ground_truths),
        fix=tuple(command for fix in fixes for command in fix),
        fixes=tuple(tuple(fix) for fix in fixes),
    )


def true_claims(ground_truths: Sequence[GroundTruth]) -> Claims:
    """The ground truth as claims; several faults are joined in the order of the problem."""
    first = ground_truths[0]
    others = [truth.component for truth in ground_truths[1:]]
    affected = dict.fromkeys(name for truth in ground_truths for name in truth.affected)
    contributing = dict.fromkeys(
        name
        for truth in ground_truths
        for name in (*truth.contributing,)
        if name != first.component
    )
    change = first.changed
    return Claims(
        component=first.component,
        kind=first.kind,
        namespace=first.namespace,
        mechanism=first.mechanism,
        detail=f"{change.what}: {change.before} -> {change.after}",
        before=change.before,
        after=change.after,
        contributing=tuple(dict.fromkeys([*others, *contributing])),
        affected=tuple(affected),
    )
