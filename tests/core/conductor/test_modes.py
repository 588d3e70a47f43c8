"""Modes: what an agent is told, when it starts, what it hands in and what is judged."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from sregym_core.conductor.component_factory import ComponentFactory
from sregym_core.conductor.offline import instruction
from sregym_core.errors import UsageError
from sregym_core.interfaces import Mode, ServiceAnswer, Session, Stage, Task
from sregym_core.model import Change, Claims, EpisodeRecord, GroundTruth, Outcome
from sregym_core.modes import STANDARD, check_start
from sregym_core.settings import Settings
from sregym_kubernetes.operations.alerts import payload
from sregym_mode_basic.cause import describe_cause
from sregym_mode_basic.modes import MODES, mode_named
from sregym_testing import MemoryProvider, ModeContract

PATCH = '{"data":{"cart.json":"{\\"currency\\": \\"EUR\\", \\"limit\\": 20}"}}'
CAUSE = "The cart's currency is wrong."


class TestStandard(ModeContract):
    @pytest.fixture
    def mode(self) -> Mode:
        return STANDARD


def mend(session: Session) -> None:
    session.kubectl(f"kubectl patch configmap cart-settings -n shop --type=merge -p '{PATCH}'")


def outcomes(record: EpisodeRecord) -> tuple[str, str, str]:
    stages = (record.diagnosis, record.mitigation)
    first, second = (str(s.verdict.outcome) if s else "-" for s in stages)
    return str(record.outcome), first, second


def asked(theatre: Any, mode: str, **plan: Any) -> tuple[Task, str]:
    """What an agent is asked for in a mode."""
    seen: list[Session] = []
    theatre.play(seen.append, mode=mode_named(mode), **plan)
    return seen[0].task, seen[0].instruction


def test_tasks(theatre: Any) -> None:
    theatre.components["clusters"] = [monitored([])]
    both = (Stage.DIAGNOSIS, Stage.MITIGATION)
    assert {mode.name: asked(theatre, mode.name)[0] for mode in (STANDARD, *MODES)} == {
        "standard": Task("standard", both, both),
        "reactive": Task("reactive", both, both),
        "proactive": Task("proactive", both, both, watching=True),
        "diagnosis-only": Task("diagnosis-only", both[:1], both[:1]),
        "mitigation-only": Task("mitigation-only", both[1:], both[1:]),
        "one-shot": Task("one-shot", both[:1], both),
    }


def test_only_the_diagnosis_counts(theatre: Any) -> None:
    receipts = []

    def tell(session: Session) -> None:
        receipts.append(session.submit(CAUSE))
        receipts.append(session.submit("Done."))

    record = theatre.play(tell, mode=mode_named("diagnosis-only"))
    assert outcomes(record) == ("pass", "pass", "-")
    assert (record.mode, record.reason) == ("diagnosis-only", "diagnosis passed")
    assert [(r.accepted, r.stage, r.message) for r in receipts] == [
        (True, Stage.DONE, "diagnosis received; the episode ends"),
        (False, Stage.DONE, "the diagnosis was submitted already; nothing was changed"),
    ]


def test_only_the_mitigation_counts(theatre: Any) -> None:
    def repair(session: Session) -> None:
        assert session.call("status", {}).text.startswith(
            "next: repair, then submit a note that it is done\n"
        )
        mend(session)
        session.submit("Done.")

    record = theatre.play(repair, mode=mode_named("mitigation-only"))
    assert outcomes(record) == ("pass", "-", "pass")
    assert (record.reason, record.ttd_s, record.ttm_s) == ("mitigation passed", None, 2.0)
    assert record.instruction.split("\n\n")[1:3] == [
        "Something in it does not work as it should. A web shop with a cart.",
        "A colleague looked into it and found the cause. It is ConfigMap cart-settings in namespace "
        "shop, part of cart, with this defect: wrong currency. data[cart.json].currency. "
        "Expected: EUR. Found: XXX. It also hurts web. Nobody can buy.",
    ]


def test_one_submission_for_both(theatre: Any) -> None:
    def repair(session: Session) -> None:
        mend(session)
        session.submit(CAUSE, Claims(component="cart"))

    record = theatre.play(repair, mode=mode_named("one-shot"))
    assert outcomes(record) == ("pass", "pass", "pass")
    assert (record.ttd_s, record.ttm_s) == (2.0, 2.0)

    def too_late(session: Session) -> None:
        session.submit(CAUSE)
        mend(session)

    late = theatre.play(too_late, mode=mode_named("one-shot"))
    assert outcomes(late) == ("fail", "pass", "fail")
    assert late.transcript[-1].output == (
        "error: the diagnosis was submitted already; the session is over\n"
    )
    assert theatre.play(repair, mode=mode_named("one-shot")).outcome is Outcome.PASS
    assert theatre.events.count("Submitted") == 1
    only_words = theatre.play(lambda session: session.submit(CAUSE), mode=mode_named("one-shot"))
    assert outcomes(only_words) == ("fail", "pass", "fail")
    silent = theatre.play(mend, mode=mode_named("one-shot"))
    assert outcomes(silent) == ("fail", "fail", "pass")


@pytest.mark.parametrize(
    ("truth", "text"),
    [
        (
            GroundTruth(
                component="db",
                kind="Service",
                object_name="db",
                namespace="shop",
                mechanism="service-missing",
                changed=Change(what="service db", before="port 5432"),
                contributing=("operator",),
                affected=("cart", "web"),
            ),
            "It is Service db in namespace shop with this defect: service missing. Service db. "
            "Expected: port 5432. Found: none. It takes operator as well to bring it about. It "
            "also hurts cart and web.",
        ),
        (
            GroundTruth(
                component="web",
                kind="NetworkPolicy",
                object_name="deny",
                namespace="shop",
                mechanism="traffic-denied",
                changed=Change(what="spec.policyTypes", after="Ingress"),
                impact="Nobody gets in.",
            ),
            "It is NetworkPolicy deny in namespace shop, part of web, with this defect: traffic "
            "denied. spec.policyTypes. Expected: none. Found: Ingress. Nobody gets in.",
        ),
    ],
)
def test_a_cause_as_it_is_told(truth: GroundTruth, text: str) -> None:
    assert describe_cause(truth) == text


def alert(name: str, starts_at: str, state: str = "active") -> dict[str, Any]:
    return {
        "annotations": {"summary": "Nobody can buy"},
        "endsAt": "2026-01-01T01:00:00Z",
        "fingerprint": f"{name:0>16}",
        "receivers": [{"name": "on-call"}],
        "startsAt": starts_at,
        "status": {"state": state, "silencedBy": [], "inhibitedBy": []},
        "updatedAt": "2026-01-01T00:30:00Z",
        "generatorURL": "http://prometheus:9090/alerts",
        "labels": {"alertname": name, "severity": "critical"},
    }


def monitored(alerts: Sequence[dict[str, Any]]) -> type[MemoryProvider]:
    """A provider of clusters whose Alertmanager knows these alerts once they have started."""

    class Monitored(MemoryProvider):
        name = "memory"

        def provision(self, spec: Any) -> Any:
            cluster: Any = super().provision(spec)

            def answer(path: str, query: Sequence[tuple[str, str]]) -> ServiceAnswer:
                if path == "/api/v2/silences":
                    return ServiceAnswer(200, b"[]")
                assert (path, query) == ("/api/v2/alerts", [("active", "true")])
                from datetime import datetime

                now = cluster.clock.now()
                known = [
                    each
                    for each in alerts
                    if datetime.fromisoformat(each["startsAt"]).timestamp() <= now
                ]
                return ServiceAnswer(200, json.dumps(known).encode())

            cluster.observed["alertmanager"] = answer
            return cluster

    return Monitored


def test_the_alerts_that_fired_are_told(theatre: Any) -> None:
    from datetime import UTC, datetime

    began: list[float] = []
    theatre.play(lambda session: began.append(session.clock.now()))

    def after(seconds: float) -> str:
        return datetime.fromtimestamp(began[0] + seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    old, first, second = (
        alert("Old", "2020-01-01T00:00:00Z"),
        alert("NobodyBuys", after(40)),
        alert("CartFails", after(60)),
    )
    late, muted = alert("Late", after(200)), alert("Muted", after(10), "suppressed")
    theatre.components["clusters"] = [monitored([old, first, second, late, muted])]
    seen: list[Any] = []

    def repair(session: Session) -> None:
        seen.append(session.alerts)
        mend(session)

    record = theatre.play(repair, mode=mode_named("reactive"))
    expected = payload([old, first, second])
    assert [each["labels"]["alertname"] for each in expected["alerts"]] == [
        "Old",
        "NobodyBuys",
        "CartFails",
    ]
    assert seen == [expected]
    assert record.alerts == expected
    assert json.dumps(expected, indent=1) in record.instruction
    awaited = next(entry for entry in record.timeline if entry.event == "AlertsAwaited")
    assert awaited.fields == {"alerts": 3, "waited_s": 75.0}


def test_a_notification_of_alertmanager() -> None:
    first, second = alert("A", "2020-01-01T00:00:00Z"), alert("B", "2020-01-01T00:01:00Z")
    second["labels"]["job"] = "cart"
    told = [
        {
            "status": "firing",
            "labels": each["labels"],
            "annotations": {"summary": "Nobody can buy"},
            "startsAt": each["startsAt"],
            "endsAt": "0001-01-01T00:00:00Z",
            "generatorURL": "http://prometheus:9090/alerts",
            "fingerprint": each["fingerprint"],
        }
        for each in (first, second)
    ]
    assert payload([second, first]) == {
        "receiver": "on-call",
        "status": "firing",
        "alerts": told,
        "groupLabels": {},
        "commonLabels": {"severity": "critical"},
        "commonAnnotations": {"summary": "Nobody can buy"},
        "externalURL": "http://alertmanager:9093",
        "version": "4",
        "groupKey": "{}:{}",
        "truncatedAlerts": 0,
    }


def test_a_notification_is_no_flood() -> None:
    many = [alert(f"A{number}", f"2020-01-01T00:{number:02}:00Z") for number in range(55)]
    told = payload(many)
    assert [each["labels"]["alertname"] for each in told["alerts"]] == [
        f"A{number}" for number in range(50)
    ]
    assert told["truncatedAlerts"] == 5


def test_no_alert_is_waited_for_endlessly(theatre: Any) -> None:
    theatre.components["clusters"] = [monitored([alert("Old", "2020-01-01T00:00:00Z")])]
    seen: list[Any] = []
    record = theatre.play(lambda s: seen.append(s.alerts), mode=mode_named("reactive"))
    assert (seen, record.alerts) == ([None], None)
    assert record.instruction.split("\n\n")[1] == (
        "No alert is firing, but somebody asked you to look at it. A web shop with a cart."
    )
    awaited = next(entry for entry in record.timeline if entry.event == "AlertsAwaited")
    assert awaited.fields == {"alerts": 0, "waited_s": 300.0}


def test_a_cluster_without_alerts_is_an_error_of_the_world(theatre: Any) -> None:
    record = theatre.play(mend, mode=mode_named("reactive"))
    assert (record.outcome, record.reason) == (
        Outcome.ERROR,
        "the alerts that fired cannot be asked for: this cluster offers no service 'alertmanager'; "
        "it offers: none (on a real cluster: --cluster kubeconfig:alertmanager=URL)",
    )


def test_a_system_is_quiet_before_somebody_watches_it(theatre: Any) -> None:
    """Alerts of its start are over by then; those of last year, which nobody tends, are not."""
    looks: list[float] = []

    class Starting(MemoryProvider):
        name = "memory"

        def provision(self, spec: Any) -> Any:
            from datetime import UTC, datetime

            cluster: Any = super().provision(spec)
            lately = datetime.fromtimestamp(cluster.clock.now(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            old = alert("Neglected", "2020-01-01T00:00:00Z")

            def answer(path: str, query: Any) -> ServiceAnswer:
                looks.extend([cluster.clock.now()] if path == "/api/v2/alerts" else [])
                known = [old, alert("Starting", lately)] if len(looks) < 4 else [old]
                return ServiceAnswer(200, json.dumps(known).encode())

            cluster.observed["alertmanager"] = answer
            return cluster

    theatre.components["clusters"] = [Starting]
    began: list[float] = []
    theatre.play(
        lambda session: began.append(session.clock.now()),
        mode=mode_named("proactive"),
        start_before_s=60.0,
    )
    assert [began[0] - look for look in looks] == [45.0, 30.0, 15.0, 0.0]


def test_alertmanager_that_refuses_is_an_error_of_the_world(theatre: Any) -> None:
    class Refusing(MemoryProvider):
        def provision(self, spec: Any) -> Any:
            cluster: Any = super().provision(spec)
            cluster.observed["alertmanager"] = lambda path, query: ServiceAnswer(503, b"starting")
            return cluster

    theatre.components["clusters"] = [Refusing]
    record = theatre.play(mend, mode=mode_named("reactive"))
    assert (record.outcome, record.reason) == (
        Outcome.ERROR,
        "the alerts that fired cannot be asked for: Alertmanager answers 503: starting",
    )


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "reactiv",
            "no mode named 'reactiv'; did you mean 'reactive' or 'proactive'? Known: standard, "
            "diagnosis-only, mitigation-only, one-shot, proactive, reactive",
        ),
        (
            "on-call",
            "no mode named 'on-call'. It comes with sregym-mode-on-call: pip install "
            "sregym-mode-on-call. Known: standard, diagnosis-only, mitigation-only, "
            "one-shot, proactive, reactive",
        ),
    ],
)
def test_an_unknown_mode(name: str, message: str) -> None:
    factory = ComponentFactory(Settings(disabled=frozenset({"mode-on-call"})))
    with pytest.raises(UsageError) as caught:
        factory.mode(name)
    assert str(caught.value) == message


def test_trouble_cannot_be_told_before_it_is_there() -> None:
    check_start(mode_named("proactive"), 60.0)
    check_start(mode_named("reactive"), None)
    with pytest.raises(UsageError) as caught:
        check_start(mode_named("reactive"), 60.0)
    assert str(caught.value) == (
        "--start-before goes with --mode proactive; in mode 'reactive' an agent is told of trouble "
        "when it starts"
    )


@pytest.mark.parametrize("name", ["standard", "mitigation-only", "one-shot"])
def test_an_instruction_can_be_read_without_an_episode(theatre: Any, name: str) -> None:
    told = instruction(theatre.factory(), theatre.problem, mode_named(name))
    assert told == asked(theatre, name)[1]


def test_alerts_are_left_open_without_an_episode(theatre: Any) -> None:
    told = instruction(theatre.factory(), theatre.problem, mode_named("reactive"))
    assert '{\n "version": "4",\n "alerts": [\n  "..."\n ]\n}' in told
