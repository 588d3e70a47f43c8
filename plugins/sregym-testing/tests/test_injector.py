"""The injector contract accepts a good fault and finds each kind of bad one."""

from __future__ import annotations

import pytest
from pydantic import BaseModel, ConfigDict
from sregym_core.interfaces import Actor, Command, Fault, FaultContext
from sregym_core.model import Change, Check, Component, GroundTruth, ObjectRef, Outcome
from sregym_testing import FaultCase, InjectorContract, Shop
from sregym_testing.diagnoses import installed_judges


class Good(Fault):
    """The Service leads to a port where nothing listens."""

    name = "target-port-off"
    title = "Service leads to a wrong port"
    layer = "kubernetes"

    class Parameters(BaseModel):
        model_config = ConfigDict(extra="forbid")
        offset: int = 1000

    def fits(self, component: Component) -> bool:
        return component.service is not None and bool(component.ports)

    def wrong(self, context: FaultContext) -> int:
        return context.component.ports[0].container_port + int(context.parameters.offset)

    def inject(self, context: FaultContext) -> None:
        service = self.service(context)
        context.journal.restore(service, context.cluster.get(service))
        self.set_port(context, self.wrong(context))

    def present(self, context: FaultContext) -> Check:
        port = context.component.ports[0].container_port
        found = context.cluster.get(self.service(context))
        got = None if found is None else found["spec"]["ports"][0]["targetPort"]
        outcome = Outcome.PASS if got == port else Outcome.FAIL
        return Check(name="target-port", outcome=outcome, expected=str(port), got=str(got))

    def ground_truth(self, context: FaultContext) -> GroundTruth:
        right = context.component.ports[0].container_port
        what = "spec.ports[0].targetPort"
        return GroundTruth(
            component=context.component.name,
            kind="Service",
            object_name=self.service(context).name,
            namespace=context.component.namespace,
            mechanism="service-target-port-mismatch",
            changed=Change(what=what, before=str(right), after=str(self.wrong(context))),
            affected=context.component.callers,
        )

    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        return (self.fix_to(context, context.component.ports[0].container_port),)

    @staticmethod
    def service(context: FaultContext) -> ObjectRef:
        assert context.component.service is not None
        return context.component.service

    def set_port(self, context: FaultContext, port: int) -> None:
        patch = [{"op": "replace", "path": "/spec/ports/0/targetPort", "value": port}]
        context.cluster.patch(self.service(context), patch, "json")

    def fix_to(self, context: FaultContext, port: int) -> Command:
        service = self.service(context)
        patch = f'[{{"op":"replace","path":"/spec/ports/0/targetPort","value":{port}}}]'
        words = ("kubectl", "-n", service.namespace, "patch", "service", service.name)
        return Command((*words, "--type", "json", "-p", patch))


class FitsNothing(Good):
    def fits(self, component: Component) -> bool:
        return False


class TakesAnything(Good):
    class Parameters(BaseModel):
        offset: int = 1000


class SeesDefectsEverywhere(Good):
    def present(self, context: FaultContext) -> Check:
        return Check(name="target-port", outcome=Outcome.FAIL)


class DoesNothing(Good):
    def inject(self, context: FaultContext) -> None:
        pass


class Waits(Good):
    def inject(self, context: FaultContext) -> None:
        super().inject(context)
        context.cluster.clock.advance(30.0)


class WaitsForItsEffect(Good):
    """Looks whether users notice, after its last write."""

    def inject(self, context: FaultContext) -> None:
        super().inject(context)
        context.cluster.clock.wait_until(lambda: True, 30.0)


class WaitsForItsTurn(Good):
    """Takes its last step when the one before has come through."""

    def inject(self, context: FaultContext) -> None:
        service = self.service(context)
        context.journal.restore(service, context.cluster.get(service))
        self.set_port(context, 1)
        context.cluster.clock.wait_until(
            lambda: context.cluster.get(service)["spec"]["ports"][0]["targetPort"] == 1, 30.0
        )
        self.set_port(context, self.wrong(context))


class ForgetsTheJournal(Good):
    def inject(self, context: FaultContext) -> None:
        self.set_port(context, self.wrong(context))


class RecoversInTheWrongDirection(Good):
    def recover(self, context: FaultContext) -> None:
        self.set_port(context, 1)


class JournalsAfterwards(Good):
    def inject(self, context: FaultContext) -> None:
        before = context.cluster.get(self.service(context))
        self.set_port(context, self.wrong(context))
        context.journal.restore(self.service(context), before)


class ReadsTheTruthFromTheWorld(Good):
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        live = context.cluster.get(self.service(context))
        assert live is not None
        now = str(live["spec"]["ports"][0]["targetPort"])
        return super().ground_truth(context).model_copy(update={"impact": f"port {now}"})


class LeavesTheTruthOpen(Good):
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        return super().ground_truth(context).model_copy(update={"mechanism": ""})


class SaysNothingOfItsDefect(Good):
    """Its author's phrases are what everybody says of anything."""

    def ground_truth(self, context: FaultContext) -> GroundTruth:
        vague = {"mechanism_phrases": ("who knows", "it may or may not be so")}
        return super().ground_truth(context).model_copy(update=vague)


class TellsTheCauseAsImpact(Good):
    """Whoever tells what users see has told the cause."""

    def ground_truth(self, context: FaultContext) -> GroundTruth:
        name = context.component.name
        impact = f"The root cause is in {name}: wrong target port of Service {name}."
        told = {"mechanism_phrases": ("wrong target port",), "impact": impact}
        return super().ground_truth(context).model_copy(update=told)


class FixesTheWrongWay(Good):
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        return (self.fix_to(context, 4711),)


class SignsItsWork(Good):
    def inject(self, context: FaultContext) -> None:
        super().inject(context)
        mark = {"metadata": {"annotations": {"example.com/by": "fault-injection"}}}
        context.cluster.patch(self.service(context), mark, "merge")


class IsNobody(Good):
    def set_port(self, context: FaultContext, port: int) -> None:
        patch = [{"op": "replace", "path": "/spec/ports/0/targetPort", "value": port}]
        context.cluster.patch(self.service(context), patch, "json", Actor("unknown", ""))


class TurnsItOffAndOn(Good):
    def inject(self, context: FaultContext) -> None:
        super().inject(context)
        workload = context.component.workload
        context.journal.restore(workload, context.cluster.get(workload))
        for replicas in (0, 1):
            context.cluster.patch(workload, {"spec": {"replicas": replicas}}, "merge")


class KnowsOneMomentOnly(Good):
    def inject(self, context: FaultContext) -> None:
        super().inject(context)
        stamp = {"metadata": {"annotations": {"example.com/at": "2023-11-14T23:00:00Z"}}}
        context.cluster.patch(self.service(context), stamp, "merge")


BAD: dict[str, type[Fault]] = {
    "test_fits_its_target": FitsNothing,
    "test_refuses_unknown_parameters": TakesAnything,
    "test_a_healthy_system_has_no_defect": SeesDefectsEverywhere,
    "test_injection_leaves_a_defect": DoesNothing,
    "test_injection_does_not_wait": Waits,
    "test_recovery_restores_everything": ForgetsTheJournal,
    "test_recovery_may_be_repeated": RecoversInTheWrongDirection,
    "test_a_killed_injection_can_be_undone": JournalsAfterwards,
    "test_truth_and_fix_do_not_depend_on_the_injection": ReadsTheTruthFromTheWorld,
    "test_truth_is_complete": LeavesTheTruthOpen,
    "test_its_truth_is_recognised": SaysNothingOfItsDefect,
    "test_near_misses_are_not_recognised": TellsTheCauseAsImpact,
    "test_reference_fix_repairs": FixesTheWrongWay,
    "test_nothing_in_the_world_tells_of_it": SignsItsWork,
    "test_nobody_changes_anything_anonymously": IsNobody,
    "test_nothing_is_scaled_to_zero_in_passing": TurnsItOffAndOn,
    "test_what_it_stamps_is_of_its_moment": KnowsOneMomentOnly,
}


class TestGoodFault(InjectorContract):
    @pytest.fixture(params=["cart", "web"])
    def case(self, request: pytest.FixtureRequest) -> FaultCase:
        return FaultCase(Good(), Shop(), request.param, {"offset": 5})


class TestFaultThatWaitsForItsTurn(InjectorContract):
    @pytest.fixture
    def case(self) -> FaultCase:
        return FaultCase(WaitsForItsTurn(), Shop(), "cart")


@pytest.mark.parametrize("check", BAD)
def test_bad_fault_is_found(check, run_check, memory) -> None:
    case = FaultCase(BAD[check](), Shop(), "cart")
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        run_check(
            InjectorContract,
            check,
            case=case,
            provision=memory,
            judges=installed_judges(),
            other_faults=(),
        )


def test_a_wait_for_the_effect_is_found_without_advance(run_check, memory) -> None:
    case = FaultCase(WaitsForItsEffect(), Shop(), "cart")
    with pytest.raises(AssertionError):
        run_check(InjectorContract, "test_injection_does_not_wait", case=case, provision=memory)


def test_every_check_has_a_bad_fault(checks_of) -> None:
    assert set(BAD) == checks_of(InjectorContract)
