"""Each hook by name: what a plugin gives there arrives, and in which order hooks are called."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from sregym_core.cli import Subcommand
from sregym_core.conductor import ComponentFactory, EpisodePlan, EpisodePlayer
from sregym_core.conductor.timeline import Timeline
from sregym_core.conductor.worlds import Worlds
from sregym_core.events import Submitted
from sregym_core.interfaces import (
    Agent,
    AgentDescription,
    Application,
    ClusterProvider,
    Command,
    Fault,
    Mode,
    Noise,
    OperationTraffic,
    Oracle,
    Reporter,
    Reward,
    Routine,
    Runner,
    SessionTool,
    Traffic,
)
from sregym_core.model import (
    Change,
    Check,
    FaultRef,
    GroundTruth,
    OracleRefs,
    Outcome,
    Problem,
    Verdict,
)
from sregym_core.problems import ProblemSet
from sregym_core.settings import Settings
from sregym_testing import LocalPlugins, MemoryProvider, Shop

from sregym_core import Registration


def register(shelf: LocalPlugins, hook: str, kind: str, base: type[Any]) -> None:
    """Register a component through a hook and find it in the registry."""
    component = type("Sample", (base,), {"name": "sample", "summary": "a sample"})

    def implementation():
        return [Registration("sample", component)]

    implementation.__name__ = hook
    registry = shelf(implementation)
    assert registry.names(kind) == ["sample"]
    assert registry.load(kind, "sample") is component
    assert registry.components("local") == [f"{kind} sample"]


def test_sregym_register_clusters(register_plugin: LocalPlugins) -> None:
    register(register_plugin, "sregym_register_clusters", "cluster", ClusterProvider)


def test_sregym_register_applications(register_plugin: LocalPlugins) -> None:
    register(register_plugin, "sregym_register_applications", "application", Application)


def test_sregym_register_injectors(register_plugin: LocalPlugins) -> None:
    register(register_plugin, "sregym_register_injectors", "fault", Fault)


def test_sregym_register_noise_sources(register_plugin: LocalPlugins) -> None:
    register(register_plugin, "sregym_register_noise_sources", "noise source", Noise)


def test_sregym_register_oracles(register_plugin: LocalPlugins) -> None:
    register(register_plugin, "sregym_register_oracles", "oracle", Oracle)


def test_sregym_register_agents(register_plugin: LocalPlugins) -> None:
    register(register_plugin, "sregym_register_agents", "agent", Agent)


def test_sregym_register_reporters(register_plugin: LocalPlugins) -> None:
    register(register_plugin, "sregym_register_reporters", "reporter", Reporter)


def test_sregym_register_rewards(register_plugin: LocalPlugins) -> None:
    register(register_plugin, "sregym_register_rewards", "reward", Reward)


def test_sregym_register_modes(register_plugin: LocalPlugins) -> None:
    register(register_plugin, "sregym_register_modes", "mode", Mode)


def test_sregym_register_routines(register_plugin: LocalPlugins) -> None:
    register(register_plugin, "sregym_register_routines", "routine", Routine)


def test_sregym_register_runners(register_plugin: LocalPlugins) -> None:
    register(register_plugin, "sregym_register_runners", "runner", Runner)


def test_sregym_register_tools(register_plugin: LocalPlugins) -> None:
    register(register_plugin, "sregym_register_tools", "tool", SessionTool)


def test_sregym_register_commands(register_plugin: LocalPlugins) -> None:
    register(register_plugin, "sregym_register_commands", "command", Subcommand)


def test_sregym_register_problems(register_plugin: LocalPlugins, tmp_path) -> None:
    text = (
        "id: cart\ntitle: Cart\napplication: shop\nlayer: os\nfaults: [{fault: x, target: cart}]\n"
    )
    (tmp_path / "cart.yaml").write_text(text)
    (tmp_path / "notes.txt").write_text("not a problem")

    def sregym_register_problems():
        return [tmp_path]

    problems = ProblemSet(register_plugin(sregym_register_problems))
    assert [problem.id for problem in problems.all()] == ["cart"]


def test_sregym_episode_event(register_plugin: LocalPlugins) -> None:
    seen = []

    def sregym_episode_event(event, episode):
        seen.append((episode, event))

    register_plugin(sregym_episode_event)
    Timeline("e0001", register_plugin.plugins).record(Submitted(stage="diagnosis"))
    assert seen == [("e0001", Submitted(stage="diagnosis"))]


class BusyShop(Shop):
    """Customers get answers as long as the Service of `cart` leads to its port."""

    def traffic(self, cluster, seconds):
        service = cluster.get(self.component("cart").service)
        good = 100 if service and service["spec"]["ports"][0]["targetPort"] == 7070 else 50
        return Traffic(seconds, {"buy": OperationTraffic(100, good)})


class NoParameters(BaseModel):
    """None."""


class WrongPort(Fault):
    name = "wrong-port"
    layer = "kubernetes"
    Parameters = NoParameters

    def fits(self, component):
        return True

    def inject(self, context):
        service = context.component.service
        context.journal.restore(service, context.cluster.get(service))
        patch = [{"op": "replace", "path": "/spec/ports/0/targetPort", "value": 1}]
        context.cluster.patch(service, patch, "json")

    def present(self, context):
        service = context.cluster.get(context.component.service)
        good = service["spec"]["ports"][0]["targetPort"] == 7070
        return Check(name="port", outcome=Outcome.PASS if good else Outcome.FAIL)

    def ground_truth(self, context):
        change = Change(what="targetPort", before="7070", after="1")
        return GroundTruth(
            component="cart",
            kind="Service",
            object_name="cart",
            namespace="shop",
            mechanism="wrong-port",
            changed=change,
        )

    def reference_fix(self, context):
        return (Command(("kubectl", "version")),)


class Lenient(Oracle):
    name = "lenient"

    def judge(self, context):
        return Verdict.of([Check(name="looked", outcome=Outcome.PASS)])


class Brief(Agent):
    name = "brief"

    def run(self, session):
        session.kubectl("kubectl -n shop delete service ghost")
        session.submit("It is the port.")
        session.submit("Done.")


def test_all_hooks_in_the_order_of_an_episode(register_plugin, hook_recorder) -> None:
    """One episode from deploy to verdict, seen by a plugin that implements every hook."""

    def sregym_register_applications():
        return [Registration("shop", BusyShop)]

    def sregym_register_injectors():
        return [Registration("wrong-port", WrongPort)]

    def sregym_register_oracles():
        return [Registration("lenient", Lenient)]

    register_plugin(
        sregym_register_applications, sregym_register_injectors, sregym_register_oracles
    )
    recorder = hook_recorder(register_plugin.plugins)
    factory = ComponentFactory(Settings(), register_plugin.plugins)
    problem = Problem(
        id="cart-port",
        title="Cart",
        application="shop",
        layer="kubernetes",
        faults=(FaultRef(fault="wrong-port", target="cart"),),
        oracles=OracleRefs(diagnosis=("lenient",), mitigation=("lenient",)),
    )
    plan = EpisodePlan("e0001", problem, AgentDescription.of(Brief()))
    record = EpisodePlayer(factory, Worlds(MemoryProvider(), {}), plan).play(Brief())
    assert (record.reason, record.outcome, record.warnings) == (
        "diagnosis and mitigation passed",
        Outcome.PASS,
        (),
    )
    order = [name.removeprefix("sregym_") for name in recorder.names]
    assert order == [
        "register_applications",
        "episode_event:EpisodeStarted",
        "register_oracles",
        "register_injectors",
        "episode_event:ApplicationDeployed",
        "episode_event:BaselineTaken",
        "episode_event:FaultInjected",
        "episode_event:FaultConfirmed",
        "register_tools",
        "episode_event:AgentStarted",
        "episode_event:ToolCalled",
        "episode_event:Submitted",
        "episode_event:StageGraded",
        "episode_event:Submitted",
        "episode_event:AgentStopped",
        "episode_event:StageGraded",
        "ground_diagnosis",
        "episode_event:Recovered",
        "episode_event:EpisodeFinished",
    ]
