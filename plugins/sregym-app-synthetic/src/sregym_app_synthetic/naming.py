"""Names as people give them: seeded, each once."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from random import Random
from typing import Any

import yaml


@cache
def vocabulary() -> dict[str, Any]:
    """The words, read once; immutable."""
    text = (files(__package__) / "vocabulary.yaml").read_text(encoding="utf-8")
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    words: dict[str, Any] = yaml.load(text, loader)  # noqa: S506 - a safe loader, chosen above
    return words


class Names:
    """Gives names that are unique within the application.

    Args:
        seed: Another seed, other names.
    """

    def __init__(self, seed: int) -> None:
        self._chance = Random(f"{seed} names")  # noqa: S311 - seeded, and no secret
        self._taken: set[str] = set()
        words = vocabulary()
        self.brand: str = self._chance.choice(words["brands"])
        self._aspects = {
            domain: self._chance.sample(words["aspects"], len(words["aspects"]))
            for domain in words["domains"]
        }
        self._shared: list[str] = self._chance.sample(words["shared"], len(words["shared"]))
        self._operations: set[str] = set()

    def domain(self) -> str:
        """One of the fields in which a business has programs."""
        return self._chance.choice(vocabulary()["domains"])  # type: ignore[no-any-return]  # words

    def program(self, domain: str) -> str:
        """A program of a domain; of another where all names of that one are given."""
        domains = vocabulary()["domains"]
        first = domains.index(domain)
        for place in range(len(domains)):
            aspects = self._aspects[domains[(first + place) % len(domains)]]
            while aspects:
                name = f"{domains[(first + place) % len(domains)]}-{aspects.pop()}"
                if name not in self._taken:
                    return self._take(name)
        return self._numbered(domain)

    def shared(self) -> str:
        """A program that many others need."""
        while self._shared:
            name = self._shared.pop()
            if name not in self._taken:
                return self._take(name)
        return self._suffixed(self.domain(), "core", "directory", "catalogue", "registry")

    def gateway(self, number: int) -> str:
        """The gateway for one kind of clients, then for those of a region."""
        words = vocabulary()
        if number < len(words["gateways"]):
            return self._take(words["gateways"][number])
        kinds, place = len(words["gateways"]), number - len(words["gateways"])
        region = words["regions"][(place // kinds) % len(words["regions"])]
        return self._numbered(f"{region}-{words['gateways'][place % kinds]}")

    def worker(self, domain: str) -> str:
        """A program that takes messages."""
        words = vocabulary()["workers"]
        return self._suffixed(domain, *self._chance.sample(words, len(words)))

    def beside(self, owner: str, *words: str) -> str:
        """Something that belongs to a program: `orders-index-db`."""
        return self._suffixed(owner, *words)

    def operation(self, domain: str) -> tuple[str, str]:
        """What users do, and the request's method: `place-orders`, POST."""
        verbs = vocabulary()["verbs"]
        while True:
            method = self._chance.choice(("GET", "GET", "POST"))
            name = f"{self._chance.choice(verbs[method])}-{domain}"
            if name not in self._operations:
                self._operations.add(name)
                return name, method
            domain = self.domain()

    def _suffixed(self, head: str, *tails: str) -> str:
        for tail in tails:
            if f"{head}-{tail}" not in self._taken:
                return self._take(f"{head}-{tail}")
        return self._numbered(f"{head}-{tails[0]}")

    def _numbered(self, name: str) -> str:
        number = 2
        whole = name
        while whole in self._taken:
            whole = f"{name}-{number}"
            number += 1
        return self._take(whole)

    def _take(self, name: str) -> str:
        self._taken.add(name)
        return name
