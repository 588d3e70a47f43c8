"""The nine answers from a structured diagnosis, compared field by field."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_oracle_checklist.answer_rules import answers_from_text
from sregym_oracle_checklist.concepts import spaced, subjects
from sregym_oracle_checklist.details import gives_detail
from sregym_oracle_checklist.naming import KIND_WORD
from sregym_oracle_checklist.profile import Profile
from sregym_oracle_checklist.values import numbers
from sregym_oracles import Answer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.model import Claims, GroundTruth

    from sregym_oracle_checklist.answer_rules import Case
    from sregym_oracle_checklist.naming import Names


# A phrase with so much of a mechanism's content says the same.
MOST_WORDS = 0.75
# No claim needs more characters for a field, or more names in a list; work on both is bounded.
MAX_FIELD, MAX_NAMES = 2_000, 200
# Claims with so many components that have no part in it name no origin.
MANY_INNOCENTS = 4
# So many words tell what happens; fewer are the name of a kind of defect.
FEWEST_WORDS = 5
_NEGATION = re.compile(r"\b(?:not|no|never|neither|nor|without|cannot)\b|n't\b", re.IGNORECASE)
_KIND = re.compile(rf"(?:the|{KIND_WORD}|daemonset|statefulset|node|operator)", re.IGNORECASE)


def is_scorable(claims: Claims | None) -> bool:
    """Whether claims say enough to be scored; else the text is."""
    return claims is not None and bool(claims.component.strip()) and bool(claims.mechanism.strip())


def answers_from_claims(claims: Claims, case: Case, text: str = "") -> list[Answer]:
    """Answers to all nine questions.

    Args:
        claims: The claims whose fields decide.
        case: What they are held against.
        text: What was submitted with them; it decides of the mechanism where the field leaves it open.
    """
    truth, names = case.truth, case.names
    component = _exactly(claims.component, names)
    if claims.component.strip().lower() == truth.component.lower():
        component = truth.component  # a described place, as `the node that runs stock`
    here = not claims.namespace or claims.namespace == truth.namespace
    named = component == truth.component and here
    contributing = _all(claims.contributing, names)
    extra = [n for n in contributing if n not in case.allowed()]
    blamed = f"component {claims.component!r}"
    affected = _all(claims.affected, names)
    drawn_in = [n for n in affected if n not in case.involved()]
    left_out = [n for n in truth.contributing if n not in contributing]
    right = names_mechanism(claims, truth) or _told_mechanism(claims, case, text)
    kind = not claims.kind or claims.kind.lower() == truth.kind.lower()
    told = [
        field[:MAX_FIELD]
        for field in (claims.detail, claims.before, claims.after, claims.mechanism)
    ]
    detail = gives_detail(" ".join(told), truth)
    overlap = not affected or not truth.affected or bool(set(affected) & set(truth.affected))
    return [
        Answer("component", named, blamed),
        Answer(
            "origin",
            named and len(extra) < MANY_INNOCENTS,  # what is broken may suffer from it, too
            f"{blamed}, contributing: {_list(extra)}",
        ),
        Answer(
            "no-healthy-blamed",
            component in case.allowed() and not extra,
            f"{blamed}, contributing: {_list(extra)}",
        ),
        Answer("mechanism", right, f"mechanism {claims.mechanism!r}"),
        Answer(
            "detail",
            detail is not None and not _other_value(claims, truth),
            f"detail {_change(claims)}",
        ),
        Answer(
            "no-wrong-mechanism",
            right if kind else False,
            f"kind {claims.kind!r}, mechanism {claims.mechanism!r}",
        ),
        Answer(
            "nobody-uninvolved",
            not drawn_in and not extra and component in case.allowed(),
            f"drawn in: {_list([*extra, *drawn_in])}",
        ),
        Answer("contributing", not left_out, f"left out: {_list(left_out)}"),
        Answer("impact", overlap, f"affected: {_list(affected)}"),
    ]


def _change(claims: Claims) -> str:
    """The claimed change, as evidence shows it."""
    change = f", {claims.before!r} -> {claims.after!r}" if claims.before or claims.after else ""
    return f"{claims.detail!r}{change}"


def _other_value(claims: Claims, truth: GroundTruth) -> bool:
    """Whether the value now that is claimed is not the true one, nor a part of it."""
    given, true = (value.strip().lower() for value in (claims.after, truth.changed.after))
    if not given:
        return False
    return given not in true and not (true and true in given) and numbers(given) != numbers(true)


def names_mechanism(claims: Claims, truth: GroundTruth) -> bool:
    """Whether the mechanism of claims is that of a root cause, and no other is named beside it."""
    slug = claims.mechanism[:MAX_FIELD].strip()
    if slug.lower() == truth.mechanism.lower():
        return True
    profile = Profile(truth)
    # As the phrases are: names as the API has them, and fields (`dnsPolicy`) cut into words by their capitals.
    words = spaced(profile.as_named(slug.replace("-", " ")))
    change = truth.changed
    values = [spaced(profile.as_named(one)) for one in (change.what, change.before, change.after)]
    denials = [p.replace("-", " ") for p in (*profile.phrases, *values) if _NEGATION.search(p)]
    if _NEGATION.search(words) and not any(denial in words for denial in denials):
        return False
    if subjects(words) - profile.subjects:
        return False
    return profile.says_mechanism(words) >= MOST_WORDS or profile.says_own_words(words)


def _told_mechanism(claims: Claims, case: Case, text: str) -> bool | None:
    """What sentences in the field of the mechanism say, read as those of a text are; None is undecided.

    Where they leave it open, or the field has a name that may be meant for the mechanism, the text decides.
    """
    told = claims.mechanism[:MAX_FIELD].strip()
    if len(told.split()) >= FEWEST_WORDS:
        answer = _mechanism_in(f"Root cause: {claims.component[:MAX_FIELD]}. {told}", case)
        if answer is not None:
            return answer
    elif _NEGATION.search(told) or subjects(told) - case.profile().subjects:
        return False
    else:
        answer = False
    return (text.strip() and _mechanism_in(text, case)) or answer


def _mechanism_in(text: str, case: Case) -> bool | None:
    return next(one.yes for one in answers_from_text(text, case) if one.question == "mechanism")


def _exactly(name: str, names: Names) -> str:
    """The one component that a field names; a field that holds more than one name names none."""
    if len(name) > MAX_FIELD:
        return name
    words = re.split(r"[\s,;|]+", name.strip())
    found = {names.resolve(word) for word in words}
    if len(found) == 1 and len(words) == 1:
        return found.pop() or name
    mentions = names.find(name)
    if len({mention.component for mention in mentions}) != 1:
        return name
    # What stands beside the name may say what kind of thing it is, and nothing else.
    beside = name
    for mention in reversed(mentions):
        beside = f"{beside[: mention.start]} {beside[mention.end :]}"
    plain = all(_KIND.fullmatch(word) for word in re.findall(r"\w+", beside))
    return mentions[0].component if plain else name


def _all(given: Sequence[str], names: Names) -> list[str]:
    return list(dict.fromkeys(_exactly(name, names) for name in given[:MAX_NAMES]))


def _list(names: Sequence[str]) -> str:
    return ", ".join(names)[:MAX_FIELD] or "nobody"
