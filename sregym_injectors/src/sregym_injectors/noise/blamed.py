"""Which noise a diagnosis holds responsible: distractors that were followed.

For the report alone; verdicts know nothing of it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sregym_core.model import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from sregym_core.model import GroundTruth, StageRecord, TimelineEntry


def noise_blamed(
    diagnosis: StageRecord | None,
    entries: Iterable[TimelineEntry],
    ground_truths: Callable[[], Sequence[GroundTruth]],
) -> tuple[str, ...]:
    """Names of the sources whose victims a wrong diagnosis names and the ground truth does not.

    Where a component is claimed, it alone counts; else the text, unless it names a root cause, too.

    Args:
        diagnosis: As submitted and judged.
        entries: The timeline, of which `NoiseMade` counts.
        ground_truths: Gives the ground truths; called where there are claims to compare.
    """
    if diagnosis is None or diagnosis.verdict.outcome is not Outcome.FAIL or not diagnosis.text:
        return ()
    made = [(e.at_s, e.fields) for e in entries if e.event == "NoiseMade"]
    submitted = diagnosis.submitted_at_s
    before = [fields for at_s, fields in made if submitted is None or at_s <= submitted]
    if not before:
        return ()
    right = {
        name.lower() for truth in ground_truths() for name in (truth.component, truth.object_name)
    }
    claimed = "" if diagnosis.claims is None else diagnosis.claims.component.lower()
    text = claimed or diagnosis.text.lower()
    if any(_names(text, name) for name in right):
        return ()
    found = [str(fields["noise"]) for fields in before if _any_named(text, fields, right)]
    return tuple(dict.fromkeys(found))


def _any_named(text: str, fields: Mapping[str, Any], right: set[str]) -> bool:
    subjects = (str(subject).lower() for subject in fields.get("subjects") or ())
    return any(_names(text, subject) for subject in subjects if subject not in right)


def _names(text: str, name: str) -> bool:
    """Whether a name stands in a text by itself: `cart` is not in `cart-db`."""
    return bool(name) and re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is not None
