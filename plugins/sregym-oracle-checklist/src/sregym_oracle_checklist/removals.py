"""What is said to have been taken away, by kind of thing: a whole object is not one of its keys."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.model import GroundTruth

# Kinds of things that can be taken away, as the API and datastores know them.
_THINGS: Mapping[str, str] = {
    "workload": r"deployments?|statefulsets?|daemonsets?|workloads?",
    "service": r"services?(?: objects?)?|svc",
    "configmap": r"config ?maps?|cm",
    "secret": r"secrets?",
    "claim": r"pvcs?|claims?|persistent ?volumes?|volumes?",
    "account": r"(?:database |db |mongo\w* )?users?|accounts?|logins?",
    "privilege": r"roles?|privileges?|permissions?|grants?|rights?|verbs?",
    "credential": r"passwords?|credentials?",
    "key": r"keys?|entr(?:y|ies)|variables?|fields?|settings?|address(?:es)?",
    "node": r"nodes?|machines?|workers?|hosts?",
    "label": r"labels?",
    "data": r"data|collections?|tables?|columns?|indexes",
    "service account": r"service ?accounts?",
    "class": r"storage ?class(?:es)?|priority ?class(?:es)?",
    "registration": r"registrations?",
}
_ANY = "|".join(_THINGS.values())
_GONE = (
    r"deleted|removed|dropped|missing|gone|lost(?! (?:its|the|their|an?|all|some)\b)|revoked|absent|stripped(?! of\b)|not found|nonexistent"
    r"|(?:does|do)(?:n't| not) exist|no longer exists?|isn't there|taken away"
)
# In `the role of user admin is gone` the role is, and not the user.
_WHOLE = r"(?<!\bof )(?<!\bof the )(?<!\bfrom )(?<!\bfrom the )(?<!\bon )(?<!\bin )(?<!\bfor )"
_BEFORE = r"missing|deleted?|removed|dropped|lost|revoked|lacks|re-?creat(?:e|ed|ing)|took away"
_TRIED = re.compile(
    r"\b(?:I|we) (?:\w+ )?(?:deleted|removed|dropped|stopped|re-?created)\b[^.;,]*", re.IGNORECASE
)
# `role of user admin on stock-db` is a role.
_PART_OF = re.compile(r" (?:of|on|in|for|from|at) ")


# Nothing is said to be gone without one of these.
_ABSENCE = re.compile(rf"{_GONE}|{_BEFORE}", re.IGNORECASE)


@cache
def _said(thing: str) -> re.Pattern[str]:
    words = _THINGS[thing]
    # In `configmap key missing` the key is, and not the ConfigMap.
    named = rf"(?: (?!(?:{_ANY})\b)[`'\"]?[\w./-]+[`'\"]?)?"
    joint = r"(?: (?:was|were|is|are|has|have|had|been|got|also|now|not|that|which|simply|just|(?:of|on|in) [\w./-]+)){0,4}"
    return re.compile(
        rf"(?<![\w-]){_WHOLE}(?:{words})(?![\w-]){named}{joint} (?:{_GONE})(?![\w-])"
        rf"|(?<![\w-])(?:{_BEFORE})(?: (?:the|a|an|its|his|their|required|(?!(?:at|of|on|in|for|from|by|with|to)\b)[`'\"]?\w+[`'\"]?)){{0,2}} (?:{words})(?![\w-])",
        re.IGNORECASE,
    )


def claimed_removals(text: str) -> frozenset[str]:
    """Kinds of things that a text says are gone; what its author took away to see is none."""
    told = _TRIED.sub(" ", text)
    if not _ABSENCE.search(told):
        return frozenset()
    return frozenset(thing for thing in _THINGS if _said(thing).search(told))


def true_removals(truth: GroundTruth, phrases: str) -> frozenset[str]:
    """Kinds of things whose absence is the defect, belongs to it, or follows from it."""
    change = truth.changed
    gone = claimed_removals(" . ".join([phrases, change.after, change.what, truth.impact]))
    if change.after:
        return gone
    # Of an object that is gone its kind is; a field, and a part of something, is gone without it.
    part = _PART_OF.search(change.what)
    whole = change.what[: part.start()] if part else change.what
    if not part and not re.search(r"[.\[]", change.what):
        whole += f" {truth.kind}"
    return gone | {
        thing
        for thing, words in _THINGS.items()
        if re.search(rf"(?<![\w-])(?:{words})(?![\w-])", whole, re.IGNORECASE)
    }
