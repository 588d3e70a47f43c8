"""What is verified of episodes that did not happen through the session's tools alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sregym_core.api import EpisodeRecord, Outcome, Session, Workspace, play
from sregym_core.model import ToolCall
from sregym_leaderboard.keys import key_of
from sregym_leaderboard.replay import Replay, replayed
from sregym_leaderboard.submission import Content, opened, written
from sregym_testing import RunOutcome, SregymProject

PROBLEM = "wrong_service_selector_hotel_reservation"
OPEN = "the session was open to processes outside, by the wall clock"
CLIENTS = "the agent's own clients asked the cluster past the session's tools"


def _again(record: EpisodeRecord, workspace: Workspace) -> Replay:
    return replayed(record, workspace.problem(PROBLEM), None, workspace)


def _with_notes(session: Session) -> None:
    session.kubectl("kubectl get pods -n hotel-reservation")
    session.note_own_call("notebook", {"text": "all pods run"}, "kept", True)
    session.kubectl("kubectl get services -n hotel-reservation")
    session.note_own_call("search", {"query": "selector"}, "a page", True)
    session.note_own_call("notebook", {"text": "a Service?"}, "kept", True)
    session.submit("The pods are out of memory.")
    session.submit("done")


@pytest.fixture(scope="module")
def noted(workspace: Workspace) -> EpisodeRecord:
    """An episode of an agent with two tools of its own."""
    return play(PROBLEM, _with_notes, seed=3, workspace=workspace)


@pytest.fixture(scope="module")
def reached(workspace: Workspace) -> EpisodeRecord:
    """An episode that processes outside could reach."""

    def outside(session: Session) -> None:
        session.announce(session.access())
        _with_notes(session)

    return play(PROBLEM, outside, seed=3, workspace=workspace)


def test_answers_of_own_tools_are_not_verified(noted: EpisodeRecord, workspace: Workspace) -> None:
    again = _again(noted, workspace)
    assert again == Replay(
        noted.episode,
        True,
        verified=("answers to 4 calls", "both verdicts"),
        unverified=("what the agent's own tools gave it (notebook 2, search 1)",),
    )
    assert again.result == "in part"


def test_a_made_up_answer_between_own_tools_is_found(
    noted: EpisodeRecord, workspace: Workspace
) -> None:
    calls = list(noted.transcript)
    calls[2] = calls[2].model_copy(update={"digest": "0" * 32})
    again = _again(noted.model_copy(update={"transcript": tuple(calls)}), workspace)
    assert (again.result, again.why) == (
        "differs",
        "call 3 (kubectl get services -n hotel-reservation) was answered in another way",
    )
    assert (again.verified, again.unverified) == ((), ())


def test_calls_that_are_passed_off_as_own_are_missed(
    noted: EpisodeRecord, workspace: Workspace
) -> None:
    """A repair by the session's tools that is called own is not repeated: its verdict tells."""
    repaired = noted.mitigation
    assert repaired is not None
    verdict = repaired.verdict.model_copy(update={"outcome": Outcome.PASS})
    praised = noted.model_copy(
        update={
            "mitigation": repaired.model_copy(update={"verdict": verdict}),
            "transcript": (ToolCall(at_s=0.0, tool="kubectl", own=True), *noted.transcript),
        }
    )
    again = _again(praised, workspace)
    assert (again.result, again.why) == (
        "differs",
        "mitigation was pass, and is fail when played again",
    )


@pytest.mark.parametrize("clients", [False, True], ids=["processes", "clients"])
def test_of_processes_outside_the_diagnosis_alone_is_verified(
    reached: EpisodeRecord, workspace: Workspace, clients: bool
) -> None:
    requests = ({"method": "GET", "path": "/api/v1/pods", "status": 200},) if clients else ()
    record = EpisodeRecord.model_validate({**reached.model_dump(), "requests": requests})
    why = CLIENTS if clients else OPEN
    again = _again(record, workspace)
    assert again == Replay(
        record.episode,
        True,
        verified=("the root causes", "the verdict on the diagnosis"),
        unverified=(f"answers to 7 calls: {why}", f"the verdict on the mitigation: {why}"),
    )
    assert again.result == "in part"


def test_a_praised_diagnosis_of_processes_outside_is_found(
    reached: EpisodeRecord, workspace: Workspace
) -> None:
    said = reached.diagnosis
    assert said is not None
    verdict = said.verdict.model_copy(update={"outcome": Outcome.PASS})
    praised = {"diagnosis": said.model_copy(update={"verdict": verdict})}
    again = _again(reached.model_copy(update=praised), workspace)
    assert (again.result, again.why) == (
        "differs",
        "diagnosis was pass, and is fail when played again",
    )
    (truth,) = reached.truths
    others = {"truths": (truth.model_copy(update={"component": "geo"}),)}
    again = _again(reached.model_copy(update=others), workspace)
    assert again.why == "its root causes are others when played again"


def test_of_some_nothing_can_be_verified(reached: EpisodeRecord, workspace: Workspace) -> None:
    early = f"{OPEN}, and it began before the system broke"
    for change, why in (
        ({"salt": ""}, "it tells no salt"),
        ({"outcome": Outcome.UNDECIDED}, "its outcome is undecided"),
        ({"start_before_s": 60.0}, early),
    ):
        again = _again(reached.model_copy(update=change), workspace)
        assert again == Replay(reached.episode, None, why, unverified=(f"all of it: {why}",))
        assert again.result == "not possible"


def test_the_page_and_the_json_say_what_is_not_verified(
    project: SregymProject, leaderboard: Callable[..., RunOutcome], signed: Callable[..., Path]
) -> None:
    """An own tool in one episode, a missing salt in another: neither counts as verified."""
    file = signed()
    content = json.loads(opened(file)[0].model_dump_json())
    content["episodes"] = [one for one in content["episodes"] if one["agent"] == "restart-loop"]
    own, bare = [one["record"] for one in content["episodes"]]
    own["transcript"].insert(1, {"at_s": 0.0, "tool": "note<b>book", "own": True})
    bare["salt"] = ""
    written(Content.model_validate(content), key_of(project.folder / "key.pem"), file.parent)
    done = leaderboard("verify", str(file), "--sample", "0").assert_success()
    assert done.out == ("mine: 0 of 0 episodes agree when played again; 1 in part; 1 cannot be\n")
    build = leaderboard("build", "board", "--sample", "0", "--json")
    (told,) = build.assert_success().json()["entries"]
    counts = {name: told[name] for name in ("played_again", "agreed", "in_part", "not_possible")}
    assert counts == {"played_again": 0, "agreed": 0, "in_part": 1, "not_possible": 1}
    replays: dict[str, Any] = {one["episode"]: one for one in told["replays"]}
    calls = len(own["transcript"]) - 1
    assert replays == {
        own["episode"]: {
            "episode": own["episode"],
            "result": "in part",
            "why": "",
            "verified": [f"answers to {calls} calls", "both verdicts"],
            "unverified": ["what the agent's own tools gave it (note<b>book 1)"],
        },
        bare["episode"]: {
            "episode": bare["episode"],
            "result": "not possible",
            "why": "it tells no salt",
            "verified": [],
            "unverified": ["all of it: it tells no salt"],
        },
    }
    site = project.folder / "board" / "site"
    index = (site / "index.html").read_text()
    assert "0 of 0 agree<small>1 in part</small><small>1 not possible</small>" in index
    page = (site / "entries" / "mine.html").read_text()
    assert (
        f'<tr data-episode="{own["episode"]}"><td>{own["episode"]}</td><td>in part</td>'
        f"<td>answers to {calls} calls; both verdicts</td>"
        "<td>what the agent&#39;s own tools gave it (note&lt;b&gt;book 1)</td></tr>"
    ) in page
    assert "<td>not possible</td><td></td><td>all of it: it tells no salt</td>" in page
