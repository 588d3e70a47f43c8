"""A shop that serves its users as its objects allow, a fault that breaks it, oracles that look."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import pytest
import sregym_injectors.plugin
from pydantic import BaseModel
from sregym_core.conductor import ComponentFactory, EpisodePlan, EpisodePlayer
from sregym_core.interfaces import (
    Agent,
    AgentDescription,
    Command,
    Fault,
    FaultContext,
    OperationTraffic,
    Oracle,
    OracleContext,
    Session,
    Traffic,
)
from sregym_core.interfaces.cluster import Cluster
from sregym_core.model import (
    Change,
    Check,
    Component,
    EpisodeRecord,
    FaultRef,
    GroundTruth,
    ObjectRef,
    OracleRefs,
    Outcome,
    Problem,
    Timing,
    Verdict,
)
from sregym_core.plugins import Plugins
from sregym_core.settings import Settings
from sregym_testing import MemoryProvider, Shop

from sregym_core import Registration, hookimpl

SETTINGS = ObjectRef(api_version="v1", kind="ConfigMap", namespace="shop", name="cart-settings")
GOOD = '{"currency": "EUR", "limit": 20}'
BAD = '{"currency": "XXX", "limit": 20}'


class LiveShop(Shop):
    """Users can buy while the cart knows its currency."""

    def traffic(self, cluster: Cluster, seconds: float) -> Traffic:
        settings = cluster.get(SETTINGS)
        good = settings is not None and settings["data"]["cart.json"] == GOOD
        requests = int(seconds * 10)
        buy = OperationTraffic(requests, requests if good else 0)
        return Traffic(seconds, {"buy": buy, "browse": OperationTraffic(requests, requests)})


class NoParameters(BaseModel):
    pass


class WrongCurrency(Fault):
    name: ClassVar[str] = "wrong-currency"
    title: ClassVar[str] = "The cart's currency does not exist"
    layer: ClassVar[str] = "application"
    Parameters: ClassVar[type[BaseModel]] = NoParameters

    def fits(self, component: Component) -> bool:
        return bool(component.config)

    def inject(self, context: FaultContext) -> None:
        context.journal.restore(SETTINGS, context.cluster.get(SETTINGS))
        context.cluster.patch(SETTINGS, {"data": {"cart.json": BAD}}, "merge")

    def present(self, context: FaultContext) -> Check:
        settings = context.cluster.get(SETTINGS)
        got = settings["data"]["cart.json"] if settings else "nothing"
        outcome = Outcome.PASS if got == GOOD else Outcome.FAIL
        return Check(name="defect-gone", outcome=outcome, expected=GOOD, got=got)

    def ground_truth(self, context: FaultContext) -> GroundTruth:
        return GroundTruth(
            component=context.component.name,
            kind="ConfigMap",
            object_name="cart-settings",
            namespace="shop",
            mechanism="wrong-currency",
            changed=Change(what="data[cart.json].currency", before="EUR", after="XXX"),
            affected=("web",),
            impact="Nobody can buy.",
        )

    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        patch = '{"data":{"cart.json":"{\\"currency\\": \\"EUR\\", \\"limit\\": 20}"}}'
        argv = ("kubectl", "patch", "configmap", "cart-settings", "-n", "shop", "--type=merge")
        return (Command((*argv, "-p", patch)),)


class Ears(Oracle):
    """Passes a diagnosis that names the cart."""

    name: ClassVar[str] = "ears"
    stage: ClassVar[str] = "diagnosis"

    def judge(self, context: OracleContext) -> Verdict:
        outcome = Outcome.PASS if "cart" in context.text else Outcome.FAIL
        check = Check(name="names-cart", outcome=outcome, expected="cart", got=context.text)
        return Verdict.of([check])


class Eyes(Oracle):
    """Passes when no defect is left."""

    name: ClassVar[str] = "eyes"
    stage: ClassVar[str] = "mitigation"

    def judge(self, context: OracleContext) -> Verdict:
        return Verdict.of([fault.present(given) for fault, given in context.faults])


class Puppet(Agent):
    """Does what the test says."""

    name: ClassVar[str] = "puppet"

    def __init__(self, script: Callable[[Session], None]) -> None:
        super().__init__()
        self._script = script

    def run(self, session: Session) -> None:
        self._script(session)


PROBLEM = Problem(
    id="wrong_currency",
    title="The cart's currency does not exist",
    application="shop",
    layer="application",
    faults=(FaultRef(fault="wrong-currency", target="cart"),),
    oracles=OracleRefs(diagnosis=("ears",), mitigation=("eyes",)),
    timing=Timing(settle_s=60.0),
)


@dataclass
class Theatre:
    """Everything for an episode; a test replaces what it is about.

    Attributes:
        components: Kind (as a registration hook names it) to class.
        problem: What is played.
        events: Names of the events of the last episode, in order.
        noise_drivers: Plugins that drive noise.
    """

    components: dict[str, list[type[Any]]] = field(
        default_factory=lambda: {
            "clusters": [MemoryProvider],
            "applications": [LiveShop],
            "injectors": [WrongCurrency],
            "oracles": [Ears, Eyes],
        }
    )
    problem: Problem = PROBLEM
    events: list[str] = field(default_factory=list)
    observers: list[Any] = field(default_factory=list)
    player: EpisodePlayer | None = None
    salt: str = "salt of the theatre"
    noise_drivers: list[Any] = field(default_factory=lambda: [sregym_injectors.plugin])

    def factory(self) -> ComponentFactory:
        plugins = Plugins(Settings(), found=())
        for driver in self.noise_drivers:
            plugins.add(driver, "noise-driver")
        for kind, classes in self.components.items():
            plugins.add(_offering(kind, classes), f"local-{kind}")
        for number, observer in enumerate(self.observers):
            plugins.add(observer, f"observer-{number}")
        return ComponentFactory(Settings(), plugins)

    def play(self, script: Callable[[Session], None], **plan: Any) -> EpisodeRecord:
        factory = self.factory()
        (cluster,) = factory.registry.names("cluster")
        worlds = factory.worlds(cluster, {}, self.salt)
        puppet = Puppet(script)
        who = AgentDescription.of(puppet)
        chosen = EpisodePlan("e0001", self.problem, who, **plan)
        self.events.clear()
        self.player = EpisodePlayer(
            factory, worlds, chosen, lambda _, event: self.events.append(type(event).__name__)
        )
        return self.player.play(puppet)


def _offering(kind: str, classes: list[type[Any]]) -> object:
    def register() -> list[Registration]:
        return [Registration(cls.name, cls) for cls in classes]

    register.__name__ = f"sregym_register_{kind}"

    class Plugin:
        pass

    setattr(Plugin, register.__name__, staticmethod(hookimpl(register)))
    return Plugin()


@pytest.fixture
def theatre() -> Theatre:
    return Theatre()


def repair(session: Session) -> None:
    """What a good agent does."""
    session.submit("The cart's currency is wrong.")
    session.kubectl(WrongCurrency().reference_fix(None)[0])  # type: ignore[arg-type]  # needs no context
    session.submit("Done.")


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """SIGINT as in a program of the user's, whoever runs the tests."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
