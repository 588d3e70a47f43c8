"""Clients besides the usual ones: a crawler, the visitors of a campaign, one that gets it wrong.

Each is a second load generator under a name of its own, made from the manifest of the first, so the
application's own stays as it is, and what it measures is what its users see.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from copy import deepcopy
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.model import ROLLING_KINDS
from sregym_injectors.noise import Disturbance, Schedule
from sregym_injectors.settings import SettingLocation, locate_setting
from sregym_injectors.workloads import container_of
from sregym_kubernetes.changes.delivery import DELIVERERS, Delivery

if TYPE_CHECKING:
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import Component, ProgramSetting
    from sregym_injectors.noise import Occurrence

_AMOUNTS = ("rate", "users")
_ADDRESS = re.compile(r"(://[\w.-]+:)(\d+)")


class Visitors(Disturbance):
    """What clients besides the usual ones have in common."""

    family: ClassVar[str] = "load"
    schedule: ClassVar[Schedule] = Schedule(pause_s=(240.0, 480.0), lasts_s=(120.0, 300.0))
    called: ClassVar[tuple[str, ...]]

    @abstractmethod
    def shaped(self, occurrence: Occurrence, generator: Generator) -> bool:
        """Make of the generator what these visitors do; False where it cannot be."""

    def begin(self, occurrence: Occurrence) -> str:
        """One Deployment more, beside the load generator."""
        generators = [
            part
            for part in occurrence.context.application.components()
            if part.kind == "load" and part.workload.kind in ROLLING_KINDS
        ]
        if not generators:
            return ""
        part = occurrence.chance.choice(generators)
        manifest = occurrence.context.application.manifest(part.workload)
        if manifest is None:
            return ""
        generator = Generator(occurrence, part, manifest)
        if not self.shaped(occurrence, generator):
            return ""
        ref = occurrence.create(
            generator.named(occurrence.chance.choice(self.called)), DELIVERERS[Delivery.APPLY]
        )
        return f"{ref} visits {occurrence.context.application.name}"


class Generator:
    """The manifest of a second load generator, which can be given other settings.

    Args:
        turn: For whom it is made.
        part: The first.
        manifest: Of the first.
    """

    def __init__(self, occurrence: Occurrence, part: Component, manifest: KubeObject) -> None:
        self._occurrence = occurrence
        self._part = part
        self._manifest = deepcopy(manifest)

    @property
    def weights(self) -> list[ProgramSetting]:
        """Settings that say how often each operation is asked for."""
        return [setting for setting in self._part.settings if setting.role == "weight"]

    def multiply(self, times: float) -> bool:
        """Ask so many times as much; False where no setting says how much it asks."""
        found = False
        for setting in self._part.settings:
            place = self._placed(setting)
            if setting.role in _AMOUNTS and place is not None:
                self.set(setting, str(max(1, round(float(place.value) * times))))
                found = True
        return found

    def set(self, setting: ProgramSetting, value: str) -> None:
        """Give a setting of the container another value."""
        place = self._placed(setting)
        container = self._container
        if place is None or container is None or place.ref != self._part.workload:
            return
        if place.word is not None:
            words = container[place.key]
            words[place.word] = re.sub(setting.argument, value, words[place.word], count=1)
            return
        for entry in container["env"]:
            if entry["name"] == setting.name:
                entry["value"] = value

    def misdirect(self) -> bool:
        """Let it ask at a port at which no process listens; False where no port is said."""
        container = self._container
        if container is None:
            return False
        texts = [*(container.get("command") or ()), *(container.get("args") or ())]
        values = [str(entry.get("value", "")) for entry in container.get("env") or ()]
        if not any(_ADDRESS.search(text) for text in (*texts, *values)):
            return False
        for part in ("command", "args"):
            if part in container:
                container[part] = [_elsewhere(word) for word in container[part]]
        for entry in container.get("env") or ():
            if "value" in entry:
                entry["value"] = _elsewhere(str(entry["value"]))
        return True

    def named(self, name: str) -> KubeObject:
        """The manifest under another name."""
        labels = {"app": name}
        spec = self._manifest["spec"]
        spec["selector"] = {"matchLabels": labels}
        template = spec["template"]
        template["metadata"] = {**(template.get("metadata") or {}), "labels": labels}
        metadata = {"name": name, "namespace": self._part.namespace, "labels": labels}
        self._manifest["metadata"] = metadata
        return self._manifest

    @property
    def _container(self) -> dict[str, Any] | None:
        return container_of(self._manifest, self._part.container)

    def _placed(self, setting: ProgramSetting) -> SettingLocation | None:
        return locate_setting(self._occurrence.context.application.manifest, self._part, setting)


class Crawler(Visitors):
    """Asks for one operation again and again."""

    name: ClassVar[str] = "crawler"
    title: ClassVar[str] = "a crawler asks for one operation again and again"
    called: ClassVar[tuple[str, ...]] = ("sitemap-crawler", "search-indexer", "price-scraper")

    def shaped(self, occurrence: Occurrence, generator: Generator) -> bool:
        """5, 15 or 60 % of the usual load, most of it of one kind."""
        if generator.weights:
            wanted = occurrence.chance.choice(generator.weights)
            for setting in generator.weights:
                generator.set(setting, "96" if setting is wanted else "1")
        return generator.multiply(occurrence.by_level(0.05, 0.15, 0.6))


class Campaign(Visitors):
    """Brings more of the usual visitors."""

    name: ClassVar[str] = "campaign"
    title: ClassVar[str] = "a campaign brings more of the usual visitors"
    called: ClassVar[tuple[str, ...]] = ("newsletter-landing", "autumn-campaign", "partner-promo")

    def shaped(self, occurrence: Occurrence, generator: Generator) -> bool:
        """15, 40 or 120 % more."""
        return generator.multiply(occurrence.by_level(0.15, 0.4, 1.2))


class FailingClient(Visitors):
    """Asks at the wrong port and logs that there is no response."""

    name: ClassVar[str] = "failing-client"
    title: ClassVar[str] = "a client asks at a wrong port; its own log is full of errors"
    called: ClassVar[tuple[str, ...]] = ("partner-sync", "legacy-app-client", "status-widget")

    def shaped(self, occurrence: Occurrence, generator: Generator) -> bool:
        """At 2, 5 or 10 % of the usual rate."""
        generator.multiply(occurrence.by_level(0.02, 0.05, 0.1))
        return generator.misdirect()


def _elsewhere(text: str) -> str:
    return _ADDRESS.sub(lambda found: f"{found[1]}{int(found[2]) + 1000}", text)
