"""Resource types as kubectl finds them: by plural, singular, short name, kind, or category."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ResourceType:
    """One resource type in its preferred version.

    Attributes:
        group: Empty for the core group.
        version: `v1`.
        plural: As in paths.
        kind: Of its objects.
        namespaced: Whether its objects live in namespaces.
    """

    group: str
    version: str
    plural: str
    kind: str
    namespaced: bool

    @property
    def api_version(self) -> str:
        """As objects carry it."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def base(self) -> str:
        """Path of the group version."""
        return f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"

    @property
    def shown(self) -> str:
        """As kubectl names objects of it: `deployment.apps`, `pod`."""
        kind = self.kind.lower()
        return f"{kind}.{self.group}" if self.group else kind

    @property
    def resource(self) -> str:
        """As messages name it: `deployments.apps`, `pods`."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    def path(self, namespace: str | None, name: str = "", subresource: str = "") -> str:
        """Path of the collection or of one object; None for all namespaces."""
        middle = f"/namespaces/{namespace}" if self.namespaced and namespace else ""
        tail = f"/{name}" if name else ""
        return f"{self.base}{middle}/{self.plural}{tail}" + (
            f"/{subresource}" if subresource else ""
        )


class Discovery:
    """What a server offers, from its two aggregated discovery documents."""

    def __init__(self, core: dict[str, Any], groups: dict[str, Any]) -> None:
        self._by_word: dict[str, ResourceType] = {}
        self._by_group_word: dict[tuple[str, str], ResourceType] = {}
        self._by_version_word: dict[tuple[str, str, str], ResourceType] = {}
        self._by_kind: dict[tuple[str, str], ResourceType] = {}
        self._categories: dict[str, list[ResourceType]] = {}
        self._short: dict[str, list[ResourceType]] = {}
        for document in (core, groups):
            for group in document["items"]:
                self._add_group(group)

    def find(self, word: str) -> ResourceType | None:
        """The type that `word` means: `deploy`, `deployments.apps`, `deployments.v1.apps`.

        A short name means the preferred version whichever is named; of a group the beginning of its
        name is enough where no version is named.
        """
        lower = word.lower()
        head, _, group = lower.partition(".")
        short = head in self._short
        if short and not word.startswith(head):
            return None
        if not group:
            return self._by_word.get(head)
        version, versioned, rest = group.partition(".")
        if versioned:
            exact = self._by_version_word.get((rest, version, head))
            exact = exact or (self._by_group_word.get((rest, head)) if short else None)
            if exact is not None:
                return exact
        exact = self._by_group_word.get((group, head))
        return exact or next(
            (
                kind
                for (name, known), kind in self._by_group_word.items()
                if known == head and name.startswith(group)
            ),
            None,
        )

    def also_means(self, word: str) -> list[ResourceType]:
        """The other types that have `word` as their short name."""
        return self._short.get(word, [])[1:]

    def all_of(self, word: str) -> list[ResourceType]:
        """The types that `word` means in all groups, the preferred one first."""
        lower = word.lower()
        first = self._by_word.get(lower)
        others = (kind for (_, name), kind in self._by_group_word.items() if name == lower)
        return list(dict.fromkeys((*([first] if first else ()), *others)))

    def category(self, word: str) -> list[ResourceType]:
        """The types of a category, or none."""
        return self._categories.get(word, [])

    def of_kind(self, api_version: str, kind: str) -> ResourceType | None:
        """The type of objects with this apiVersion and kind."""
        return self._by_kind.get((api_version, kind))

    def _add_group(self, group: dict[str, Any]) -> None:
        name = group["metadata"].get("name", "")
        seen: set[str] = set()
        for version in group["versions"]:
            if version.get("freshness") == "Stale":
                continue
            for entry in version["resources"]:
                plural = entry["resource"]
                kind = entry["responseKind"]
                found = ResourceType(
                    name, version["version"], plural, kind["kind"], entry["scope"] == "Namespaced"
                )
                self._by_kind.setdefault((found.api_version, found.kind), found)
                words = {plural, entry.get("singularResource") or kind["kind"].lower()}
                words.add(kind["kind"].lower())
                for word in sorted(words):
                    self._by_version_word.setdefault((name, found.version, word), found)
                if plural in seen:
                    continue
                seen.add(plural)
                for word in entry.get("shortNames", ()):
                    self._short.setdefault(word, []).append(found)
                self._add_preferred(found, words | {*entry.get("shortNames", ())}, entry)

    def _add_preferred(self, found: ResourceType, words: set[str], entry: dict[str, Any]) -> None:
        for word in sorted(words):
            self._by_word.setdefault(word, found)
            self._by_group_word.setdefault((found.group, word), found)
        for category in entry.get("categories", ()):
            self._categories.setdefault(category, []).append(found)
