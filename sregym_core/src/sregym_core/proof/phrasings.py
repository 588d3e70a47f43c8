"""Phrasings of a ground truth that a judge of diagnoses must pass, and near misses that it must not.

All are made from the truth's own fields and its author's phrases by frames that no judge is asked
about: how people put a finding (in a line, a report, a table, JSON, after what they ruled out).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_core.model import GroundTruth


def phrasings(truth: GroundTruth) -> Mapping[str, str]:
    """Ten ways to say what is wrong, by name of the frame."""
    change, place = truth.changed, f"{truth.kind} {truth.object_name} of {truth.component}"
    wrong = truth.mechanism.replace("-", " ")
    moved = f"{change.what} was {change.before or 'unset'} and is {change.after or 'gone'}"
    victims = ", ".join(truth.affected) or "nobody else"
    cells = (("Component", truth.component), ("Object", f"{truth.kind} {truth.object_name}"), ("Defect", wrong), ("Change", moved))  # fmt: skip
    fields = {"component": truth.component, "kind": truth.kind, "mechanism": wrong, "detail": moved}
    return {
        "line": f"{truth.component}: {wrong} ({moved}).",
        "sentence": truth.sentence(),
        "report": f"## Root cause\n{place}: {wrong}. {moved}.\n\n## Impact\n{truth.impact}",
        "table": "\n".join(f"| {key} | {value} |" for key, value in cells),
        "json": json.dumps({"root_cause": fields, "affected": list(truth.affected)}),
        "symptoms-first": f"{truth.impact} That comes from {place}: {wrong}; {moved}.",
        "former-hypothesis": f"At first I suspected the network, but it is fine. It is {place}: {wrong}; {moved}.",
        "blame": f"The root cause is {place}, namely {wrong}: {moved}. Suffering from it: {victims}.",
        "numbered": f"1. Where: {place}\n2. What: {wrong}\n3. Change: {moved}",
        "note": f"Note for the handover: {wrong} at {truth.component}. In detail, {moved}.",
    }


def near_misses(
    truth: GroundTruth, others: Sequence[GroundTruth], strangers: Sequence[str]
) -> Mapping[str, str]:
    """Ten texts that look like the truth and are not it.

    Args:
        truth: What is wrong.
        others: Truths of other faults, whose mechanisms are none of this one; at least two.
        strangers: Components that have no part in it; at least two.
    """
    wrong = truth.mechanism.replace("-", " ")
    place = f"{truth.kind} {truth.object_name} of {truth.component}"
    foreign = [other.mechanism.replace("-", " ") for other in others[:2]]
    first, second = strangers[:2]
    victim = truth.affected[0] if truth.affected else first
    moved = [
        f"{other.changed.what} was {other.changed.before or 'unset'} and is {other.changed.after or 'gone'}"
        for other in others[:2]
    ]
    return {
        "elsewhere": f"The root cause is {first}: {first} has {wrong}.",
        "elsewhere-too": f"{second}: {wrong}. Nothing else is affected.",
        "other-defect": f"The root cause is in {truth.component}: {foreign[0]}; {moved[0]}.",
        "other-defect-too": f"{truth.component}: {foreign[1]} ({moved[1]}).",
        "victim": f"Root cause: {victim} is broken, its code has a bug. Roll {victim} back.",
        "symptoms": truth.impact or "Some requests fail.",
        "denied": f"It is not true that {truth.sentence()}",
        "guesses": f"It could be {wrong} at {truth.component}, or {foreign[0]} at {first}, or {foreign[1]} at {second}; I cannot decide.",
        "cleared": f"{place} is fine, I checked it for {wrong}. The culprit is {first}: {foreign[0]}.",
        "nothing": f"{truth.component} does not work.",
    }
