"""Watching: the agent starts in a healthy system, which breaks while it looks on."""

from __future__ import annotations

from typing import Any

from sregym_core.conductor.injection import moment_within
from sregym_core.interfaces import Session, Stage
from sregym_core.model import EpisodeRecord, Outcome
from sregym_mode_basic.modes import mode_named

PATCH = '{"data":{"cart.json":"{\\"currency\\": \\"EUR\\", \\"limit\\": 20}"}}'
CAUSE = "The cart's currency is wrong."


def mend(session: Session) -> None:
    session.kubectl(f"kubectl patch configmap cart-settings -n shop --type=merge -p '{PATCH}'")


def outcomes(record: EpisodeRecord) -> tuple[str, str, str]:
    stages = (record.diagnosis, record.mitigation)
    first, second = (str(s.verdict.outcome) if s else "-" for s in stages)
    return str(record.outcome), first, second


def test_an_agent_watches_a_healthy_system_until_it_breaks(theatre: Any) -> None:
    due = moment_within(300.0, seed=5, salt=theatre.salt)
    assert 30.0 <= due <= 300.0
    receipts = []

    def watch(session: Session) -> None:
        receipts.append(session.submit("I see nothing wrong."))
        receipts.append(session.submit("The web has crashed."))
        while "FaultInjected" not in theatre.events:
            session.wait(10.0)
        session.wait(8.0)
        receipts.append(session.submit(CAUSE))
        mend(session)
        receipts.append(session.submit("Done."))

    record = theatre.play(watch, mode=mode_named("proactive"), start_before_s=300.0, seed=5)
    assert [(r.accepted, r.stage, r.message) for r in receipts] == [
        (True, Stage.DIAGNOSIS, "noted: no incident; go on watching"),
        (
            True,
            Stage.DIAGNOSIS,
            "looked into: the system was healthy at this moment, so this was a false alarm; go on "
            "watching",
        ),
        (True, Stage.MITIGATION, "diagnosis received; mitigation comes next"),
        (True, Stage.DONE, "mitigation received; the episode ends"),
    ]
    assert outcomes(record) == ("pass", "pass", "pass")
    began = next(entry.at_s for entry in record.timeline if entry.event == "AgentStarted")
    assert record.injected_at_s is not None
    assert 0.0 <= record.injected_at_s - (began + due) <= 12.0
    assert (record.false_alarms, record.start_before_s) == (1, 300.0)
    assert record.ttd_s is not None
    assert record.ttd_s <= 8.0 + 4.0 + 10.0
    assert record.diagnosis is not None
    assert record.diagnosis.submitted_at_s == round(record.injected_at_s + record.ttd_s, 3)
    again = theatre.play(watch, mode=mode_named("proactive"), start_before_s=300.0, seed=5)
    assert again.injected_at_s == record.injected_at_s
    assert theatre.events.index("FaultInjected") > theatre.events.index("AgentStarted")


def test_who_does_not_stay_for_the_incident_fails(theatre: Any) -> None:
    record = theatre.play(
        lambda session: session.submit("no incident"),
        mode=mode_named("proactive"),
        start_before_s=60.0,
    )
    assert outcomes(record) == ("fail", "fail", "fail")
    assert record.reason == "diagnosis: nothing was submitted"
    assert theatre.events[-6:] == [
        "AgentStopped",
        "FaultInjected",
        "StageGraded",
        "StageGraded",
        "Recovered",
        "EpisodeFinished",
    ]


def test_who_spoils_the_incident_fails(theatre: Any) -> None:
    """It is no error of the world when an agent removes what would have broken."""

    def vandal(session: Session) -> None:
        session.kubectl("kubectl delete configmap cart-settings -n shop")

    record = theatre.play(vandal, mode=mode_named("proactive"), start_before_s=60.0)
    spoiled = (
        "the agent changed the healthy system so that it could not break: "
        'configmaps "cart-settings" not found'
    )
    assert (record.outcome, record.stopped) == (Outcome.FAIL, spoiled)
    assert record.reason == f"diagnosis: nothing was submitted; {spoiled}"
    assert record.recovered


def test_all_is_well_is_no_diagnosis_though_something_is_wrong(theatre: Any) -> None:
    receipts = []

    def overlook(session: Session) -> None:
        for text in ("All is well.", "", "Everything looks healthy", "There is an incident."):
            receipts.append(session.submit(text).message)

    record = theatre.play(overlook, mode=mode_named("proactive"))
    assert receipts == [
        *["noted: no incident; go on watching"] * 3,
        "diagnosis received; mitigation comes next",
    ]
    assert record.false_alarms == 0


def test_a_fault_that_will_not_work_is_an_error_before_the_agent_starts(theatre: Any) -> None:
    """On clusters that can be copied the injection is tried on a copy first."""
    fault = theatre.components["injectors"][0]

    class Harmless(fault):  # type: ignore[misc, valid-type]  # the theatre's own class
        def inject(self, context: Any) -> None:
            pass

    theatre.components["injectors"][0] = Harmless
    started: list[Session] = []
    record = theatre.play(started.append, mode=mode_named("proactive"), start_before_s=60.0)
    assert (record.outcome, record.reason) == (
        Outcome.ERROR,
        "fault 'wrong-currency' on 'cart' left no defect behind",
    )
