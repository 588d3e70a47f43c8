"""The oracle `state`: is the system repaired, whole, and serving its users, and does it last?"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from sregym_core.interfaces import Oracle
from sregym_core.model import Check, Outcome, Verdict, name_of

from sregym_oracle_state.probe_checks import users_served
from sregym_oracle_state.safety import safety
from sregym_oracles import (
    Snapshot,
    Window,
    check_from_findings,
    first_bad,
    guarded_check,
    load_running,
    objects_present,
    probes_unchanged,
    restarts,
    success_rate,
    watch_window,
    workloads_ready,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_core.interfaces import Application, Fault, FaultContext, OracleContext, Traffic
    from sregym_core.model import ObjectRef

# Clients reconnect with a back-off after the last pod became ready; the window does not open
# before so many seconds of traffic were good. Long enough to hold whole rounds of load generators.
CALM_S = 30.0
# Where the window itself is shorter, so is this; whole rounds of load generators lie in no less.
LEAST_CALM_S = 20.0
# Nothing is lost by seeing a recovery some seconds late; a broken system is looked at often enough.
REPAIR_POLL_S = 10.0
GONE = "defect-gone"


class StateOracle(Oracle):
    """Judges the repair by the state that it left, never by what the agent says about it.

    It waits until everything holds, at most `timing.repair_s`, then watches it for
    `timing.window_s`, and for two periods of an automation that would undo the repair. It reads
    and lets time pass; it never writes.
    """

    name: ClassVar[str] = "state"
    stage: ClassVar[str] = "mitigation"

    def judge(self, context: OracleContext) -> Verdict:
        """Checks in a fixed order, all of them made even when an early one fails.

        Where the outcome alone is asked for, a system that does not become or stay well is not
        looked at any further.
        """
        timing = context.problem.timing
        window = Window(_window_s(context), timing.repair_s, repair_poll_s=REPAIR_POLL_S)
        counts: dict[str, int] = {}
        opened = False
        well: Snapshot | None = None
        counted: Snapshot | None = None

        def condition() -> Check | None:
            nonlocal opened, well, counted
            snapshot = Snapshot(context.cluster)
            *gone, present, ready, kept = state_probes(context, snapshot)
            bad = first_bad(gone)
            # What was well and has not changed needs no second look.
            if bad is None and not (well is not None and snapshot.like(well)):
                bad = first_bad((present, ready, kept))
                well = snapshot if bad is None else None
            if bad is not None:
                return bad
            if not opened:
                bad = _traffic_calm(context)
                if bad is None:
                    opened = True
                    counts.update(restarts(snapshot, context.baseline.objects))
                    counted = snapshot
                return bad
            if counted is not None and snapshot.like(counted):
                return None
            check = no_new_restarts(context, snapshot, counts)
            counted = snapshot if check.outcome is Outcome.PASS else None
            return None if check.outcome is Outcome.PASS else check

        held = watch_window(context.cluster.clock, condition, window, brief=context.brief)
        stays = held.check("stays-healthy", window)
        if context.brief and stays.outcome is not Outcome.PASS:
            return Verdict.of([stays])
        probes = state_probes(context, Snapshot(context.cluster))
        *gone, present, ready, kept = [probe() for probe in probes]
        load, success = traffic_checks(context, max(window.window_s, LEAST_CALM_S))
        checks = [*gone, present, ready, load, success, kept, stays]
        safe = safety(context, gone=all(check.outcome is Outcome.PASS for check in gone))
        checks += safe.checks
        if all(check.outcome is Outcome.PASS for check in checks):  # clients of its own cost most
            checks += filter(None, [users_served(context, safe.anew)])
        return Verdict.of(checks).model_copy(update={"side_effects": safe.side_effects})


def _window_s(context: OracleContext) -> float:
    """How long the repair is watched."""
    periods = [fault.period_s(fault_context) for fault, fault_context in context.faults]
    return max(context.problem.timing.window_s, *(2 * period_s for period_s in periods), 0.0)


def state_probes(context: OracleContext, snapshot: Snapshot) -> list[Callable[[], Check]]:
    """Looks at state: one per fault, then presence, readiness, probes. Cheap ones come first."""
    several = len(context.faults) > 1
    probes: list[Callable[[], Check]] = []
    seen: dict[str, int] = {}
    for fault, fault_context in context.faults:
        name = f"{GONE}[{fault.name} {name_of(fault_context.target)}]" if several else GONE
        seen[name] = seen.get(name, 0) + 1
        name += f"#{seen[name]}" if seen[name] > 1 else ""
        probes.append(partial(defect_gone, fault, fault_context, name))
    before = context.baseline.objects

    def ready() -> Check:
        return workloads_ready(snapshot, before, made=_made_by_operators(context.application))

    return [
        *probes,
        partial(objects_present, snapshot, before),
        ready,
        partial(probes_unchanged, snapshot, before),
    ]


def _made_by_operators(application: Application) -> tuple[ObjectRef, ...]:
    """The workloads that operators make of the application's custom resources."""
    return tuple(
        ref for part in application.components() for ref in part.workloads if ref != part.workload
    )


def defect_gone(fault: Fault, context: FaultContext, name: str = GONE) -> Check:
    """The fault's own look at its defect, under this oracle's name for it."""
    expected = f"no {fault.name} in {name_of(context.target)}"

    def present() -> Check:
        return fault.present(context).model_copy(update={"name": name})

    return guarded_check(name, expected, present)


def no_new_restarts(context: OracleContext, snapshot: Snapshot, before: Mapping[str, int]) -> Check:
    """No container was restarted since `before`; a pod that is new since then started afresh."""

    def find() -> list[str]:
        now = restarts(snapshot, context.baseline.objects)
        return [
            f"container {key} restarted {count - before.get(key, 0)} times"
            for key, count in sorted(now.items())
            if count > before.get(key, 0)
        ]

    return check_from_findings(
        "no-restarts", "no container restarts in the window", find, good="none"
    )


def traffic_checks(context: OracleContext, seconds: float) -> tuple[Check, Check]:
    """`load-running` and `success-rate` over the last seconds."""
    baseline = context.baseline.traffic
    asked = "the load generator asks as in the baseline"
    answered = "as many requests succeed as in the baseline"
    traffic: list[Traffic] = []

    def load() -> Check:
        traffic.append(context.application.traffic(context.cluster, seconds))
        return load_running(baseline, traffic[0])

    def success() -> Check:
        seen = traffic or [context.application.traffic(context.cluster, seconds)]
        return success_rate(baseline, seen[0])

    return guarded_check("load-running", asked, load), guarded_check(
        "success-rate", answered, success
    )


def _traffic_calm(context: OracleContext) -> Check | None:
    calm_s = min(CALM_S, max(LEAST_CALM_S, context.problem.timing.window_s))
    checks = traffic_checks(context, calm_s)
    return next((check for check in checks if check.outcome is not Outcome.PASS), None)
