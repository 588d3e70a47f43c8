"""Phrasings of a ground truth that a judge of diagnoses must pass, and near misses that it must not.

All are made from the structure of truths (place, field, values, consequences) and from their authors'
phrases, by frames that no judge is asked about: how people put a finding in a line, a report, a
table, JSON, after what they ruled out.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from sregym_core.model import Change, GroundTruth

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# What may be wrong anywhere and is no fault's truth: for near misses where no other fault is at hand.
_FOREIGN = (
    ("software licence unpaid", "the licence of the vendor was paid and is overdue"),
    ("daylight saving time mishandled", "the offset of local time was 3600 s and is 7200 s"),
)
_NEIGHBOURS = 3


def phrasings(truth: GroundTruth) -> Mapping[str, str]:
    """Ten ways to say what is wrong, and one for each phrase of the author, by name of the frame."""
    change, place = truth.changed, f"{truth.kind} {truth.object_name} of {truth.component}"
    wrong = _words(truth)
    moved = _moved(change)
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
        "former-hypothesis": f"At first I suspected the load, but it is normal. It is {place}: {wrong}; {moved}.",
        "blame": f"The root cause is {place}, namely {wrong}: {moved}. Suffering from it: {victims}.",
        "numbered": f"1. Where: {place}\n2. What: {wrong}\n3. Change: {moved}",
        "note": f"Note for the handover: {wrong} at component {truth.component}. In detail, {moved}.",
        **{
            f"author: {phrase}": f"The root cause is in {place}: {phrase}."
            for phrase in truth.mechanism_phrases
        },
    }


def near_misses(
    truth: GroundTruth, others: Iterable[GroundTruth], strangers: Sequence[str]
) -> Mapping[str, str]:
    """Texts that look like the truth and are not it, by name of the frame.

    Args:
        truth: What is wrong.
        others: Truths of other faults, best those that the same place may have; those that their
            authors tell in the same words are left out.
        strangers: Components that have no part in it; where there are none, frames that need one are
            left out.
    """
    wrong, change = _words(truth), truth.changed
    place = f"{truth.kind} {truth.object_name} of {truth.component}"
    foreign = [*(_told(other) for other in neighbours(truth, others)), *_FOREIGN]
    victim = next((name for name in truth.affected if name != truth.component), "")
    suffering = f" {', '.join(truth.affected)} suffer." if truth.affected else ""
    texts = {
        **{
            f"other-defect-{number}": f"The root cause is in {place}: {words}; {moved}."
            for number, (words, moved) in enumerate(foreign[:_NEIGHBOURS], 1)
        },
        "denied": f"It is not true that {truth.sentence()}",
        "taken-back": f"{truth.sentence()}\nNone of the above is true.",
        "symptoms": f"{truth.impact or 'Some requests fail.'}{suffering}",
        "guesses": f"It could be {wrong} at {truth.component}, or {foreign[0][0]}, or {foreign[1][0]}; I cannot decide.",
        "vague": f"{truth.component} does not work.",
        "asked": f"Is {wrong} at {truth.component} the cause? That is to be checked.",
        "repaired": f"{place} had {wrong} some weeks ago; that was repaired and is fine now. Today's cause is {foreign[0][0]}.",
    }
    if change.before and change.after:
        back = Change(what=change.what, before=change.after, after=change.before)
        texts["reversed"] = f"The root cause is in {place}: {_moved(back)}."
    if victim:
        texts["victim"] = f"Root cause: {victim} is broken, its code has a bug. Roll {victim} back."
    for number, name in enumerate(strangers[:2], 1):
        texts[f"elsewhere-{number}"] = f"The root cause is {name}: {name} has {wrong}."
    if strangers:
        texts["cleared"] = (
            f"{place} is fine, I checked it for {wrong}. The culprit is {strangers[0]}: {foreign[0][0]}."
        )
    return texts


def neighbours(truth: GroundTruth, others: Iterable[GroundTruth]) -> list[GroundTruth]:
    """Truths of other defects: those of the same kind of object first, each mechanism once."""
    said = _said(truth)
    known: dict[str, GroundTruth] = {}
    for other in others:
        if not said & _said(other) and not _same_change(truth.changed, other.changed):
            known.setdefault(other.mechanism, other)
    return sorted(
        known.values(),
        key=lambda one: (
            one.kind != truth.kind,
            one.object_name != truth.object_name,
            one.changed.what != truth.changed.what,
            one.mechanism,
        ),
    )


def _same_change(one: Change, other: Change) -> bool:
    """Whether two changes leave the same behind, wherever they came from."""
    return (one.what, one.after) == (other.what, other.after)


def _said(truth: GroundTruth) -> set[str]:
    return {_words(truth), *(phrase.lower() for phrase in truth.mechanism_phrases)}


def _told(truth: GroundTruth) -> tuple[str, str]:
    return _words(truth), _moved(truth.changed)


def _words(truth: GroundTruth) -> str:
    return truth.mechanism.replace("-", " ").lower()


def _moved(change: Change) -> str:
    return f"{change.what} was {change.before or 'unset'} and is {change.after or 'gone'}"
