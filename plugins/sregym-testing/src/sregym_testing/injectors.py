"""Contract tests for every fault."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import ValidationError
from sregym_core.conductor.journal import UndoJournal
from sregym_core.conductor.offline import NeedsClusterError, context_without_cluster
from sregym_core.conductor.targets import candidates
from sregym_core.interfaces import FaultContext
from sregym_core.model import Component, Outcome, kind_of, name_of
from sregym_kubernetes.operations.objects import capture, desired

from sregym_testing.diagnoses import (
    accepted_near_misses,
    installed_faults,
    installed_judges,
    other_ground_truths,
    unrecognised_phrasings,
)
from sregym_testing.targets import choose_target
from sregym_testing.watched import Killed, WatchedCluster
from sregym_testing.worlds import World, ready_world

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.interfaces import Application, DiagnosisOracle, Fault
    from sregym_core.model import GroundTruth

    from sregym_testing.clusters import Provision

# Words that would tell an agent that it is being examined.
_TELLING = ("sregym", "fault", "chaos", "inject", "benchmark", "sabotage")
_SETTLE_S = 600.0
# So that nothing happens at the second at which the world became ready.
_ODD_S = 97.0


@dataclass(frozen=True)
class FaultCase:
    """A fault on one target.

    Attributes:
        fault: The fault under test.
        application: What it is injected into.
        target: As a problem file says it: the name of a component, or another target. Faults on
            nodes need clusters with nodes: `MemoryProvider(worker_nodes())`.
        parameters: What a problem file would say; empty for the defaults.
    """

    fault: Fault
    application: Application
    target: Any
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class FaultWorld:
    """A case in a world, with a journal of its own."""

    case: FaultCase
    world: World
    context: FaultContext
    journal: UndoJournal
    watched: WatchedCluster

    def recover(self) -> None:
        """Undo as the conductor does, from the journal alone."""
        plain = replace(self.context, cluster=self.world.cluster)
        self.case.fault.recover(plain)
        self.journal.undo_nodes(self.world.cluster)
        self.journal.undo_objects(self.world.cluster)
        self.journal.undo_commands(self.world.cluster)

    def gone(self) -> bool:
        """Whether the fault finds no defect."""
        plain = replace(self.context, cluster=self.world.cluster)
        return self.case.fault.present(plain).outcome is Outcome.PASS


class InjectorContract:
    """Override `case`; override `provision` where the fault needs programs that run."""

    @pytest.fixture
    def case(self) -> FaultCase:
        """The fault under test and a target that it fits."""
        raise NotImplementedError("override the fixture `case`")

    @pytest.fixture(scope="class")
    @classmethod
    def judges(cls) -> tuple[DiagnosisOracle, ...]:
        """What judges diagnoses; by default the oracles of problems that name none."""
        found = installed_judges()
        if not found:
            pytest.skip("no diagnosis oracle is installed; pip install sregym-oracle-checklist")
        return found

    @pytest.fixture(scope="class")
    @classmethod
    def other_faults(cls) -> tuple[Fault, ...]:
        """Faults whose truths are near misses where they fit the same target; by default all that are installed."""
        return installed_faults()

    def test_its_truth_is_recognised(
        self, case: FaultCase, provision: Provision, judges: tuple[DiagnosisOracle, ...]
    ) -> None:
        """All ten ways to tell the truth pass, and nine of ten phrases of its author; none fails."""
        truth, parts = _truth(case, provision), case.application.components()
        for judge in judges:
            assert unrecognised_phrasings(judge, truth, parts) == {}

    def test_near_misses_are_not_recognised(
        self,
        case: FaultCase,
        provision: Provision,
        judges: tuple[DiagnosisOracle, ...],
        other_faults: tuple[Fault, ...],
    ) -> None:
        """Elsewhere, another defect or field, the wrong direction, a denial, a consequence: ten do not pass."""
        truth, parts = _truth(case, provision), case.application.components()
        target = choose_target(case.application, case.target)
        others = other_ground_truths(case.fault, case.application, target, other_faults)
        for judge in judges:
            assert accepted_near_misses(judge, truth, parts, others) == {}

    def test_fits_its_target(self, case: FaultCase) -> None:
        """`fits` answers for everything that the application has, and with yes for the target."""
        target = choose_target(case.application, case.target)
        assert kind_of(target) in case.fault.takes
        assert case.fault.fits(target) is True
        for _, candidate in candidates(case.application, case.fault.takes, case.fault.parts):
            answer, reason = case.fault.fits(candidate), case.fault.mismatch_reason(candidate)
            assert isinstance(answer, bool)
            assert not (answer and reason), f"it fits {name_of(candidate)}, but: {reason}"

    def test_refuses_unknown_parameters(self, case: FaultCase) -> None:
        """A slip in a problem file is an error, not silence."""
        with pytest.raises(ValidationError):
            case.fault.Parameters.model_validate({**case.parameters, "no_such_parameter": 1})

    def test_a_healthy_system_has_no_defect(self, case: FaultCase, provision: Provision) -> None:
        """`present` passes before injection."""
        assert _prepare(case, provision).gone()

    def test_injection_leaves_a_defect(self, case: FaultCase, provision: Provision) -> None:
        """`present` fails after injection."""
        prepared = _prepare(case, provision)
        case.fault.inject(prepared.context)
        assert not prepared.gone()

    def test_injection_does_not_wait(self, case: FaultCase, provision: Provision) -> None:
        """It may wait until its own next step is possible, but the effect is the conductor's."""
        prepared = _prepare(case, provision)
        case.fault.inject(prepared.context)
        steps = prepared.watched.steps
        assert [step for step in steps if step.startswith("advance ")] == []
        assert [step for step in steps[-1:] if step.startswith("wait_until ")] == []

    def test_recovery_restores_everything(self, case: FaultCase, provision: Provision) -> None:
        """The journal alone gives back the state before injection, exactly."""
        prepared = _prepare(case, provision)
        case.fault.inject(prepared.context)
        prepared.recover()
        assert prepared.world.lasting_changes() == []
        assert prepared.gone()

    def test_recovery_may_be_repeated(self, case: FaultCase, provision: Provision) -> None:
        """Twice, and before injection: harmless."""
        prepared = _prepare(case, provision)
        prepared.recover()
        assert prepared.world.lasting_changes() == []
        case.fault.inject(prepared.context)
        prepared.recover()
        prepared.recover()
        assert prepared.world.lasting_changes() == []

    def test_a_killed_injection_can_be_undone(self, case: FaultCase, provision: Provision) -> None:
        """Killed before or after any write, what the journal holds suffices."""
        complete = _prepare(case, provision)
        case.fault.inject(complete.context)
        writes = len(complete.watched.writes)
        assert writes > 0, "the fault changed nothing through the cluster"
        for step in range(1, writes + 1):
            for after in (False, True):
                prepared = _prepare(case, provision, kill_at_write=step, kill_after=after)
                with pytest.raises(Killed):
                    case.fault.inject(prepared.context)
                prepared.recover()
                where = f"killed {'after' if after else 'before'} write {step} of {writes}"
                assert (where, prepared.world.lasting_changes()) == (where, [])

    def test_truth_and_fix_do_not_depend_on_the_injection(
        self, case: FaultCase, provision: Provision
    ) -> None:
        """Both derive from component, manifests and parameters."""
        prepared = _prepare(case, provision)
        fault, context = case.fault, prepared.context
        before = (fault.ground_truth(context), fault.reference_fix(context))
        fault.inject(context)
        assert (fault.ground_truth(context), fault.reference_fix(context)) == before

    def test_truth_is_complete(self, case: FaultCase, provision: Provision) -> None:
        """Every field that an agent can be asked about is filled and names real components."""
        context = _prepare(case, provision).context
        truth = case.fault.ground_truth(context)
        names = {part.name for part in case.application.components()}
        on_component = isinstance(context.target, Component)
        # What is no component is known by its own name: a node, a zone, an object.
        assert truth.component in names or (truth.component and not on_component)
        assert set(truth.contributing) | set(truth.affected) <= names
        needed = ["kind", "object_name", "mechanism", *(["namespace"] if on_component else [])]
        assert [field for field in needed if not getattr(truth, field)] == []
        assert truth.changed.what
        assert truth.changed.before != truth.changed.after

    def test_reference_fix_repairs(self, case: FaultCase, provision: Provision) -> None:
        """Its kubectl commands succeed and leave no defect."""
        prepared = _prepare(case, provision)
        case.fault.inject(prepared.context)
        cluster = prepared.world.cluster
        fix = case.fault.reference_fix(prepared.context)
        assert fix, "there is no reference fix"
        for command in fix:
            assert command.argv[0] == "kubectl"
            result = cluster.kubectl(command)
            assert result.ok, f"{command}\n{result.stderr}"
        assert cluster.clock.wait_until(prepared.gone, _SETTLE_S, 5.0), "the defect is still there"

    def test_nothing_in_the_world_tells_of_it(self, case: FaultCase, provision: Provision) -> None:
        """Changed objects contain neither the fault's name nor words of the trade."""
        prepared = _prepare(case, provision)
        before = {name: _words(obj) for name, obj in prepared.world.objects.items()}
        case.fault.inject(prepared.context)
        now = capture(prepared.world.cluster, case.application.namespaces)
        added = set().union(*map(_words, now.values())) - set().union(*before.values())
        telling = {*_TELLING, case.fault.name}
        assert [text for text in sorted(added) if telling & {text, *_single_words(text)}] == []

    def test_nobody_changes_anything_anonymously(
        self, case: FaultCase, provision: Provision
    ) -> None:
        """Every change was made with a tool that people and pipelines use."""
        prepared = _prepare(case, provision)
        case.fault.inject(prepared.context)
        now = capture(prepared.world.cluster, case.application.namespaces)
        strange = {
            (name, manager)
            for name, obj in now.items()
            for entry in obj["metadata"].get("managedFields") or ()
            if (manager := entry.get("manager", "")) in ("", "unknown")
            or {*_single_words(manager)} & {*_TELLING, "python", "openapi"}
        }
        assert sorted(strange) == []

    def test_nothing_is_scaled_to_zero_in_passing(
        self, case: FaultCase, provision: Provision
    ) -> None:
        """Pods restart by rolling updates: a workload at zero is the fault itself, and stays."""
        prepared = _prepare(case, provision)
        case.fault.inject(prepared.context)
        back = [
            str(ref)
            for ref in sorted(prepared.watched.emptied, key=str)
            if ((prepared.world.cluster.get(ref) or {}).get("spec") or {}).get("replicas") != 0
        ]
        assert back == []

    def test_what_it_stamps_is_of_its_moment(self, case: FaultCase, provision: Provision) -> None:
        """Times that it writes are those of the world's clock, as a tool would write them."""
        prepared = _prepare(case, provision)
        clock = prepared.world.cluster.clock
        clock.advance(_ODD_S)
        before = set().union(*map(_words, prepared.world.objects.values()))
        began = int(clock.now())
        case.fault.inject(prepared.context)
        now = capture(prepared.world.cluster, case.application.namespaces)
        added = set().union(*map(_words, now.values())) - before
        stamped = [datetime.fromisoformat(text).timestamp() for text in added if _is_stamp(text)]
        assert [moment for moment in stamped if not began <= moment <= clock.now()] == []


def _truth(case: FaultCase, provision: Provision) -> GroundTruth:
    """What the fault says is wrong; in a world only where it depends on one."""
    parameters = case.fault.Parameters.model_validate(dict(case.parameters))
    target = choose_target(case.application, case.target)
    try:
        return case.fault.ground_truth(
            context_without_cluster(case.application, target, parameters)
        )
    except NeedsClusterError:
        return case.fault.ground_truth(_prepare(case, provision).context)


def _is_stamp(text: str) -> bool:
    return (
        re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", text) is not None
    )


def _prepare(
    case: FaultCase,
    provision: Provision,
    *,
    kill_at_write: int = 0,
    kill_after: bool = False,
) -> FaultWorld:
    world = ready_world(case.application, provision)
    target = choose_target(case.application, case.target, world.cluster)
    watched = WatchedCluster(world.cluster, kill_at_write=kill_at_write, kill_after=kill_after)
    journal = UndoJournal()
    context = FaultContext(
        cluster=watched,
        application=case.application,
        target=target,
        parameters=case.fault.Parameters.model_validate(dict(case.parameters)),
        journal=journal,
        seed=7,
    )
    return FaultWorld(case, world, context, journal, watched)


def _single_words(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower())


def _words(obj: dict[str, Any]) -> set[str]:
    """All keys and texts of an object."""
    found: set[str] = set()
    waiting: list[Any] = [desired(obj)]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, list):
            waiting += value
        else:
            found.add(str(value))
    return found
