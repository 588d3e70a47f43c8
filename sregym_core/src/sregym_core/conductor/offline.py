"""What can be said of a fault without any cluster: its ground truth and its reference fix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_core.conductor.journal import UndoJournal
from sregym_core.interfaces import FaultContext

if TYPE_CHECKING:
    from sregym_core.conductor.bench import Bench
    from sregym_core.interfaces import Application
    from sregym_core.model import FaultRef


class _NoCluster:
    """Stands where a cluster would: whoever touches it gets a clear error."""

    def __getattr__(self, name: str) -> Any:
        msg = f"ground truth and reference fix must not need a cluster, but {name!r} was asked for"
        raise RuntimeError(msg)


def truth_and_fix(bench: Bench, application: Application, ref: FaultRef) -> dict[str, Any]:
    """Ground truth and reference fix of one fault, as plain data."""
    where = f"fault {ref.fault!r}"
    fault = bench.fault(ref.fault)
    nowhere: Any = _NoCluster()
    context = FaultContext(
        cluster=nowhere,
        application=application,
        component=bench.component(application, ref.target, where),
        parameters=bench.parameters(fault, ref.parameters, where),
        journal=UndoJournal(),
    )
    return {
        "ground_truth": fault.ground_truth(context).model_dump(mode="json"),
        "reference_fix": [str(command) for command in fault.reference_fix(context)],
    }
