"""What is known of a problem before it is played: ground truth, reference fix, instruction."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sregym_core.conductor.journal import UndoJournal
from sregym_core.errors import UsageError
from sregym_core.interfaces import BriefingContext, FaultContext

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sregym_core.conductor.component_factory import ComponentFactory
    from sregym_core.interfaces import Application, Cluster, Fault, Mode
    from sregym_core.model import FaultRef, FaultTarget, GroundTruth, Problem

    Solved = tuple[GroundTruth, tuple[str, ...]]

_SIMULATED = "embedded"


class NeedsClusterError(Exception):
    """What a fault does depends on the cluster: how many nodes it has, what runs on which."""


class _NoCluster:
    """Stands where a cluster would: whoever touches it cannot be answered without one."""

    def __getattr__(self, name: str) -> Any:
        raise NeedsClusterError(name)


def ground_truths_and_fixes(factory: ComponentFactory, problem: Problem) -> list[Solved]:
    """Of each fault the ground truth, and the commands of the reference fix.

    Most derive from manifests and parameters alone. For those that depend on nodes the application is
    deployed in a simulated cluster, with seed 0; in another they may name other nodes.

    Raises:
        UsageError: There is no such cluster, but one is needed.
    """
    application = factory.application(problem.application)
    try:
        return _told([_without_cluster(factory, application, ref) for ref in problem.single_faults])
    except NeedsClusterError:
        with _deployed(factory, problem, application) as cluster:
            return _told(
                factory.faults_in_context(problem, application, cluster, UndoJournal(), seed=0)
            )


def instruction(factory: ComponentFactory, problem: Problem, mode: Mode) -> str:
    """The instruction of an agent for a problem; alerts, which only an episode has, stand as `...`."""
    application = factory.application(problem.application)
    ground_truths: list[GroundTruth] = []
    if mode.reveals_cause:
        ground_truths = [truth for truth, _ in ground_truths_and_fixes(factory, problem)]
    alerts = {"version": "4", "alerts": ["..."]} if mode.alerted else None
    return mode.instruction(BriefingContext(application, ground_truths, alerts))


def _told(faults: Iterable[tuple[Fault, FaultContext]]) -> list[Solved]:
    return [
        (fault.ground_truth(context), tuple(map(str, fault.reference_fix(context))))
        for fault, context in faults
    ]


@contextmanager
def _deployed(
    factory: ComponentFactory, problem: Problem, application: Application
) -> Iterator[Cluster]:
    if _SIMULATED not in factory.registry.names("cluster"):
        msg = (
            f"problem {problem.id!r}: its ground truth depends on the nodes of a cluster, and no "
            f"simulated one is installed: pip install sregym-cluster-{_SIMULATED}"
        )
        raise UsageError(msg)
    worlds = factory.worlds(_SIMULATED, {})
    world = worlds.make(application, problem.timing.warm_up_s, 0, served=False)
    try:
        yield world.cluster
    finally:
        world.cluster.close()
        worlds.close()


def _without_cluster(
    factory: ComponentFactory, application: Application, ref: FaultRef
) -> tuple[Fault, FaultContext]:
    where = f"fault {ref.fault!r}"
    fault = factory.fault(ref.fault)
    target = factory.chooser(application, where).choose(ref.targets[0])
    parameters = factory.parameters(fault, ref.parameters, where)
    return fault, context_without_cluster(application, target, parameters)


def context_without_cluster(
    application: Application, target: FaultTarget, parameters: Any
) -> FaultContext:
    """A context for what derives from manifests and parameters alone.

    Args:
        application: To which the target belongs.
        target: What the fault holds on to.
        parameters: An instance of the fault's `Parameters`.

    Returns:
        A context; any access to its cluster raises a `NeedsClusterError`.
    """
    nowhere: Any = _NoCluster()
    return FaultContext(
        cluster=nowhere,
        application=application,
        target=target,
        parameters=parameters,
        journal=UndoJournal(),
    )
