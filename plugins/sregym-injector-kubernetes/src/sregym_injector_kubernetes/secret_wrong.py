"""A Secret has another key than the pods ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.errors import UsageError
from sregym_core.model import ComponentPart, ObjectRef, pod_spec
from sregym_injectors.edits import Edits
from sregym_injectors.manifests import manifest_of, secret_data
from sregym_injectors.restarts import ClientParameters, clients_of
from sregym_injectors.template_change import (
    AddedObjectFault,
    Template,
    TemplateChange,
)
from sregym_injectors.workloads import restart_rollout
from typing_extensions import override

from sregym_injectors import commands

if TYPE_CHECKING:
    from sregym_core.interfaces import Command, FaultContext
    from sregym_core.model import Component


class SecretWrong(AddedObjectFault):
    """Renames a key of a Secret; the component's pods, restarted, do not find it."""

    name: ClassVar[str] = "secret-wrong"
    title: ClassVar[str] = "Secret lacks the key that pods ask for"
    parts: ClassVar[tuple[ComponentPart, ...]] = (ComponentPart.CONTAINER,)
    mechanism: ClassVar[str] = "secret-key-missing"
    phrases: ClassVar[tuple[str, ...]] = (
        "missing key in the Secret",
        "Secret key was renamed",
        "Secret lacks a key",
        "Secret does not have the key",
        "secretKeyRef names a key that does not exist",
        "couldn't find key in Secret",
        "wrong key in the Secret",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("container is not created", "CreateContainerConfigError")
    expected: ClassVar[str] = "Secrets with all keys that the container asks for"

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            secret: Name of the Secret; empty: the first that the container asks for.
            renamed_to: New name of the key; empty: the old one with `-old` behind it.
        """

        secret: str = ""
        renamed_to: str = ""

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := super().mismatch_reason(component):
            return reason
        asks = any(
            use.source.kind == "Secret" and use.required and not use.path
            for use in component.config
        )
        return "" if asks else "no variable of it comes from a Secret"

    @override
    def change(self, context: FaultContext) -> TemplateChange:
        key, renamed = self._key(context)
        return TemplateChange("data", renamed, key)

    @override
    def inject(self, context: FaultContext) -> None:
        edits, (key, renamed) = Edits(context), self._key(context)
        value = self._data(context)[key]
        edits.patch(self.broken(context), {"data": {key: None, renamed: value}}, "merge")
        restart_rollout(edits, (context.component.workload, *clients_of(context)))

    @override
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        right, found = self._data(context), []
        own = self.broken(context)
        for name, key in _asked(live.spec):
            ref = own.model_copy(update={"name": name})
            data = (live.cluster.get(ref) or {}).get("data") or {}
            if key not in data:
                found.append(f"asks for the key {key} of {ref}, which it does not have")
            elif name == own.name and key in right and data[key] != right[key]:
                found.append(f"gets another value from {ref} for {key}")
        lost = {name for name, _ in _asked(_right_pod(context))}
        if own.name in lost and not _asked(live.spec):
            found.append(f"no longer asks for what {own} holds")
        return found

    @override
    def broken(self, context: FaultContext) -> ObjectRef:
        name = self._asked_for(context)[0]
        namespace = context.component.namespace
        return ObjectRef(api_version="v1", kind="Secret", namespace=namespace, name=name)

    @override
    def more_phrases(self, context: FaultContext) -> tuple[str, ...]:
        return (f"key {self._key(context)[0]} is missing",)

    @override
    def cleaning(self, context: FaultContext) -> tuple[Command, ...]:
        key, renamed = self._key(context)
        data = {key: self._data(context)[key], renamed: None}
        return (commands.patch(self.broken(context), {"data": data}, "merge"),)

    def _key(self, context: FaultContext) -> tuple[str, str]:
        key = self._asked_for(context)[1]
        return key, context.parameters.renamed_to or f"{key}-old"

    def _asked_for(self, context: FaultContext) -> tuple[str, str]:
        wanted = context.parameters.secret
        asked = _asked(_right_pod(context))
        for name, key in asked:
            if wanted in ("", name):
                return name, key
        known = ", ".join(dict.fromkeys(name for name, _ in asked)) or "none"
        component = context.component.name
        msg = f"no variable of component {component!r} comes from a Secret {wanted!r}; it asks for: {known}"
        raise UsageError(msg)

    def _data(self, context: FaultContext) -> dict[str, str]:
        return secret_data(manifest_of(context.application, self.broken(context)))


def _right_pod(context: FaultContext) -> dict[str, Any]:
    """The pod as the manifest of the component's workload describes it."""
    found: dict[str, Any] = pod_spec(manifest_of(context.application, context.component.workload))
    return found


def _asked(pod: dict[str, Any]) -> list[tuple[str, str]]:
    """Secrets and keys that variables of a pod's containers come from."""
    given = [
        (entry.get("valueFrom") or {}).get("secretKeyRef")
        for container in (*(pod.get("containers") or ()), *(pod.get("initContainers") or ()))
        for entry in container.get("env") or ()
    ]
    return [(one["name"], one["key"]) for one in given if one and not one.get("optional")]
