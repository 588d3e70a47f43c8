"""What every fault must hold to."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import ValidationError

from sregym_core.conductor.journal import UndoJournal
from sregym_core.conductor.objects import capture, desired
from sregym_core.interfaces import FaultContext
from sregym_core.model import Outcome
from sregym_core.testing.watched import Killed, WatchedCluster
from sregym_core.testing.worlds import World, ready_world

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.interfaces import Application, Fault
    from sregym_core.testing.clusters import Provision

# Words that would tell an agent that it is being examined.
_TELLING = ("sregym", "fault", "chaos", "inject", "benchmark", "sabotage")
_SETTLE_S = 600.0


@dataclass(frozen=True)
class FaultCase:
    """A fault on one component.

    Attributes:
        fault: The fault under test.
        application: What it is injected into.
        component: Name of the target.
        parameters: What a problem file would say; empty for the defaults.
    """

    fault: Fault
    application: Application
    component: str
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
        """The fault under test and a component that it fits."""
        raise NotImplementedError("override the fixture `case`")

    def test_fits_its_component(self, case: FaultCase) -> None:
        """`fits` answers for each component of the application, and with yes for the target."""
        answers = {part.name: case.fault.fits(part) for part in case.application.components()}
        assert answers[case.component] is True
        assert all(isinstance(answer, bool) for answer in answers.values())

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
        truth = case.fault.ground_truth(_prepare(case, provision).context)
        names = {part.name for part in case.application.components()}
        assert truth.component in names
        assert set(truth.contributing) | set(truth.affected) <= names
        empty = [
            f for f in ("kind", "object_name", "namespace", "mechanism") if not getattr(truth, f)
        ]
        assert empty == []
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


def _prepare(
    case: FaultCase,
    provision: Provision,
    *,
    kill_at_write: int = 0,
    kill_after: bool = False,
) -> FaultWorld:
    world = ready_world(case.application, provision)
    component = case.application.component(case.component)
    assert component is not None, f"the application has no component {case.component!r}"
    watched = WatchedCluster(world.cluster, kill_at_write=kill_at_write, kill_after=kill_after)
    journal = UndoJournal()
    context = FaultContext(
        cluster=watched,
        application=case.application,
        component=component,
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
