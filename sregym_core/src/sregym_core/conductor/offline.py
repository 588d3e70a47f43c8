"""What can be said of a problem without any cluster: truth, reference fix, what agents are told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_core.conductor.journal import UndoJournal
from sregym_core.interfaces import FaultContext
from sregym_core.modes import Scene

if TYPE_CHECKING:
    from sregym_core.conductor.bench import Bench
    from sregym_core.interfaces import Application, Fault
    from sregym_core.model import FaultRef, Problem
    from sregym_core.modes import Mode


class _NoCluster:
    """Stands where a cluster would: whoever touches it gets a clear error."""

    def __getattr__(self, name: str) -> Any:
        msg = f"ground truth and reference fix must not need a cluster, but {name!r} was asked for"
        raise RuntimeError(msg)


def truth_and_fix(bench: Bench, application: Application, ref: FaultRef) -> dict[str, Any]:
    """Ground truth and reference fix of one fault, as plain data."""
    fault, context = _without_cluster(bench, application, ref)
    return {
        "ground_truth": fault.ground_truth(context).model_dump(mode="json"),
        "reference_fix": [str(command) for command in fault.reference_fix(context)],
    }


def instruction(bench: Bench, problem: Problem, mode: Mode) -> str:
    """What an agent is told of a problem; alerts, which only an episode has, stand as `...`."""
    application = bench.application(problem.application)
    parts = [_without_cluster(bench, application, ref) for ref in problem.single_faults]
    truths = [fault.ground_truth(context) for fault, context in parts]
    alerts = {"version": "4", "alerts": ["..."]} if mode.alerted else None
    return mode.instruction(Scene(application, truths, alerts))


def _without_cluster(
    bench: Bench, application: Application, ref: FaultRef
) -> tuple[Fault, FaultContext]:
    where = f"fault {ref.fault!r}"
    fault = bench.fault(ref.fault)
    nowhere: Any = _NoCluster()
    context = FaultContext(
        cluster=nowhere,
        application=application,
        target=bench.chooser(application, where).choose(ref.targets[0]),
        parameters=bench.parameters(fault, ref.parameters, where),
        journal=UndoJournal(),
    )
    return fault, context
