"""The life of an episode: whatever happens, the world is recovered and the record is whole."""

from __future__ import annotations

import json
import re
import signal
from pathlib import Path
from typing import Any

import pytest
from sregym_core.interfaces import Budget, FaultContext, OracleContext, Session, Stage
from sregym_core.model import EpisodeRecord, FaultRef, Outcome, Problem, Verdict
from sregym_core.proof.comparing import comparable

from sregym_core import hookimpl


def repair(session: Session) -> None:
    session.submit("The cart's currency is wrong.")
    patch = '{"data":{"cart.json":"{\\"currency\\": \\"EUR\\", \\"limit\\": 20}"}}'
    session.kubectl(f"kubectl patch configmap cart-settings -n shop --type=merge -p '{patch}'")
    session.submit("Done.")


def unnumbered(text: str) -> str:
    """A text without the numbers of lines."""
    return re.sub(r"\.py:[0-9]+", ".py:N", text)


def verdicts(record: EpisodeRecord) -> tuple[str, str, str]:
    stages = (record.diagnosis, record.mitigation)
    first, second = (str(s.verdict.outcome) if s else "-" for s in stages)
    return str(record.outcome), first, second


def test_all_events_come_in_order(theatre: Any) -> None:
    record = theatre.play(repair)
    assert theatre.events == [
        "EpisodeStarted",
        "ApplicationDeployed",
        "BaselineTaken",
        "FaultInjected",
        "FaultConfirmed",
        "AgentStarted",
        "Submitted",
        "StageGraded",
        "ToolCalled",
        "Submitted",
        "AgentStopped",
        "StageGraded",
        "Recovered",
        "EpisodeFinished",
    ]
    assert [entry.event for entry in record.timeline] == theatre.events
    assert verdicts(record) == ("pass", "pass", "pass")
    assert record.recovered
    assert (record.steps, record.ttd_s, record.ttm_s) == (3, 0.0, 2.0)


def test_an_agent_that_does_nothing_fails(theatre: Any) -> None:
    record = theatre.play(lambda session: None)
    assert verdicts(record) == ("fail", "fail", "fail")
    assert record.reason == "diagnosis: nothing was submitted"
    assert record.recovered


def test_an_agent_that_raises_is_graded_as_it_stands(theatre: Any) -> None:
    def crash(session: Session) -> None:
        session.submit("the cart")
        raise ValueError("out of tokens")

    record = theatre.play(crash)
    assert verdicts(record) == ("fail", "pass", "fail")
    assert unnumbered(record.stopped) == (
        "the agent raised ValueError: out of tokens "
        "(agent 'puppet', tests/core/conductor/test_episode.py:N)"
    )
    assert record.timeline[-4].fields == {"reason": record.stopped}
    assert record.recovered


def test_the_same_world_gives_the_same_record(theatre: Any) -> None:
    assert comparable(theatre.play(repair)) == comparable(theatre.play(repair))


def test_an_oracle_that_raises_is_an_error_and_no_failure(theatre: Any) -> None:
    eyes = theatre.components["oracles"][1]

    class Blind(eyes):  # type: ignore[misc, valid-type]  # the theatre's own class
        def judge(self, context: OracleContext) -> Verdict:
            raise OSError("no light")

    theatre.components["oracles"][1] = Blind
    record = theatre.play(repair)
    assert verdicts(record) == ("error", "pass", "error")
    assert unnumbered(record.reason) == (
        "mitigation: eyes: expected a verdict, got OSError: no light "
        "(oracle 'eyes' of local 0, tests/core/conductor/test_episode.py:N)"
    )
    assert record.recovered


def test_an_oracle_that_gives_no_verdict_is_told_of(theatre: Any) -> None:
    eyes = theatre.components["oracles"][1]

    class Silent(eyes):  # type: ignore[misc, valid-type]  # the theatre's own class
        def judge(self, context: OracleContext) -> Any:
            return None

    theatre.components["oracles"][1] = Silent
    assert unnumbered(theatre.play(repair).reason) == (
        "mitigation: eyes: expected a verdict, got TypeError: 'eyes' gave None from judge, where a "
        "Verdict is due (tests/core/conductor/test_episode.py:N)"
    )


def test_an_injector_that_raises_half_way_is_undone(theatre: Any) -> None:
    fault = theatre.components["injectors"][0]

    class Clumsy(fault):  # type: ignore[misc, valid-type]  # the theatre's own class
        def inject(self, context: FaultContext) -> None:
            super().inject(context)
            raise RuntimeError("lost the connection")

    theatre.components["injectors"][0] = Clumsy
    record = theatre.play(repair)
    assert verdicts(record) == ("error", "-", "-")
    assert unnumbered(record.reason) == (
        "RuntimeError: lost the connection "
        "(fault 'wrong-currency' of local 0, tests/core/conductor/test_episode.py:N)"
    )
    assert record.recovered


def test_a_fault_without_effect_is_an_error_of_the_world(theatre: Any) -> None:
    fault = theatre.components["injectors"][0]

    class Harmless(fault):  # type: ignore[misc, valid-type]  # the theatre's own class
        def inject(self, context: FaultContext) -> None:
            pass

    theatre.components["injectors"][0] = Harmless
    record = theatre.play(repair)
    assert record.outcome is Outcome.ERROR
    assert record.reason == "fault 'wrong-currency' on 'cart' left no defect behind"


def test_a_fault_that_nobody_notices_is_an_error_unless_declared_silent(theatre: Any) -> None:
    shop = theatre.components["applications"][0]

    class Patient(shop):  # type: ignore[misc, valid-type]  # the theatre's own class
        def traffic(self, cluster: Any, seconds: float) -> Any:
            seen = super().traffic(cluster, seconds)
            browse = seen.operations["browse"]
            return type(seen)(seconds, {"browse": browse})

    theatre.components["applications"][0] = Patient
    record = theatre.play(repair)
    assert record.outcome is Outcome.ERROR
    assert record.reason == (
        "users did not notice the fault within 60 s: success rate 1.000, healthy 1.000"
    )
    theatre.problem = theatre.problem.model_copy(update={"silent": True})
    assert theatre.play(repair).outcome is Outcome.PASS


def test_an_application_that_is_not_healthy_is_an_error(theatre: Any) -> None:
    shop = theatre.components["applications"][0]

    class Closed(shop):  # type: ignore[misc, valid-type]  # the theatre's own class
        def traffic(self, cluster: Any, seconds: float) -> Any:
            seen = super().traffic(cluster, seconds)
            closed = {name: type(op)(op.requests, 0) for name, op in seen.operations.items()}
            return type(seen)(seconds, closed)

    theatre.components["applications"][0] = Closed
    record = theatre.play(repair)
    assert record.reason == (
        "application 'shop' is not healthy before any fault: 0 of 600 requests succeeded"
    )
    assert record.outcome is Outcome.ERROR


def test_an_application_that_does_not_get_ready_is_an_error(theatre: Any) -> None:
    shop = theatre.components["applications"][0]

    class Stuck(shop):  # type: ignore[misc, valid-type]  # the theatre's own class
        def ready(self, cluster: Any) -> list[str]:
            return ["Deployment web has no pod"]

    theatre.components["applications"][0] = Stuck
    record = theatre.play(repair)
    assert record.reason == (
        "application 'shop' was not ready after 900 s: Deployment web has no pod"
    )


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_recovers_and_records(theatre: Any, tmp_path: Path) -> None:
    def interrupt(session: Session) -> None:
        session.submit("the cart")
        signal.raise_signal(signal.SIGINT)

    record = theatre.play(interrupt, folder=tmp_path)
    assert theatre.player.interrupted
    assert record.outcome is Outcome.ERROR
    assert record.reason == "interrupted by the user"
    assert record.recovered
    entries = [json.loads(line) for line in (tmp_path / "journal.jsonl").read_text().splitlines()]
    assert [(entry["op"], entry["ref"]["name"]) for entry in entries] == [
        ("restore", "cart-settings")
    ]


def test_what_the_agent_did_besides_is_undone_too(theatre: Any) -> None:
    def vandal(session: Session) -> None:
        session.kubectl("kubectl delete service web -n shop")
        session.kubectl("kubectl scale deployment cart --replicas=0 -n shop")
        session.kubectl("kubectl create configmap extra -n shop")

    record = theatre.play(vandal)
    assert record.timeline[-2].fields == {"exact": True, "difference": ""}


def test_an_observer_that_raises_is_a_warning(theatre: Any) -> None:
    class Nervous:
        @hookimpl
        def sregym_episode_event(self, event: object) -> None:
            if type(event).__name__ == "FaultInjected":
                raise RuntimeError("help")

    theatre.observers.append(Nervous())
    record = theatre.play(repair)
    assert record.outcome is Outcome.PASS
    assert tuple(map(unnumbered, record.warnings)) == (
        "observer 'observer-0' of local 0 raised RuntimeError: help "
        "(tests/core/conductor/test_episode.py:N)",
    )


def test_hook_sregym_episode_event_is_called_for_each_event(theatre: Any) -> None:
    seen: list[tuple[str, float, str]] = []

    class Watcher:
        @hookimpl
        def sregym_episode_event(self, episode: str, at_s: float, event: object) -> None:
            seen.append((episode, at_s, type(event).__name__))

    theatre.observers.append(Watcher())
    record = theatre.play(repair)
    assert seen == [("e0001", entry.at_s, entry.event) for entry in record.timeline]


@pytest.mark.parametrize(
    ("budget", "reason"),
    [
        (Budget(steps=2), "the budget of 2 tool calls is used up"),
        (Budget(episode_s=30.0), "the budget of 30 episode seconds is used up"),
        (Budget(wall_s=0.0), "the budget of 0 wall-clock seconds is used up"),
    ],
)
def test_a_budget_ends_the_agent(theatre: Any, budget: Budget, reason: str) -> None:
    def endless(session: Session) -> None:
        while True:
            session.wait(20.0)

    record = theatre.play(endless, budget=budget)
    stopped = next(entry for entry in record.timeline if entry.event == "AgentStopped")
    assert stopped.fields == {"reason": reason}
    assert record.reason == f"diagnosis: nothing was submitted; {reason}"


def test_each_stage_is_submitted_once(theatre: Any) -> None:
    receipts = []

    def eager(session: Session) -> None:
        receipts.append(session.submit("x" * 70_000))
        receipts.append(session.submit("the cart"))
        receipts.append(session.submit("done"))
        receipts.append(session.submit("done again"))

    theatre.play(eager)
    assert [(r.accepted, r.stage, r.message) for r in receipts] == [
        (
            False,
            Stage.DIAGNOSIS,
            "a submission may have 64000 characters, this has 70000; nothing was submitted",
        ),
        (True, Stage.MITIGATION, "diagnosis received; mitigation comes next"),
        (True, Stage.DONE, "mitigation received; the episode ends"),
        (False, Stage.DONE, "both stages were submitted already; nothing was changed"),
    ]


def test_the_answer_key_is_for_privileged_agents_only(theatre: Any) -> None:
    answers = []

    def ask(session: Session) -> None:
        try:
            session.reference()
        except PermissionError as error:
            answers.append(str(error))

    theatre.play(ask)
    assert answers == ["the answer key is for privileged baselines only; this adapter is not one"]


def test_an_unreadable_command_is_answered_like_any_other(theatre: Any) -> None:
    results = []
    theatre.play(lambda session: results.append(session.kubectl("kubectl get 'pods")))
    assert [(r.exit_code, r.stderr) for r in results] == [(1, "error: No closing quotation\n")]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"target": "kart"},
            "problem 'wrong_currency': no component named 'kart'; did you mean 'cart'? "
            "Known: cart, web (application 'shop')",
        ),
        (
            {"target": "web"},
            "problem 'wrong_currency': fault 'wrong-currency' does not fit component 'web'; "
            "it fits cart",
        ),
        (
            {"target": {"component": {"name": "cart", "container": "cart"}}},
            "problem 'wrong_currency': fault 'wrong-currency' cannot be pointed at a container of a "
            "component, but its target is 'container cart of cart'",
        ),
        (
            {"target": {"component": {"name": "cart", "service": "kart"}}},
            "component 'cart' has no Service 'kart'; it has: cart",
        ),
        (
            {"target": {"node": {"runs": "cart"}}},
            "problem 'wrong_currency': fault 'wrong-currency' acts on components, but its target "
            "is 'the node that runs cart', a node",
        ),
    ],
)
def test_a_problem_that_cannot_be_played(
    theatre: Any, change: dict[str, str], message: str
) -> None:
    problem: Problem = theatre.problem
    ref = FaultRef.model_validate({"fault": problem.faults[0].fault, **change})
    theatre.problem = problem.model_copy(update={"faults": (ref,)})
    record = theatre.play(repair)
    assert (record.outcome, record.reason) == (Outcome.ERROR, message)


def test_an_agent_that_computes_for_ever_ends_with_its_time(
    theatre: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sregym_core.conductor.acting.GRACE_S", 0.1)

    def endless(session: Session) -> None:
        session.submit("the cart")
        while True:
            pass

    record = theatre.play(endless, budget=Budget(wall_s=0.1))
    assert verdicts(record) == ("fail", "pass", "fail")
    assert record.stopped == "the budget of 0.1 wall-clock seconds is used up"
    assert record.recovered


def test_a_call_that_computes_for_ever_ends_with_the_agents_time(
    theatre: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def spin(*_: object) -> None:
        while True:
            pass

    def call(session: Session) -> None:
        session.submit("the cart")
        with monkeypatch.context() as patched:
            patched.setattr("sregym_testing.memory.cluster.MemoryCluster.kubectl", spin)
            session.kubectl("kubectl get pods")

    record = theatre.play(call, budget=Budget(wall_s=0.2))
    assert verdicts(record) == ("fail", "pass", "fail")
    assert record.stopped == "the budget of 0.2 wall-clock seconds is used up"
    assert record.recovered
