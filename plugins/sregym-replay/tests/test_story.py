"""The world of a recorded episode, step by step."""

from __future__ import annotations

from pathlib import Path

import pytest
from sregym_core.api import Workspace
from sregym_core.errors import UsageError
from sregym_core.model import EpisodeRecord, Outcome, TimelineEntry
from sregym_replay.story import Story
from sregym_runs import Recorded, Replay, read_recorded

SERVICE = "Service hotel-reservation/mongodb-rate"


def fix_of(story: Story) -> int:
    """The step that brings the Service back."""
    calls = story.recorded.record.transcript
    found = [n for n, call in enumerate(calls, 1) if "apply" in str(call.arguments)]
    return found[0]


def test_each_answer_is_the_recorded_one(story: Story) -> None:
    assert story.replay is not None
    story.replay.end()
    assert story.replay.at == story.length == len(story.replay.steps) > 3
    assert story.replay.mismatches == ()
    stopped = next(e.at_s for e in story.recorded.record.timeline if e.event == "AgentStopped")
    assert story.replay.environment.at_s == stopped


def test_the_world_before_and_after_the_repair(story: Story) -> None:
    fix = fix_of(story)
    before, after = story.moment(fix - 1).world, story.moment(fix).world
    assert before is not None
    assert after is not None
    assert (before.changed, after.changed) == ((), (f"{SERVICE} is new",))
    assert before.users["hotels"] < 0.1 < before.users["user"]
    assert "ServiceEndpointDown" in before.alerts
    # Another one, without which users can do, restarts again and again; rollouts come to their end.
    assert "rate" in {one.partition("-")[0] for one in before.not_ready}


def test_back_and_forth_is_the_same_world(story: Story) -> None:
    first = [story.moment(number) for number in range(story.length + 1)]
    again = [story.moment(number) for number in reversed(range(story.length + 1))]
    assert first == again[::-1]


def test_what_is_done_in_a_fork_stays_there(story: Story) -> None:
    assert story.replay is not None
    fix = fix_of(story)
    story.replay.go_to(fix - 1)
    with story.replay.fork() as fork:
        fork.step("kubectl", command="delete deployment geo -n hotel-reservation")
    assert story.moment(fix).same
    assert story.replay.changed() == (f"{SERVICE} is new",)


def test_steps_that_are_not(story: Story) -> None:
    last = story.length
    for number in (-1, last + 1):
        with pytest.raises(UsageError) as refused:
            story.moment(number)
        assert str(refused.value) == (
            f"episode 'e0001' has steps 0 to {last}, and no step {number}"
        )
    assert story.replay is not None
    story.replay.go_to(last)
    with pytest.raises(UsageError) as refused:
        story.replay.step()
    assert str(refused.value) == f"episode 'e0001' has {last} steps, and all were played again"


def test_another_seed_is_another_world(episode: Path, workspace: Workspace) -> None:
    recorded = read_recorded(episode)
    other = recorded.record.model_copy(update={"seed": 4})
    story = Story(Recorded(other, recorded.file), None, workspace)
    moment = story.moment(1)
    assert moment.call is not None
    assert moment.answer_now not in (None, moment.call.output)


@pytest.mark.parametrize(
    ("cluster", "events", "message"),
    [
        (
            "embedded",
            ("AgentStarted", "SessionOpened"),
            "episode 'e1' was open to processes outside, and its record does not hold what they "
            "did to the API; its world cannot be rebuilt",
        ),
        (
            "embedded",
            (),
            "episode 'e1' ended before its agent began: it did not get ready; there is nothing to "
            "replay",
        ),
    ],
)
def test_worlds_that_cannot_be_rebuilt(
    workspace: Workspace, cluster: str, events: tuple[str, ...], message: str
) -> None:
    record = EpisodeRecord(
        episode="e1",
        problem="p",
        agent="a",
        seed=0,
        cluster=cluster,
        outcome=Outcome.ERROR,
        reason="it did not get ready",
        timeline=tuple(TimelineEntry(at_s=0.0, wall_s=0.0, event=name) for name in events),
    )
    with pytest.raises(UsageError) as refused:
        Replay(Recorded(record, Path("record.json")), workspace=workspace)
    assert str(refused.value) == message
    story = Story(Recorded(record, Path("record.json")), None, workspace)
    assert (story.why_not, story.moment(0).world) == (message, None)
