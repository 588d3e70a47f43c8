"""What an episode on a wall clock says while it waits, and when it gives up."""

from __future__ import annotations

import signal
from typing import Any, ClassVar

import pytest
from sregym_core.conductor.progress import Progress
from sregym_core.conductor.readiness import settle, wait_ready, warm_up
from sregym_core.errors import WorldError
from sregym_core.events import Waiting
from sregym_core.interfaces import Cluster, FaultContext, OperationTraffic, Session, Traffic
from sregym_core.interfaces.cluster import KubeObject
from sregym_core.model import Outcome
from sregym_kubernetes.operations.starting import Prospect, troubles
from sregym_kubernetes.pod_trouble import PodTrouble
from sregym_testing import MemoryCluster, MemoryProvider, Shop
from sregym_testing.memory.clock import MemoryClock


class WallClock(MemoryClock):
    """Virtual, but reported as if it were wall-clock time."""

    real_time: ClassVar[bool] = True


def wall_cluster(images: bool = True) -> MemoryCluster:
    cluster = MemoryCluster(None if images else {})
    cluster._clock.__class__ = WallClock
    return cluster


class ServedShop(Shop):
    """Its users are served all the time."""

    def traffic(self, cluster: Cluster, seconds: float) -> Traffic:
        asked = int(seconds * 10)
        return Traffic(seconds, {"buy": OperationTraffic(asked, asked)})


def heard(told: list[Waiting]) -> list[tuple[str, tuple[str, ...], float | None]]:
    return [(event.phase, event.waiting_for, event.left_s) for event in told]


def test_what_is_waited_for_is_told_when_it_changes_and_every_now_and_then() -> None:
    told: list[Waiting] = []
    clock = WallClock()
    with Progress(told.append).phase(clock, "waiting", 100.0) as phase:
        for what in ("a", "a", "b", "c", "c", "c", "c", "c", "c", "c", "c", "c"):
            phase.look([what])
            clock.advance(5.0)
    assert heard(told) == [
        ("waiting", ("a",), 100.0),
        ("waiting", ("b",), 90.0),
        ("waiting", ("c",), 80.0),
        ("waiting", ("c",), 50.0),
    ]


def test_in_virtual_time_nothing_is_told() -> None:
    told: list[Waiting] = []
    with Progress(told.append).phase(MemoryClock(), "waiting", 100.0) as phase:
        phase.look(["a"])
    assert (told, phase.watched) == ([], False)


def test_where_something_broke_off() -> None:
    progress = Progress(lambda event: None)
    clock = WallClock()

    def interrupted() -> None:
        with progress.phase(clock, "waiting", 9.0) as phase:
            phase.look(["p: Pending", "q: Pending"])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert progress.where() == " while waiting: p: Pending; q: Pending"
    with progress.phase(clock, "more"):
        pass
    assert Progress(None).where() == ""


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (Waiting("deploying shop"), "deploying shop"),
        (Waiting("waiting", (), 860.2), "waiting, 14 min 20 s left"),
        (
            Waiting("waiting", tuple("abcdef"), 45.0),
            "waiting, 45 s left: a; b; c; d; and 2 more",
        ),
    ],
)
def test_it_reads_as_a_line(event: Waiting, text: str) -> None:
    assert event.text() == text


def test_images_that_cannot_be_pulled_end_the_wait_soon() -> None:
    cluster, told = wall_cluster(images=False), []
    shop = ServedShop()
    shop.deploy(cluster)
    began = cluster.clock.now()
    with pytest.raises(WorldError) as lost:
        settle(cluster, shop, 60.0, Progress(told.append))
    pods = sorted(pod["metadata"]["name"] for pod in cluster.list("v1", "Pod", "shop"))
    reasons = "; ".join(f"{pod}: ImagePullBackOff" for pod in pods)
    assert str(lost.value) == (
        f"application 'shop' will not get ready, given up after 60 s: {reasons}"
    )
    assert cluster.clock.now() - began == 60.0
    assert told[0].text(99) == f"waiting until pods are ready, 15 min 0 s left: {reasons}"


def test_later_the_back_off_of_pods_is_waited_out() -> None:
    cluster, shop = wall_cluster(images=False), ServedShop()
    shop.deploy(cluster)
    with pytest.raises(WorldError) as late:
        wait_ready(cluster, shop, 120.0, progress=Progress(lambda event: None))
    assert "was not ready after 120 s" in str(late.value)
    assert "ImagePullBackOff" in str(late.value)


def crash(pod: str, restarts: int) -> PodTrouble:
    return PodTrouble(pod, "CrashLoopBackOff", "exit code 1", restarts)


def test_crashes_count_once_nothing_else_makes_progress() -> None:
    prospect = Prospect()
    store = PodTrouble("store", "ContainerCreating")
    looks: list[tuple[list[PodTrouble], list[str]]] = [
        ([crash("a", 5), store], []),  # it may crash for want of the store
        ([crash("a", 6)], []),
        ([crash("a", 7)], []),
        ([PodTrouble("a", "Error", "exit code 1", 7)], []),
        ([crash("a", 8)], ["a"]),
    ]
    assert [
        [one.pod for one in prospect.stuck(found, 5.0 * number)]
        for number, (found, _) in enumerate(looks)
    ] == [expected for _, expected in looks]


def test_what_is_pulled_is_told() -> None:
    class Pulling(MemoryCluster):
        def list(self, *where: str) -> list[KubeObject]:
            if where[1] == "Event":
                events = [("Scheduled", "assigned", "01"), ("Pulling", 'Pulling image "x:1"', "02")]
                return [
                    {
                        "reason": reason,
                        "message": message,
                        "lastTimestamp": f"2026-01-01T00:00:{moment}Z",
                        "involvedObject": {"kind": "Pod", "name": "p"},
                    }
                    for reason, message, moment in events
                ]
            waiting = {"state": {"waiting": {"reason": "ContainerCreating"}}}
            done = {"metadata": {"name": "job"}, "status": {"phase": "Failed"}}
            return [{"metadata": {"name": "p"}, "status": {"containerStatuses": [waiting]}}, done]

    assert [str(one) for one in troubles(Pulling(), Shop())] == [
        'p: ContainerCreating (Pulling image "x:1")'
    ]


def test_on_a_wall_clock_steady_traffic_ends_the_warm_up() -> None:
    wall, virtual = wall_cluster(), MemoryCluster()
    spent = []
    for cluster in (wall, virtual):
        began = cluster.clock.now()
        warm_up(cluster, ServedShop(), 60.0)
        spent.append(cluster.clock.now() - began)
    assert spent == [25.0, 60.0]


@pytest.mark.usefixtures("ctrl_c")
def test_the_record_tells_how_far_it_came(theatre: Any) -> None:
    shop = theatre.components["applications"][0]

    class Wall(MemoryProvider):
        def provision(self, spec: Any) -> Cluster:
            return wall_cluster()

    class Interrupted(shop):  # type: ignore[misc, valid-type]  # the theatre's own class
        looks: ClassVar[list[int]] = []

        def ready(self, cluster: Cluster) -> list[str]:
            self.looks.append(1)
            if len(self.looks) > 3:
                signal.raise_signal(signal.SIGINT)
            return ["Deployment shop/cart is not ready"]

    theatre.components |= {"clusters": [Wall], "applications": [Interrupted]}
    record = theatre.play(lambda session: None)
    assert record.reason == (
        "interrupted by the user while waiting until pods are ready: "
        "Deployment shop/cart is not ready"
    )
    assert [entry.fields["phase"] for entry in record.timeline if entry.event == "Waiting"][:2] == [
        "deploying shop",
        "waiting until pods are ready",
    ]


def repair(session: Session) -> None:
    session.submit("The cart's currency is wrong.")


def test_a_fault_that_does_not_take_hold_is_an_error(theatre: Any) -> None:
    fault = theatre.components["injectors"][0]

    class Slow(fault):  # type: ignore[misc, valid-type]  # the theatre's own class
        def outstanding(self, context: FaultContext) -> str:
            return "an old process still runs"

    theatre.components["injectors"][0] = Slow
    record = theatre.play(repair)
    assert (record.outcome, record.reason, record.recovered) == (
        Outcome.ERROR,
        "the fault did not take hold within 60 s: an old process still runs",
        True,
    )
