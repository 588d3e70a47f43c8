"""One incident from the page to the record: what an engineer on call is told, reads and posts."""

from __future__ import annotations

import re

from sregym_app_deathstarbench.hotel_reservation.application import HotelReservation
from sregym_core.api import play
from sregym_core.proof.scripted import Scripted, run_all

UPDATES = {
    "Investigating: searches for hotels fail.": "true",
    "All clear, users are served again.": "false",
    "Somebody should look at this.": "undecided",
}
OVER = "Resolved: users are served again."


def facts(text: str) -> dict[str, str]:
    """The facts of a runbook."""
    return dict(re.findall(r"^- ([A-Z][\w ]+): (.*)$", text, re.MULTILINE))


def test_what_is_told_read_and_posted_stands_in_the_record() -> None:
    seen: dict[str, str] = {}

    def act(session):
        seen["instruction"] = session.instruction
        listed = session.call("read_document", {}).text
        names = [line.partition(":")[0] for line in listed.splitlines()]
        seen.update({name: session.call("read_document", {"name": name}).text for name in names})
        for text in UPDATES:
            assert session.call("post_update", {"text": text}).ok
        session.submit(session.reference().diagnosis)
        run_all(session, session.reference().fix)
        session.wait(90)
        session.call("post_update", {"text": OVER})
        session.submit("Done.")

    problem = "missing_service_hotel_reservation"
    record = play(problem, Scripted(act, privileged=True), seed=1, mode="on-call")
    assert (record.outcome, record.mode) == ("pass", "on-call")
    assert "Severity as it was filed: SEV3." in seen["instruction"]
    assert "read_document" in seen["instruction"]
    assert [(one.text, one.truth) for one in record.updates] == [*UPDATES.items(), (OVER, "true")]
    moments = [one.at_s for one in record.updates]
    assert moments == sorted(moments)
    parts = {f"runbooks/{part.name}": part for part in HotelReservation().components()}
    outdated = {one.name: one.what for one in record.outdated_documents}
    assert outdated
    assert set(outdated) < set(parts)
    assert "SEV1: users cannot use the product at all." in seen["handbook"]
    for name, part in parts.items():
        if part.kind == "load":
            assert name not in seen  # users are nobody's to look after
            continue
        told = facts(seen[name])
        right = {
            "Kind": part.kind,
            "Workload": f"{part.workload.kind} {part.workload.name} in {part.namespace}",
            "Image": part.image,
            "Replicas": str(part.replicas),
            "Calls": ", ".join(part.calls) or "nobody",
            "Called by": ", ".join(part.callers) or "nobody",
        }
        wrong = [label for label, value in right.items() if told[label] != value]
        what = outdated.get(name, "")
        assert wrong == [label for label in right if what.startswith(f"{label} is ")], name
        for label in wrong:
            assert what == f"{label} is {right[label]}, not {told[label]}"
        assert "outdated" not in seen[name]
