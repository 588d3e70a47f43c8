"""Words and what they mean in operations: stems, subjects of defects and relations, as data."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib import resources
from typing import Any

import snowballstemmer
import yaml

# libyaml where it is there: ten times faster, same result.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# What stands between clauses of different sentences: no expression goes across.
JOINT = " . "
_WORD = re.compile(r"[a-z][a-z']+|\d[\d.,]*")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# Words without a meaning of their own, and those that every incident has.
_COMMON = frozenset(
    [
        "a",
        "about",
        "above",
        "after",
        "again",
        "against",
        "all",
        "also",
        "am",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "because",
        "been",
        "before",
        "being",
        "below",
        "between",
        "both",
        "but",
        "by",
        "can",
        "cannot",
        "could",
        "did",
        "do",
        "does",
        "doing",
        "down",
        "during",
        "each",
        "every",
        "few",
        "for",
        "from",
        "further",
        "had",
        "has",
        "have",
        "having",
        "he",
        "her",
        "here",
        "hers",
        "him",
        "his",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "itself",
        "just",
        "let",
        "me",
        "more",
        "most",
        "my",
        "no",
        "nor",
        "not",
        "now",
        "of",
        "off",
        "on",
        "once",
        "one",
        "only",
        "or",
        "other",
        "our",
        "out",
        "over",
        "own",
        "per",
        "same",
        "she",
        "should",
        "so",
        "some",
        "such",
        "than",
        "that",
        "the",
        "their",
        "theirs",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "through",
        "to",
        "too",
        "under",
        "until",
        "up",
        "upon",
        "us",
        "very",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "while",
        "who",
        "whom",
        "why",
        "will",
        "with",
        "within",
        "without",
        "would",
        "yet",
        "you",
        "your",
        "spec",
        "data",
        "metadata",
        "name",
        "names",
        "value",
        "field",
        "object",
        "thing",
        "things",
        "set",
        "sets",
        "get",
        "gets",
        "use",
        "uses",
        "used",
        "using",
        "made",
        "make",
        "makes",
        "still",
        "application",
        "app",
        "component",
        "kind",
        "root",
        "cause",
        "problem",
        "issue",
        "incident",
        "error",
        "errors",
        "fail",
        "fails",
        "failed",
        "failing",
        "failure",
        "request",
        "requests",
        "user",
        "users",
        "so",
        "it's",
        "isn't",
        "doesn't",
        "don't",
        "can't",
        "won't",
        "didn't",
        "aren't",
    ]
)


@cache
def _stemmer() -> snowballstemmer.stemmer:
    return snowballstemmer.stemmer("english")


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The stem of an English word, lower case."""
    found: str = _stemmer().stemWord(word.lower().strip("'"))
    return found


def spaced(text: str) -> str:
    """Lower case, with the parts of compound names as words: `targetPort` is `target port`."""
    return re.sub(r"[-_./\[\]{}()=:\"`]+", " ", _CAMEL.sub(" ", text)).lower()


def stems(text: str) -> frozenset[str]:
    """Stems of the words with a content."""
    return frozenset().union(*map(_stems, text.split(JOINT)))


@lru_cache(maxsize=20_000)
def _stems(text: str) -> frozenset[str]:
    low = f"{spaced(text)} {text.lower()}"
    return frozenset(
        stem(word) for word in _WORD.findall(low) if word not in _COMMON and len(word) > 1
    )


@cache
def _table(part: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (name, re.compile(rf"(?<![\w])(?:{'|'.join(words)})(?![\w])"))
        for name, words in _concepts()[part].items()
    )


@cache
def _concepts() -> dict[str, dict[str, list[str]]]:
    text = (resources.files(__package__) / "concepts.yaml").read_text(encoding="utf-8")
    found: dict[str, dict[str, list[str]]] = yaml.load(text, _LOADER)  # noqa: S506 - a safe loader, chosen above
    return found


def subjects(text: str) -> frozenset[str]:
    """What kinds of things a text speaks of."""
    return frozenset().union(*(_senses(part, "subjects") for part in text.split(JOINT)))


def relations(text: str) -> frozenset[str]:
    """What is said to be wrong with things."""
    return frozenset().union(*(_senses(part, "relations") for part in text.split(JOINT)))


@lru_cache(maxsize=20_000)
def _senses(text: str, part: str) -> frozenset[str]:
    shown = _CAMEL.sub(" ", text)
    if part == "subjects":
        shown = f"{shown}\n{spaced(text)}"
    low = shown.lower()
    return frozenset(name for name, pattern in _table(part) if pattern.search(low))
