"""The base of faults that are done in a store's shell: one command breaks, another mends."""

from __future__ import annotations

import re
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from sregym_core.errors import WorldError
from sregym_core.model import Change, Check, Component, GroundTruth, ObjectRef
from sregym_injectors.component_fault import ComponentFault
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.ground_truth import truth_of
from sregym_injectors.restarts import ClientParameters, clients_of
from sregym_injectors.workloads import ready_pod, restart_rollout, run_in_workload
from typing_extensions import override

from sregym_injector_datastore.families import Family, family_of, not_of
from sregym_injectors import commands

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces import Command, CommandResult, FaultContext

Argv: TypeAlias = tuple[str, ...]


@dataclass(frozen=True)
class StoreChange:
    """What a fault does in a store: command lines in its container, and what they are about.

    Attributes:
        what: The thing that changes: `setting super_read_only of MySQL`.
        before: As it was.
        after: As it is from then on.
        breaks: Does it.
        mends: Takes it back, as people do.
        asks: Prints how the thing is.
        healthy: Regular expression of all that is then printed, without white space around it.
        undoes: Takes it back whatever became of it, also twice; empty: what mends.
    """

    what: str
    before: str
    after: str
    breaks: Argv
    mends: Argv
    asks: Argv
    healthy: str
    undoes: Argv = ()


class StoreFault(ComponentFault):
    """Base of faults by commands in a store's container.

    A subclass says what changes in a store of each of its families; journal, restart of clients,
    truth and reference fix follow.

    Attributes:
        families: Whom it fits.
        mechanism: `mechanism` of the ground truth.
        phrases: Synonyms of the mechanism in diagnoses.
        symptoms: What users and callers see.
        volatile: Whether the change dies with the server's process, whatever the family.
    """

    layer: ClassVar[str] = "datastore"
    families: ClassVar[tuple[Family, ...]]
    mechanism: ClassVar[str]
    phrases: ClassVar[tuple[str, ...]]
    symptoms: ClassVar[tuple[str, ...]] = ("database errors", "queries fail", "writes fail")

    volatile: ClassVar[bool] = False

    class Parameters(ClientParameters):
        """What all have."""

    @abstractmethod
    def change(self, context: FaultContext) -> StoreChange:
        """What it does; from component, manifests and parameters alone."""

    def told_as(self, component: Component) -> tuple[str, ...]:
        """Other ways to say it of this component."""
        return self.phrases

    def seen_as(self, component: Component) -> tuple[str, ...]:
        """What users and callers of this component see."""
        return self.symptoms

    def undoing(self, context: FaultContext) -> Argv:
        """The command that recovery runs; may look at what is there before the injection."""
        change = self.change(context)
        return change.undoes or change.mends

    def lacking(self, component: Component) -> str:
        """What a store of the right family lacks, as the end of a sentence; empty for nothing."""
        return ""

    @override
    def mismatch_reason(self, component: Component) -> str:
        return not_of(component, self.families) or self.lacking(component)

    @override
    def restart_recovers(self, target: Component, /) -> bool:
        lost = self.volatile or family_of(target) is Family.REDIS
        return lost or not target.volumes

    @override
    def inject(self, context: FaultContext) -> None:
        change, server = self.change(context), server_of(context.component)
        edits = Edits(context)
        context.journal.command(context.component.namespace, server, self.undoing(context), "")
        edits.pause()
        carry_out(self.name, context, change.breaks)
        restart_rollout(edits, clients_of(context))

    @override
    def present(self, context: FaultContext) -> Check:
        change = self.change(context)
        expected = f"{change.what} is as it was: {change.before}"
        return defect_check(expected, store_defects(context, change))

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        change, server = self.change(context), server_of(context.component)
        said = Change(what=change.what, before=change.before, after=change.after)
        phrases = (*self.told_as(context.component), f"{change.what} {change.after}".strip())
        symptoms = self.seen_as(context.component)
        return truth_of(context, server, self.mechanism, phrases, said, *symptoms)

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        component = context.component
        argv = self.change(context).mends
        return (
            commands.execute(server_of(component), component.container, argv),
            *commands.restart_and_wait(clients_of(context)),
        )


def server_of(component: Component) -> ObjectRef:
    """The workload whose pods serve the store; its operator's where there is one."""
    return component.workloads[0]


def run_in_store(context: FaultContext, argv: Sequence[str]) -> CommandResult:
    """Run a command in the store's container."""
    component = context.component
    return run_in_workload(context.cluster, server_of(component), component.container, argv)


def carry_out(fault: str, context: FaultContext, argv: Sequence[str]) -> None:
    """Run a command that must succeed.

    Raises:
        WorldError: It did not.
    """
    result = run_in_store(context, argv)
    if not result.ok or refused(result):
        raise WorldError(
            f"{fault} on component {context.component.name!r}: {argv[-1]!r} in "
            f"{server_of(context.component)} was refused: {failure_line(result)}; check what the "
            "component declares"
        )


def store_defects(context: FaultContext, change: StoreChange) -> list[str]:
    """Why a store is not as it should be; empty when it is."""
    server = server_of(context.component)
    if ready_pod(context.cluster, server) is None:
        return [f"{server} has no ready pod that could be asked"]
    asked = run_in_store(context, change.asks)
    if not asked.ok or refused(asked):
        return [f"{server} answers: {failure_line(asked)}"]
    found = asked.stdout.strip()
    if re.fullmatch(change.healthy, found, re.S) is None:
        return [f"{change.what} is {found or 'gone'}"]
    return []


# How a Redis begins to refuse; its shell ends well all the same.
_REFUSALS = ("(error)", "ERR ", "NOAUTH ", "NOPERM ", "WRONGPASS ", "OOM ", "MISCONF ", "READONLY ")


def refused(result: CommandResult) -> bool:
    """Whether a shell that ends well all the same says that the server refused the command."""
    return result.stdout.startswith(_REFUSALS)


def failure_line(result: CommandResult) -> str:
    """Why a command failed: the shell's line about the error, which others may follow."""
    lines = f"{result.stdout}\n{result.stderr}".strip().splitlines()
    telling = [line for line in lines if re.search(r"error:", line, re.I)]
    return (telling or lines[-1:] or [f"exit code {result.exit_code}"])[0].rstrip(" :")
