"""Finding components of the application in a text, under all the names that engineers give them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sregym_core.model import Component, GroundTruth


@dataclass(frozen=True)
class Mention:
    """A component named in a text, with the place of the name; an address is `name:port`."""

    component: str
    start: int
    end: int
    address: bool = False


KIND_WORD = (
    r"(?:micro)?services?|svc|deployments?|deploy|pods?|components?|containers?|workloads?|backends?"
    r"|servers?|statefulsets?|instances?|process(?:es)?|configmaps?|replicas?|app|team"
)
# Component names that are also plain words: what stands beside them decides.
PLAIN_WORDS = frozenset(
    [
        "ad",
        "auth",
        "cart",
        "checkout",
        "currency",
        "email",
        "front",
        "home",
        "load",
        "media",
        "order",
        "orders",
        "payment",
        "post",
        "price",
        "product",
        "profile",
        "rate",
        "recommendation",
        "reservation",
        "route",
        "search",
        "seat",
        "shipping",
        "text",
        "travel",
        "url",
        "user",
        "web",
    ]
)
_NOT_BEFORE = re.compile(
    r"(?:\b(?:success|error|failure|request|hit|miss|high|low|arrival|drop|sampling|refresh|hotel|room"
    r"|full[- ]text|each|every|per|a|an|any|some|end|as|failing|failed)\s+)$"
)
_NOT_AFTER = re.compile(
    r"\s*(?:s\b|-(?!service|deployment|pod|svc)\w|of\b|limit|requests?\b|results?\b|quer|operations?\b|page|endpoints? (?:return|fail|is|are)"
    r"|traffic|flow|functionality|path\b|calls?\b|lookups?\b|feature|api\b|experience|visible|facing|journey)"
)
# So many characters on either side decide whether a plain word is a name.
NEIGHBOURHOOD = 40
_USER_LIKE = frozenset({"user", "order", "load", "text", "home", "price", "post", "front", "media"})
_TOKEN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_./:*-]*[A-Za-z0-9])?")
_POD_HASH = re.compile(
    r"-(?:[a-z0-9]{6,10}-[a-z0-9]{5}|[0-9][a-z0-9]{8,9}|[a-z0-9]*[0-9][a-z0-9]{7,9}|x{3,}.*|\d{1,2})$"
)
_SUFFIX = re.compile(
    r"[-_](?:deployment|deploy|service|svc|pods?|container|app|microservice|server)$"
)
_ENGINES = {
    "datastore": r"mongo(?:db)?|databases?|db|data ?stores?|postgres(?:ql)?|mysql",
    "cache": r"memcached?|caches?|mmc|redis",
}

_NAMED = {
    "cache": re.compile(r"memcache|cache"),
    "datastore": re.compile(r"mongo|postgres|mysql|redis|valkey|sql|database"),
}


# Parts of the cluster itself, which no application names: object -> what engineers call it.
_OF_THE_CLUSTER = {
    "coredns": re.compile(
        r"\b(?:core[- ]?dns|kube-dns|cluster(?:'s)?(?: own)? (?:dns|name ?server))\b", re.IGNORECASE
    ),
    "containerd": re.compile(
        r"\b(?:containerd(?:\.service)?|container runtimes?)\b", re.IGNORECASE
    ),
}


class Names:
    """All names of an application's components.

    Args:
        components: The application's.
        ground_truths: Ground truths, whose objects are known by name too.
    """

    def __init__(
        self, components: Iterable[Component], ground_truths: Sequence[GroundTruth] = ()
    ) -> None:
        parts = list(components)
        self.components = tuple(part.name for part in parts)
        self.kinds: Mapping[str, str] = {part.name: part.kind for part in parts}
        self._alias = _aliases(parts, ground_truths)
        self._phrases = [*_system_phrases(ground_truths), *_phrases(parts)]

    def lower(self) -> frozenset[str]:
        """Component names in lower case."""
        return frozenset(name.lower() for name in self.components)

    def resolve(self, word: str) -> str | None:
        """The component that a single word names, whatever is wrapped around the name."""
        text = word.lower().strip("`'\"()[],")
        before, _, last = text.rpartition("/")
        if before and before in self._alias:  # `frontend/geo` names two, and so none
            return None
        text = last
        text = re.sub(r":\d+$", "", text)
        if ".svc" in text or ".cluster" in text or text.count(".") == 1:
            text = text.split(".", 1)[0]
        for _ in range(3):
            if text in self._alias:
                return self._alias[text]
            shorter = _SUFFIX.sub("", _POD_HASH.sub("", text))
            if shorter == text:
                return None
            text = shorter
        return None

    def find(self, text: str) -> list[Mention]:
        """All mentions in order; longer ones hide those inside them."""
        found: list[Mention] = []
        for pattern, component in self._phrases:
            found += [
                Mention(
                    component, m.start(), m.end(), re.match(r":\d", text[m.end() :]) is not None
                )
                for m in pattern.finditer(text)
            ]
        taken = [(mention.start, mention.end) for mention in found]
        for token in _TOKEN.finditer(text):
            if any(start < token.end() and token.start() < end for start, end in taken):
                continue
            owner = self.resolve(token[0])
            if owner is not None and self._is_name(text, token, owner):
                address = re.search(r":\d+$", token[0]) is not None
                found.append(Mention(owner, token.start(), token.end(), address))
        found.sort(key=lambda mention: (mention.start, -mention.end))
        kept: list[Mention] = []
        for mention in found:
            if not kept or mention.start >= kept[-1].end:
                kept.append(mention)
        return kept

    def _is_name(self, text: str, token: re.Match[str], component: str) -> bool:
        before = text[max(0, token.start() - NEIGHBOURHOOD) : token.start()].lower()
        after = text[token.end() : token.end() + NEIGHBOURHOOD].lower()
        if before.endswith(("/", "=")):  # a path of the web, the value of a label
            return False
        if re.search(r"\bnamespace[: =]+[`'\"]?$", before):  # where something is, not what
            return False
        word = token[0].lower()
        if word not in PLAIN_WORDS or component != word:
            return True
        if before.endswith(("`", '"', "'")) or after.startswith(("`", '"')):
            return True
        if re.match(rf"(?:'s)?\s+(?:{KIND_WORD})\b", after) and not re.match(
            r"\s+(?:is|experience)", after
        ):
            return not _NOT_BEFORE.search(before) or word not in _USER_LIKE
        if re.search(rf"\b(?:{KIND_WORD}|component)\s+(?:named |called )?$", before):
            return True
        if _NOT_BEFORE.search(before) or _NOT_AFTER.match(after):
            return False
        if word in _USER_LIKE:
            return bool(
                re.search(r"(?:^|[,>&(:]|\band|\bor|\bby|->)\s*$", before)
                and re.match(
                    r"\s*(?:$|[,.;:)>&]|-+ |and\b|or\b|is\b|cannot\b|can't\b|fails?\b|->)", after
                )
            )
        return True


def _aliases(parts: Sequence[Component], ground_truths: Sequence[GroundTruth]) -> dict[str, str]:
    owners: dict[str, set[str]] = {}

    def add(name: str, component: str) -> None:
        owners.setdefault(name.lower(), set()).add(component)

    for part in parts:
        for name in (part.workload.name, *(ref.name for ref in part.workloads)):
            add(name, part.name)
        for container in part.containers:
            add(container.name, part.name)
        for service in part.services:
            add(service.ref.name, part.name)
        for use in part.config:
            add(use.source.name, part.name)
        for volume in part.volumes:
            add(volume.claim, part.name)
        for account in part.accounts:
            add(account.database, part.name)
        if part.traced_as:
            add(part.traced_as, part.name)
    # A name that several components share names none of them.
    alias = {name: next(iter(those)) for name, those in owners.items() if len(those) == 1}
    for truth in ground_truths:
        if re.search(r"[-_\d]", truth.object_name):
            alias[truth.object_name.lower()] = truth.component
        if truth.object_name in _OF_THE_CLUSTER:
            alias[truth.object_name] = truth.component
        if truth.object_name == "coredns":
            alias["kube-dns"] = truth.component
    for part in parts:
        alias[part.name.lower()] = part.name
        alias[part.name.lower().replace("-", "_")] = part.name
        alias[part.name.lower().replace("-", "")] = part.name
    return alias


def _system_phrases(ground_truths: Sequence[GroundTruth]) -> list[tuple[re.Pattern[str], str]]:
    """What parts of the cluster are called in which a defect lies."""
    known = [truth for truth in ground_truths if truth.object_name in _OF_THE_CLUSTER]
    return [(_OF_THE_CLUSTER[truth.object_name], truth.component) for truth in known]


def _kind(part: Component) -> str:
    """The kind of a component; where nothing but its name is known, by the name."""
    if part.kind != "service":
        return part.kind
    return next((kind for kind, name in _NAMED.items() if name.search(part.name)), part.kind)


def _phrases(parts: Sequence[Component]) -> list[tuple[re.Pattern[str], str]]:
    """Names in several words: `geo's MongoDB`, `the database of geo`, `mongo geo`."""
    phrases = []
    for part in parts:
        engine = _ENGINES.get(_kind(part))
        if "-" in part.name:
            words = r"[ _]".join(re.escape(word) for word in part.name.split("-"))
            phrases.append((re.compile(rf"\b{words}\b(?![-_]\w)", re.IGNORECASE), part.name))
        if engine is None:
            continue
        bases = [*part.callers, part.name.split("-", 1)[-1]]
        base = "|".join(re.escape(b) for b in dict.fromkeys(bases))
        # A `database user` is an account, not the database of a component named user.
        joint = "-" if _USER_LIKE.intersection(bases) else "[- ]"
        own = rf"(?:service|svc)?(?:'s|s')?[ -](?:own )?(?:{engine})\b(?!-)"
        of = (
            rf"\b(?:{engine})(?: (?:instance|server|pod|deployment|service|database|db))?[ ,]+"
            r"(?:(?:for|of|behind|backing|serving|used by|that backs|belonging to) )(?:the )?"
        )
        phrases += [
            (re.compile(rf"(?<![\w-])`?(?:{base})`? ?{own}", re.IGNORECASE), part.name),
            (re.compile(rf"{of}`?(?:{base})`?(?![\w-])", re.IGNORECASE), part.name),
            (re.compile(rf"\b(?:{engine}){joint}(?:{base})(?![\w-])", re.IGNORECASE), part.name),
        ]
    return phrases
