"""A ConfigMap has lost a key, or one field of a JSON text in it, and the pods started with that."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.errors import UsageError
from sregym_core.model import Change, Check, Component, ConfigUse, GroundTruth
from sregym_injectors.component_fault import ComponentFault, not_custom, not_load, not_rolling
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.ground_truth import truth_of
from sregym_injectors.manifests import manifest_of
from sregym_injectors.restarts import ClientParameters, clients_of
from sregym_injectors.workloads import restart_rollout
from typing_extensions import override

from sregym_injector_kubernetes.configmap_state import (
    config_defects,
    json_object,
    mounted_configmaps,
)
from sregym_injectors import commands

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_core.interfaces import Application, Command, FaultContext

# Whose address a component can least do without.
_DEPENDENCIES = ("datastore", "queue", "service", "registry", "cache")
# Last of all what says where it serves itself.
_OWN = "itself"


@dataclass(frozen=True)
class _Drift:
    """What is taken away: a field of a JSON text, or the whole key when `field` is empty."""

    use: ConfigUse
    key: str
    field: str
    renamed_to: str
    text: str

    @property
    def place(self) -> str:
        return f"data[{self.key!r}].{self.field}" if self.field else f"data[{self.key!r}]"

    @property
    def value(self) -> str:
        """The lost value as people write it."""
        if not self.field:
            return self.text
        value = (json_object(self.text) or {})[self.field]
        return value if isinstance(value, str) else json.dumps(value)

    def patch(self) -> dict[str, Any]:
        """Merge patch of the ConfigMap that takes it away."""
        if not self.field:
            moved = {self.renamed_to: self.text} if self.renamed_to else {}
            return {"data": {self.key: None, **moved}}
        fields = {
            self.renamed_to if name == self.field else name: value
            for name, value in (json_object(self.text) or {}).items()
            if name != self.field or self.renamed_to
        }
        return {"data": {self.key: json.dumps(fields, indent=2) + "\n"}}

    def repair(self) -> dict[str, Any]:
        """Merge patch of the ConfigMap that brings it back."""
        moved = {self.renamed_to: None} if self.renamed_to and not self.field else {}
        return {"data": {self.key: self.text, **moved}}


class ConfigMapDrift(ComponentFault):
    """Removes or renames one piece of configuration and restarts the component."""

    name: ClassVar[str] = "configmap-drift"
    title: ClassVar[str] = "ConfigMap has lost a key that the component needs"
    layer: ClassVar[str] = "kubernetes"

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            config: Name of the ConfigMap; empty: the first that holds a JSON text.
            key: Key of its data; empty: the first that holds a JSON text.
            field: Field of the JSON text; empty: the address of a store, else of another
                dependency, else the first field.
            renamed_to: New name; empty: removed.
            whole_key: Whether the key itself is removed or renamed and not a field of its text.
        """

        config: str = ""
        key: str = ""
        field: str = ""
        renamed_to: str = ""
        whole_key: bool = False

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := not_load(component) or not_custom(component) or not_rolling(component):
            return reason
        return "" if _candidates(component) else "it mounts no ConfigMap with a JSON text"

    @override
    def inject(self, context: FaultContext) -> None:
        edits, drift = Edits(context), _drift(context)
        edits.patch(drift.use.source, drift.patch(), "merge")
        restart_rollout(edits, (context.component.workload, *clients_of(context)))

    @override
    def present(self, context: FaultContext) -> Check:
        expected = "the pods' ConfigMap has all keys and fields of the manifest"
        return defect_check(expected, config_defects(context, _drift(context).use))

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        drift = _drift(context)
        piece = drift.field or drift.key
        return truth_of(
            context,
            drift.use.source,
            "configmap-key-missing",
            (
                "configmap drift",
                "configuration drift",
                "config drift",
                "missing key in the configmap",
                "configmap lacks a key",
                "configmap is incomplete",
                "required configuration key is missing",
                "missing configuration key",
                "missing config entry",
                "configuration field was removed",
                f"{piece} is missing",
                f"missing {piece}",
                f"no {piece}",
                f"{piece} was removed",
                f"{piece} is not set",
                f"{piece} is empty",
                f"lacks {piece}",
                *_renaming_phrases(piece, drift.renamed_to),
            ),
            Change(what=drift.place, before=drift.value, after=drift.renamed_to),
            "crash loop",
            "CrashLoopBackOff",
        )

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        drift = _drift(context)
        return (
            commands.patch(drift.use.source, drift.repair(), "merge"),
            *commands.restart_and_wait((context.component.workload,)),
            *commands.restart_and_wait(clients_of(context)),
        )


def _renaming_phrases(piece: str, renamed_to: str) -> tuple[str, ...]:
    if not renamed_to:
        return ()
    return (
        f"{piece} was renamed",
        f"{piece} was renamed to {renamed_to}",
        f"{renamed_to} instead of {piece}",
        f"misspelt key {renamed_to}",
        "renamed configuration key",
    )


def _candidates(component: Component) -> list[ConfigUse]:
    return [use for use in mounted_configmaps(component) if any(use.entries.values())]


def _drift(context: FaultContext) -> _Drift:
    parameters = context.parameters
    use = _use(context)
    data = manifest_of(context.application, use.source)["data"]
    keys = tuple(data) if parameters.whole_key else tuple(k for k in data if use.entries.get(k))
    key = parameters.key or keys[0]
    if key not in keys:
        raise UsageError(_unknown(context, "key", key, f"ConfigMap {use.source.name!r}", keys))
    field = ""
    if not parameters.whole_key:
        fields = json_object(data[key]) or {}
        field = parameters.field or _vital_field(context.application, context.component, fields)
        if field not in fields:
            names = tuple(fields)
            raise UsageError(_unknown(context, "field", field, f"key {key!r}", names))
    return _Drift(use, key, field, parameters.renamed_to, data[key])


def _use(context: FaultContext) -> ConfigUse:
    wanted, component = context.parameters.config, context.component
    choice = (
        mounted_configmaps(component) if context.parameters.whole_key else _candidates(component)
    )
    for use in choice:
        if wanted in ("", use.source.name):
            return use
    names = tuple(use.source.name for use in choice)
    raise UsageError(_unknown(context, "config", wanted, f"component {component.name!r}", names))


def _unknown(
    context: FaultContext, parameter: str, value: str, owner: str, known: tuple[str, ...]
) -> str:
    return (
        f"parameter {parameter!r} of fault 'configmap-drift' on component "
        f"{context.component.name!r}: {owner} has no {value!r}; it has {', '.join(known)}"
    )


def _vital_field(application: Application, component: Component, fields: dict[str, Any]) -> str:
    """The field whose loss hurts most: the address of a dependency, stores first; else its own."""
    kinds = {
        part.service.name: part.kind
        for part in application.components()
        if part.service is not None and component.name in part.callers
    }
    own = component.service.name if component.service is not None else ""
    for kind in (*_DEPENDENCIES, _OWN):
        for name, value in fields.items():
            if any((_OWN if host == own else kinds.get(host)) == kind for host in _hosts(value)):
                return name
    return next(iter(fields))


def _hosts(value: Any) -> Iterator[str]:
    """Hosts of the addresses in a field: `host:port`, or an object with texts that are hosts."""
    if isinstance(value, str):
        yield value.partition(":")[0]
    elif isinstance(value, dict):
        for part in value.values():
            yield from _hosts(part)
