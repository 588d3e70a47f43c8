"""A ground truth as something that texts can be held against: words, subjects, relations, values."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from sregym_oracle_checklist.concepts import JOINT, relations, spaced, stems, subjects
from sregym_oracle_checklist.removals import true_removals
from sregym_oracle_checklist.values import Values, finder, identifiers, moves, of_change
from sregym_oracle_checklist.wordings import Part, Predicate, Wording

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_core.model import GroundTruth

# Fields of the API: every object has them.
_PATH = re.compile(r"\b(?:spec|metadata|status|rules|containers?)[.\[]\S*")
# Kinds that most components have: the word alone tells nothing.
_USUAL_KINDS = frozenset(
    {"deployment", "deployments", "service", "pod", "pods", "configmap", "node"}
)


class Profile:
    """What a text has to speak of, to be about one ground truth.

    Args:
        truth: The root cause.
        others: Further root causes of the same problem; what is theirs is no rival.
    """

    def __init__(self, truth: GroundTruth, others: tuple[GroundTruth, ...] = ()) -> None:
        change = truth.changed
        self.truth = truth
        self.components = tuple(name.strip() for name in truth.component.split(";"))
        self.allowed = frozenset(
            name.strip()
            for one in (truth, *others)
            for part in (one.component, *one.contributing)
            for name in part.split(";")
        )
        self.affected = frozenset(truth.affected) - set(self.components)
        self.elsewhere = frozenset(one.component for one in others) - set(self.components)
        told = (truth.mechanism, *truth.mechanism_phrases)
        self._called = [
            (name, re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])", re.IGNORECASE))
            for name in (truth.object_name, *self.components)
            if name and " " not in name
        ]
        self.phrases = tuple(dict.fromkeys(spaced(self.as_named(phrase)) for phrase in told))
        self.detail = " ".join(filter(None, (change.what, change.before, change.after)))
        parts = " ".join([*self.components, *truth.affected, truth.namespace]).lower()
        # Naming the object says nothing of its new value yet.
        # Of a plain word like `coredns` phrases speak, too.
        compound = re.fullmatch(r"\w+(?:-\w+)+", truth.object_name)
        own = compound and truth.object_name not in self.components
        self._object_named = truth.object_name if own else ""
        self.after = Values(
            change.after,
            change.before,
            f"{parts} {self._object_named.lower()} {change.what.lower()}",
        )
        self.before = Values(change.before, change.after, parts)
        telling = _PATH.sub(" ", change.what)
        self.names = frozenset(v for v in identifiers(telling) if v not in parts)
        # Names like `WAF_RULE_REGEX` stand for one thing; fields like `dnsPolicy` every pod has.
        self.own_names = frozenset(n for n in self.names if re.search(r"[_\d]", n))
        self.object_name = truth.object_name.lower()
        self.kind = re.sub(r"\W.*", "", truth.kind).lower()
        self.telling_kind = self.kind not in _USUAL_KINDS
        self.others = others

    def as_named(self, text: str) -> str:
        """A text with names as the API has them, however its author writes them: `CoreDNS`."""
        for name, found in self._called:
            text = found.sub(lambda _, name=name: name, text)  # type: ignore[misc]
        return text

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The faults of a ground truth that lists several, with `;`; none for a single one."""
        change = self.truth.changed
        told = self.truth.mechanism.partition(":")[2] or self.truth.mechanism
        fields = [
            [piece.strip() for piece in text.split(";")]
            for text in (told, change.what, change.before, change.after)
        ]
        if len(fields[0]) == 1 or len({len(field) for field in fields}) > 1:
            return ()
        known = " ".join([*self.components, *self.truth.affected])
        return tuple(
            Part(phrase, what, before, after, known)
            for phrase, what, before, after in zip(*fields, strict=True)
        )

    @cached_property
    def core(self) -> frozenset[str]:
        """Subjects of the mechanism."""
        return subjects(JOINT.join(self.phrases))

    @cached_property
    def relations(self) -> frozenset[str]:
        """What is wrong, in the mechanism's words, or by what the change did."""
        change = self.truth.changed
        said, moved = relations(JOINT.join(self.phrases)), of_change(change.before, change.after)
        # That a value is another one than before goes for whatever its author says of it.
        found = said | (moved - {"wrong"} if said - {"wrong"} else moved)
        if "zero" in found or change.after.strip() == "0":
            found |= {"zero", "removed"}
        # What refers to something that does not exist is wrong, too.
        return found | {"wrong"} if change.after and "removed" in found else found

    @cached_property
    def known_relations(self) -> frozenset[str]:
        """All that may be said to be wrong: with the thing, by its new value, and as a consequence."""
        told = [
            JOINT.join([*one.phrases, one.truth.changed.after, one.truth.impact])
            for one in self._all()
        ]
        return frozenset().union(*map(relations, told), *(one.relations for one in self._all()))

    @cached_property
    def pole(self) -> str | None:
        """Whether there is too little or too much of something: `low` or `high`; None where neither is."""
        change = self.truth.changed
        poles = {"low", "high"}
        said = relations(JOINT.join(self.phrases)) & poles
        moved = of_change(change.before, change.after) & poles
        found = said | moved
        return next(iter(found)) if len(found) == 1 else None

    @cached_property
    def settings(self) -> frozenset[str]:
        """What the changed field is called where it stands with its value: `CART_ADDR`, `targetPort`."""
        paths = re.findall(r"[A-Za-z_][\w-]*(?:[.\[][\w.=\[\]'-]*)?", self.truth.changed.what)
        last = {re.split(r"[.\[=]", path.rstrip("]'"))[-1].strip("]'") for path in paths}
        return frozenset(
            name.lower() for name in last if re.search(r"_|[a-z][A-Z]", name)
        ) | frozenset(name for name in self.own_names if "_" in name)

    @cached_property
    def counted(self) -> frozenset[str]:
        """What the number is called that was changed: `replicas` of `spec.replicas`."""
        last = re.findall(r"[.](\w+)\b(?![.\[])", self.truth.changed.what)
        return frozenset(name.lower() for name in last) if self.numbers else frozenset()

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Plain numbers on either side of the change, where both are such; none otherwise."""
        change = self.truth.changed
        sides = (change.before.strip(), change.after.strip())
        return frozenset(sides) if all(side.isdigit() for side in sides) else frozenset()

    @cached_property
    def place(self) -> frozenset[str]:
        """Stems of what the defective thing is called: to name it is to say nothing of its defect."""
        truth = self.truth
        return stems(f"{truth.kind} {truth.object_name} {truth.component}")

    @cached_property
    def place_subjects(self) -> frozenset[str]:
        """Subjects that kind and name of the defective thing stand for: `flagd` is of flags."""
        truth = self.truth
        kind = truth.kind if self.telling_kind else ""
        return subjects(JOINT.join([kind, truth.object_name, *self.components]))

    @cached_property
    def gone(self) -> frozenset[str]:
        """Kinds of things whose absence is the defect, or belongs to it."""
        known = (true_removals(one.truth, " . ".join(one.phrases)) for one in self._all())
        return frozenset().union(*known)

    def _all(self) -> list[Profile]:
        return [self, *map(Profile, self.others)]

    @cached_property
    def subjects(self) -> frozenset[str]:
        """All subjects that belong to the incident, its consequences among them."""
        told = [
            JOINT.join([*Profile(one).phrases, Profile(one).own_words, one.impact])
            for one in (self.truth, *self.others)
        ]
        return self.core | subjects(JOINT.join(told))

    @cached_property
    def own_words(self) -> str:
        """The defective thing and its change in the author's words."""
        truth = self.truth
        return f"{self.detail} {truth.kind} {truth.component} {truth.object_name}"

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Stems of mechanism and change."""
        return stems(f"{' '.join(self.phrases)} {self.own_words}")

    @cached_property
    def impact_stems(self) -> frozenset[str]:
        """Stems of what users and callers notice: a text that says no more names no defect."""
        truth = self.truth
        return stems(" ".join([truth.impact, "suffer", *truth.affected, *self.components]))

    @cached_property
    def detail_stems(self) -> frozenset[str]:
        """Stems of the change, without what the defective thing is called."""
        return stems(self.detail) - stems(" ".join(self.components)) - self.place

    def reversed_in(self, text: str) -> bool:
        """Whether a text tells the change in the wrong direction: from the new value to the old one."""
        before, after = self.sides
        change = self.truth.changed
        # Of `get, list` and `list` one is found wherever the other is.
        within, around = change.before in change.after, change.after in change.before
        return any(
            after(old)
            and before(new)
            and (within or not before(old))
            and (around or not after(new))
            for old, new in moves(text)
        )

    def change_in(self, text: str) -> bool:
        """Whether a text tells the true change with both its sides."""
        before, after = self.sides
        return any(before(old) and after(new) for old, new in moves(text))

    def other_change_in(self, text: str) -> bool:
        """Whether a text tells a change, and neither side of it is one of the true change."""
        change, told_moves = self.truth.changed, moves(text)
        # That something was or is nothing is said of many fields.
        told = zip((change.before, change.after), self.sides, strict=True)
        sides = [finds for value, finds in told if value] or list(self.sides)
        return bool(told_moves) and not any(
            finds(side) for move in told_moves for side in move for finds in sides
        )

    def other_value_in(self, text: str) -> bool:
        """Whether a text tells a change from the true old value to another one than the true new one."""
        before, after = self.sides
        theirs = [Profile(one).sides for one in self.others]
        return any(
            before(old) and not after(new) and not any(was(old) and now(new) for was, now in theirs)
            for old, new in moves(text)
        )

    @cached_property
    def sides(self) -> tuple[Callable[[str], bool], Callable[[str], bool]]:
        """What finds the old and the new value in a text; nothing does where there is none."""
        change = self.truth.changed
        return finder(change.before, self.before), finder(change.after, self.after)

    def says_own_words(self, text: str) -> bool:
        """Whether a text has all words of one of the author's phrases, in any inflection."""
        text = self.as_named(self.without_name(text))
        bag, said = stems(text), f" {' '.join(spaced(text).split())} "
        return any(
            # One word with content tells nothing without those around it: `no Service`.
            words <= bag
            if len(words) > 1 and words - self.place
            else f" {' '.join(phrase.split())} " in said
            for phrase in self.phrases
            if (words := stems(phrase)) and not (words <= self.place and _only_names(phrase))
        )

    def says_mechanism(self, text: str) -> float:
        """The share of the mechanism's content that a text has, by word or by meaning, 0 to 1."""
        text = self.as_named(text)
        bag, about, wrong = stems(text), subjects(text), relations(text)
        return max((phrase.share(bag, about, wrong) for phrase in self._wordings), default=0.0)

    def without_name(self, text: str) -> str:
        """A text without the name of the defective object: `geo-deny-all` is a name and denies nothing yet."""
        name = self._object_named
        if not name:
            return text
        return re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", " ", text, flags=re.IGNORECASE)

    def says_what_is_wrong(self, text: str) -> float:
        """The share of what the author says of the thing and its field, without these themselves, 0 to 1."""
        text = self.as_named(self.without_name(text))
        bag, about, wrong = stems(text), subjects(text), relations(text)
        return max((one.share(bag, about, wrong) for one in self._predicates), default=0.0)

    @cached_property
    def _predicates(self) -> list[Predicate]:
        change = self.truth.changed
        named = self.place | stems(f"{change.what} {' '.join(self.truth.affected)}")
        known = self.place_subjects | subjects(change.what)
        return [Predicate(phrase, named, known) for phrase in self.phrases]

    @cached_property
    def _wordings(self) -> list[Wording]:
        return [
            Wording(phrase, self.place, self.place_subjects)
            for phrase in self.phrases
            if not self._only_place(phrase)
        ]

    def _only_place(self, phrase: str) -> bool:
        return stems(phrase) <= self.place and not relations(phrase)


def _only_names(phrase: str) -> bool:
    """Whether each word of a phrase has a content, so that nothing is said of it: `webhook image policy`."""
    return all(stems(word) for word in phrase.split())
