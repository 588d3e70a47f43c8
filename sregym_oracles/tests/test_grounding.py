"""Which observations support a diagnosis."""

from __future__ import annotations

from sregym_core.model import Claims, Grounding, Outcome, StageRecord, Support, ToolCall, Verdict
from sregym_oracles.grounding import grounding

VERDICT = Verdict(outcome=Outcome.PASS)
COMPONENTS = ("geo", "mongodb-geo", "frontend")
CALLS = (
    ToolCall(at_s=1.0, tool="kubectl", arguments={"command": "kubectl get pods"}, output="geo-6f7d 1/1"),
    ToolCall(at_s=2.0, tool="kubectl", output="spec:\n  memory: 10Mi\n"),
    ToolCall(at_s=3.0, tool="submit", arguments={"text": "mongodb-geo"}, output="mongodb-geo"),
    ToolCall(at_s=9.0, tool="kubectl", output="frontend is fine, 512Mi"),
)  # fmt: skip


def stage(text: str, claims: Claims | None = None) -> StageRecord:
    return StageRecord(text=text, claims=claims, submitted_at_s=3.0, verdict=VERDICT)


def test_what_was_seen_before_the_submission_supports_it() -> None:
    told = stage("geo has 10Mi of memory instead of 512Mi, so frontend fails; mongodb-geo is fine.")
    found = grounding(told, CALLS, COMPONENTS)
    assert found == Grounding(
        supported=(Support(what="geo", call=0), Support(what="10Mi", call=1)),
        unsupported=("512Mi", "frontend", "mongodb-geo"),
    )
    assert found.coverage == 0.4


def test_fields_count_like_words() -> None:
    claims = Claims(component="geo", detail="limits.memory", before="512Mi", after="10Mi")
    found = grounding(stage("see claims", claims), CALLS, COMPONENTS)
    assert [support.what for support in found.supported] == ["geo", "10Mi"]
    assert found.unsupported == ("limits.memory", "512Mi")


def test_words_alone_have_no_coverage() -> None:
    assert grounding(stage("Something is broken."), CALLS, COMPONENTS).coverage is None
