"""Who is blamed in so many words, and who is blamed besides."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_oracle_checklist.concepts import subjects
from sregym_oracle_checklist.profile import Profile

if TYPE_CHECKING:
    from sregym_oracle_checklist.naming import Mention, Names

_WINDOW_AHEAD, _WINDOW_BACK = 70, 90
_CAUSE = (
    r"(?:root )?(?:cause|culprit|origin|source|offender|problem|fault|defect|trigger|troublemaker)"
)
_BLAMED_BEFORE = re.compile(
    r"(?:is|was|are|were|being|=|makes? (?:this|it)|be|itself|as)\s*(?:\w+ ){0,2}?(?:the |a |clearly |obviously |simply |what is )?"
    rf"(?:{_CAUSE}|broken|faulty|defective|misconfigured|to blame|at fault|responsible|overloaded|guilty|what\W+s wrong)\b"
    r"|\b(?:must have|= root cause|is where the)\b|\bshares? the blame\b",
    re.IGNORECASE,
)
_BLAMED_AFTER = re.compile(
    rf"\b{_CAUSE}s?(?: \w+){{0,5}}?\s*(?::|=|\bis\b|\bwas\b|\bare\b|\blies\b|\bsits\b|->|→|therefore)\W*(?:therefore|thus|hence|clearly|with|in|on|at|that|the|a|an)?\b"
    r"|\bcaused by|\bdue to|\bblame|\bbecause of|\bdefective is|\bwrong is|\bbrought down by|\btriggered by|\bcomes? from|\bdown to|\bfault of"
    r"|\bI (?:blame|hold)|\bcomponent\b\W*|\bbug in\b|\bdefect in\b|\bproblem (?:is |lies )?(?:in|with)\b",
    re.IGNORECASE,
)
_NEXT_CLAUSE = re.compile(r"[.;]|\bbecause\b|, (?:which|so|since)")
_LAST_CLAUSE = re.compile(r"[.;]|, ")
# Parts of clusters and teams that no application lists, but that texts blame.
_OUTSIDE = re.compile(
    r"\b(?:kube-?scheduler|scheduler|kubelet|kube-proxy|cni|calico(?:-node)?|provisioner|etcd|api ?server|coredns|operator|autoscaler"
    r"|metrics-server|developers?|node capacity|cluster is undersized|istio|prometheus|load generator|ingress|containerd|nodes?|garbage collector|jvm)\b",
    re.IGNORECASE,
)
_BESIDES = re.compile(
    r"\b(?:also|too|as well|share|likewise|second|equally|in addition|besides|furthermore|should|ought|both|moreover|additionally|part of|worse|plus)\b",
    re.IGNORECASE,
)
_ACCUSES = re.compile(
    r"\b(?:blam\w+|at fault|responsib\w+|guilty|root causes?|culprits?|complicit|defect\w*|fault lies|share\w*|also (?:wrong|broken|misconfigured|faulty)"
    r"|(?:should|must|ought to|has to|have to|needs? to) (?:also |likewise |both )?(?:be )?(?:fix|replac|tun|correct|repair|chang|upgrad|rais|revis)\w*"
    r"|second cause|contribut\w+|part of the problem)\b",
    re.IGNORECASE,
)
_FOUND_FAULT = re.compile(
    r"\b(?:broken|misconfigured|wrong\w*|incorrect\w*|should|shouldn't|ought|must|needs?|too (?:slow|small|low|high|strict|short|long|few|many|weak|old)"
    r"|weak\w*|poor\w*|bad\w*|involved|failed to|lacks?|aggravat\w*|worse\w*|flaw\w*|problem|insufficient|undersized|unhealthy|suspicious)\b",
    re.IGNORECASE,
)


class AccusedPlaces:
    """Finds the truth's place and others' in pieces of text.

    Args:
        profile: The ground truth.
        names: Components of the application.
    """

    def __init__(self, profile: Profile, names: Names) -> None:
        self._profile = profile
        self._names = names
        # `the user is missing` of an author is not the component called user.
        self._phrases = tuple(p.lower() for p in profile.truth.mechanism_phrases if " " in p)
        self._found: dict[str, list[Mention]] = {}
        truth = profile.truth
        self._described = [name for name in profile.components if " " in name]
        self._about = subjects(self._described[0]) if self._described else frozenset()
        self._own = " ".join(
            text
            for one in (profile, *map(Profile, profile.others))
            for text in (one.own_words, *one.phrases, *one.truth.mechanism_phrases)
        ).lower()
        self._objects = re.compile(
            rf"\b{re.escape(profile.kind)}s?\b[ :`'\"/]+([\w.]*[-_][\w.-]*)", re.IGNORECASE
        )
        change = truth.changed
        # What the change itself names is told with it: `the address points to cart:8080`.
        self._valued = frozenset(
            m.component for m in self._find(f"{change.what} ; {change.before} ; {change.after}")
        )
        self._kind_subjects = subjects(truth.kind) if profile.telling_kind else frozenset()

    def _find(self, text: str) -> list[Mention]:
        """Components named in a piece; the same pieces are asked for often."""
        if text not in self._found:
            low = text.lower()
            spans = [
                (at.start(), at.end())
                for phrase in self._phrases
                for at in re.finditer(re.escape(phrase), low)
            ]
            self._found[text] = [
                m
                for m in self._names.find(text)
                if m.component in self._profile.components
                or not any(start <= m.start and m.end <= end for start, end in spans)
            ]
        return self._found[text]

    def without_names(self, text: str) -> str:
        """A text in which no components are named."""
        kept, end = [], 0
        for mention in self._names.find(text):
            kept.append(text[end : mention.start])
            end = mention.end
        return "".join((*kept, text[end:]))

    def truth_in(self, text: str) -> bool:
        """Whether a piece names the defective thing: its component, kind, object or field."""
        low = text.lower()
        if self._described:
            if self._about & subjects(text):
                return True
        elif any(m.component in self._profile.components for m in self._find(text)):
            return True
        ours = set(self.rivals_in(text)) <= self._profile.affected | self._valued
        if self._kind_subjects and ours and self._kind_in(text) and not self.other_object(text):
            return True
        name = self._profile.object_name
        if re.search(r"[-_\d]", name) and name in low:
            return True
        if any(name in low for name in self._profile.own_names):
            return True
        # A field that other components have, too, is the truth's only where no other is named.
        return any(name in low for name in self._profile.names) and not any(
            m.component not in self._profile.allowed | self._profile.affected and not m.address
            for m in self._find(text)
        )

    def other_object(self, text: str) -> bool:
        """Whether another object of the truth's kind is called by its name: `ConfigMap stock-config`."""
        found = {m[1].lower().strip(".-") for m in self._objects.finditer(text)}
        own = {self._profile.object_name, *map(str.lower, self._profile.allowed)}
        return bool(found) and not found & own

    def _kind_in(self, text: str) -> bool:
        joined = re.sub(r"[ -]", "", text.lower())
        return self._profile.kind in joined or bool(self._kind_subjects & subjects(text))

    def rivals_in(self, text: str) -> list[str]:
        """Components of the application that have no part in the cause."""
        allowed = self._profile.allowed
        return [
            m.component
            for m in self._find(text)
            if m.component not in allowed
            and not any(m.component in part for part in allowed if " " in part)
        ]

    def uninvolved_in(self, text: str) -> list[str]:
        """Components that neither cause nor suffer."""
        spared = self._profile.affected | self._valued
        return [name for name in self.rivals_in(text) if name not in spared]

    def outsiders_in(self, text: str) -> list[str]:
        """Parts of the cluster that the ground truth does not speak of."""
        found = (m[0].lower() for m in _OUTSIDE.finditer(text))
        return [name for name in found if name not in self._own]

    def first_in(self, text: str) -> str | None:
        """The first component named, but for those by which the truth's place is described."""
        found = (m.component for m in self._find(text))
        return next((n for n in found if not any(n in place for place in self._described)), None)

    def verdicts(self, text: str) -> list[bool]:
        """For each time that a sentence says who is to blame, whether that is the truth's place."""
        found: list[bool] = []
        for match in _BLAMED_AFTER.finditer(text):
            tail = _NEXT_CLAUSE.split(text[match.end() :])[0][:_WINDOW_AHEAD]
            name = self.first_in(tail)
            if name is not None:
                if name in self._profile.elsewhere:  # a further root cause is no error
                    continue
                right = name in self._profile.components
                found.append(right or (self.truth_in(tail) and not self.rivals_in(tail)))
            elif self.truth_in(tail):
                found.append(True)
            elif self.outsiders_in(tail):
                found.append(False)
        for match in _BLAMED_BEFORE.finditer(text):
            head = _LAST_CLAUSE.split(text[: match.start()])[-1][-_WINDOW_BACK:]
            if self.truth_in(head):
                found.append(True)
            elif self.outsiders_in(head) or any(
                m.component not in self._profile.elsewhere for m in self._find(head)
            ):
                found.append(False)
        return found

    def besides(self, text: str) -> bool:
        """Whether a sentence adds a component to what was said: `also`, `both`, `should`."""
        return bool(self.rivals_in(text)) and _BESIDES.search(text) is not None

    def accused_besides(self, text: str) -> bool:
        """Whether a sentence blames a component that has no part in it."""
        strange = self.uninvolved_in(text) or self.outsiders_in(text)
        return bool(strange or self.besides(text)) and _ACCUSES.search(text) is not None

    def faulted(self, text: str) -> bool:
        """Whether a sentence finds fault with a component that has no part in it."""
        strange = self.uninvolved_in(text) or self.outsiders_in(text)
        found = _FOUND_FAULT.search(text) or _ACCUSES.search(text) or _BESIDES.search(text)
        return bool(strange) and found is not None
