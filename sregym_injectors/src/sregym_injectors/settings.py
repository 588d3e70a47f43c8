"""Faults in settings of programs: where a setting is written, its value, and how to change it."""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel, ConfigDict
from sregym_core.errors import UsageError
from sregym_core.model import Change, ObjectRef
from typing_extensions import override

from sregym_injectors import commands
from sregym_injectors.component_fault import ComponentFault, not_custom, not_rolling
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.ground_truth import truth_of
from sregym_injectors.manifests import manifest_of
from sregym_injectors.templates import container_patch
from sregym_injectors.workloads import container_of, restart_rollout, roll_out, workload_defects

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_core.interfaces import Application, Command, FaultContext
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import Check, Component, GroundTruth, ProgramSetting

    Objects = Callable[[ObjectRef], KubeObject | None]

_AMOUNT = re.compile(r"^(\d+(?:\.\d+)?)(ms|s|m|h|[KMG]i?B?)?$")
_UNITS: Mapping[str | None, float] = {
    **{None: 1.0, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0},
    **{f"{letter}{rest}": 1024.0**power for power, letter in enumerate("KMG", 1) for rest in ("", "i", "B", "iB")},
}  # fmt: skip


@dataclass(frozen=True)
class SettingLocation:
    """The location of a setting's value.

    Attributes:
        ref: The workload, or the ConfigMap that feeds its environment.
        path: Field of the object, for people.
        key: Variable, key of the ConfigMap, or field of the container whose words hold it.
        word: Number of the word in that field; None for a variable.
        value: What it is.
    """

    ref: ObjectRef
    path: str
    key: str
    word: int | None
    value: str


def locate_setting(
    objects: Objects, component: Component, setting: ProgramSetting
) -> SettingLocation | None:
    """Locate a setting of a component; None if its program uses its own default.

    Args:
        objects: Gives objects by their addresses: those of the cluster, or manifests.
        component: The component whose container reads it.
        setting: Which.
    """
    ref = component.workload
    workload = objects(ref)
    container = None if workload is None else container_of(workload, component.container)
    if container is None:
        return None
    path = f"containers[name={component.container}]"
    if setting.argument:
        for part in ("command", "args"):
            for index, word in enumerate(container.get(part) or ()):
                if found := re.search(setting.argument, word):
                    return SettingLocation(ref, f"{path}.{part}[{index}]", part, index, found[0])
        return None
    for entry in reversed(container.get("env") or ()):
        if entry["name"] == setting.name:
            given = (entry.get("valueFrom") or {}).get("configMapKeyRef")
            if given is not None:
                return _in_map(objects, component, given["name"], given["key"])
            if "value" in entry:
                where = f"{path}.env[name={setting.name}]"
                return SettingLocation(ref, where, setting.name, None, str(entry["value"]))
            return None
    for source in reversed(container.get("envFrom") or ()):
        name = (source.get("configMapRef") or {}).get("name", "")
        key = setting.name.removeprefix(source.get("prefix", ""))
        if name and (place := _in_map(objects, component, name, key)):
            return place
    return None


def _in_map(objects: Objects, component: Component, name: str, key: str) -> SettingLocation | None:
    ref = ObjectRef(api_version="v1", kind="ConfigMap", namespace=component.namespace, name=name)
    data = (objects(ref) or {}).get("data") or {}
    return (
        SettingLocation(ref, f"data[{key!r}]", key, None, str(data[key])) if key in data else None
    )


def amount(text: str) -> float | None:
    """What `30`, `50ms` or `400MiB` come to; infinity for `off`, None for a text that is no amount."""
    if text.strip().lower() == "off":
        return math.inf
    found = _AMOUNT.match(text.strip())
    return None if found is None else float(found[1]) * _UNITS[found[2]]


def duration_for(setting: ProgramSetting, text: str) -> str:
    """A duration as a setting is written: a bare number where its name has the unit milliseconds."""
    found = amount(text)
    if found is None or not setting.name.endswith("_MS") or text.strip().isdecimal():
        return text
    return f"{found * 1000:.10g}"


def nearer_to_wrong(live: str, right: str, wrong: str) -> bool:
    """Whether a value is nearer to the wrong value than to the right one, by ratio."""
    if live == wrong:
        return True
    found, good, bad = amount(live), amount(right), amount(wrong)
    if found is None or good is None or bad is None or math.isinf(good):
        return False
    if math.isinf(bad):
        return math.isinf(found)
    middle = math.sqrt(good * bad) if good > 0 and bad > 0 else (good + bad) / 2
    return (found - middle) * (bad - good) > 0


def settings_of(component: Component, *roles: str) -> tuple[ProgramSetting, ...]:
    """Settings of a component with these roles."""
    return tuple(setting for setting in component.settings if setting.role in roles)


class SettingParameters(BaseModel):
    """Parameters of faults in settings."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class SettingFault(ComponentFault):
    """Base of faults that give settings of a component's program other values.

    Attributes:
        roles: What the settings decide that it may change.
        decisive: Of these, those whose wrong value is the defect; empty: all that it changes.
        lacking: Why it does not fit a component without such a setting.
        mechanism: `mechanism` of the ground truth.
        phrases: Synonyms of the mechanism in diagnoses.
        symptoms: What else is seen.
        expected: What holds again once it is repaired.
    """

    layer: ClassVar[str] = "application"
    roles: ClassVar[tuple[str, ...]]
    decisive: ClassVar[tuple[str, ...]] = ()
    lacking: ClassVar[str]
    mechanism: ClassVar[str]
    phrases: ClassVar[tuple[str, ...]]
    symptoms: ClassVar[tuple[str, ...]] = ()
    expected: ClassVar[str]

    class Parameters(SettingParameters):
        """What all have."""

    @abstractmethod
    def wrong(self, context: FaultContext) -> dict[ProgramSetting, str]:
        """Settings and the values that they get; from manifests and parameters alone."""

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := not_custom(component) or not_rolling(component):
            return reason
        return "" if settings_of(component, *(self.decisive or self.roles)) else self.lacking

    @override
    def inject(self, context: FaultContext) -> None:
        change_settings(Edits(context), context, self.wrong(context))

    @override
    def present(self, context: FaultContext) -> Check:
        ref = context.component.workload
        found = workload_defects(context.cluster, ref)
        for setting, value in self.wrong(context).items():
            if self.decisive and setting.role not in self.decisive:
                continue
            live = locate_setting(context.cluster.get, context.component, setting)
            right = right_value(context, setting)
            if live is not None and nearer_to_wrong(live.value, right, value):
                found.append(f"{live.ref} {live.path} is {live.value!r}, not {right!r}")
        return defect_check(self.expected, found)

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        wrong = self.wrong(context)
        first = next(
            (s for s in wrong if s.role in (self.decisive or self.roles)), next(iter(wrong))
        )
        place = right_location(context, first)
        named = tuple(f"{setting.name} {value}" for setting, value in wrong.items() if setting.name)
        return truth_of(
            context,
            place.ref,
            self.mechanism,
            (*self.phrases, *named, *_where(place)),
            Change(what=place.path, before=place.value, after=wrong[first]),
            *self.symptoms,
        )

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        component, wrong = context.component, self.wrong(context)
        found: list[Command] = []
        places = [right_location(context, setting) for setting in wrong]
        maps = dict.fromkeys(place.ref for place in places if place.ref.kind == "ConfigMap")
        for ref in maps:
            data = {place.key: place.value for place in places if place.ref == ref}
            found.append(commands.patch(ref, {"data": data}, "merge"))
            found += commands.restart_and_wait(readers(context.application, ref))
        if any(place.ref == component.workload for place in places):
            manifest = manifest_of(context.application, component.workload)
            container = container_of(manifest, component.container) or {}
            right: dict[str, Any] = {
                key: container[key] for key in ("command", "args", "env") if key in container
            }
            found.append(commands.patch(component.workload, container_patch(component, right)))
            found.append(commands.rollout_status(component.workload))
        return tuple(found)


def _where(place: SettingLocation) -> tuple[str, ...]:
    """What is wrong by the place where it stands."""
    if place.ref.kind == "ConfigMap":
        return (f"wrong value of {place.key} in ConfigMap {place.ref.name}",)
    if place.word is not None:
        return ("wrong argument of the command",)
    return (f"wrong environment variable {place.key}",)


def right_location(context: FaultContext, setting: ProgramSetting) -> SettingLocation:
    """Where a setting stands by the manifests.

    Raises:
        UsageError: They do not say it.
    """
    place = locate_setting(context.application.manifest, context.component, setting)
    if place is None:
        raise UsageError(
            f"component {context.component.name!r}: no manifest gives its setting {setting.name!r} a "
            "value; give it one in the environment or the command of its container"
        )
    return place


def right_value(context: FaultContext, setting: ProgramSetting) -> str:
    """What a setting is by the manifests."""
    return right_location(context, setting).value


def readers(application: Application, ref: ObjectRef) -> tuple[ObjectRef, ...]:
    """Workloads whose pods read a ConfigMap."""
    return tuple(
        part.workload
        for part in application.components()
        if any(use.source == ref for use in part.config)
    )


def change_settings(
    edits: Edits, context: FaultContext, values: Mapping[ProgramSetting, str]
) -> None:
    """Give settings of a component other values, and restart the workloads that read them."""
    component = context.component
    maps: dict[ObjectRef, dict[str, str]] = {}
    env: list[dict[str, Any]] = []
    words: dict[str, list[str]] = {}
    live = edits.read(component.workload)
    for setting, value in values.items():
        place = right_location(context, setting)
        if place.ref.kind == "ConfigMap":
            maps.setdefault(place.ref, {})[place.key] = value
        elif place.word is None:
            env.append({"name": place.key, "value": value})
        else:
            container = container_of(live, component.container) or {}
            line = words.setdefault(place.key, list(container[place.key]))
            line[place.word] = re.sub(setting.argument, value, line[place.word])
    for ref, data in maps.items():
        edits.patch(ref, {"data": data}, "merge")
        restart_rollout(edits, readers(context.application, ref))
    if env or words:
        changed = {**({"env": env} if env else {}), **words}
        roll_out(edits, component.workload, container_patch(component, changed))
