"""A feature flag has another value: in the file of a server of flags, or in a variable of a ConfigMap."""

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
from sregym_injectors.workloads import restart_rollout, workload_defects
from typing_extensions import override

from sregym_injector_kubernetes.configmap_state import json_object, mounted_configmaps
from sregym_injectors import commands

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.interfaces import Command, FaultContext

# What a file of flags in the form of flagd has at its top.
_FLAGS = "flags"


@dataclass(frozen=True)
class _Flip:
    """One flag, and what becomes of it; `flag` is empty for a key that is a switch itself."""

    use: ConfigUse
    key: str
    text: str
    flag: str
    before: str
    after: str

    def patch(self) -> dict[str, Any]:
        """Merge patch of the ConfigMap with the other variant."""
        if not self.flag:
            return {"data": {self.key: self.after}}
        content = json_object(self.text) or {}
        content[_FLAGS][self.flag]["defaultVariant"] = self.after
        return {"data": {self.key: json.dumps(content, indent=2) + "\n"}}

    @property
    def name(self) -> str:
        """As people call it."""
        return self.flag or self.key

    @property
    def place(self) -> str:
        """Where in the ConfigMap its value stands."""
        whole = f"data[{self.key!r}]"
        return f"{whole}.flags.{self.flag}.defaultVariant" if self.flag else whole

    def wrong(self, text: str | None) -> str:
        """What is wrong about a text of the key; empty for nothing."""
        if not self.flag:
            found = "" if text is None else text.strip().lower()
            return f"is {found}, not {self.before}" if found == self.after else ""
        wanted = _value(_flags(self.text)[self.flag])
        live = _value(_flags(text or "").get(self.flag) or {})
        # A flag that is gone or disabled leaves programs with defaults of their own.
        if live is None or live == wanted:
            return ""
        return f"flag {self.flag} is {json.dumps(live)}, not {json.dumps(wanted)}"

    def repair(self) -> dict[str, Any]:
        """Merge patch that brings the file of the manifest back."""
        return {"data": {self.key: self.text}}


class FlagFlipped(ComponentFault):
    """Gives a flag another value, and restarts who reads it.

    That is the default variant of a flag in a file as flagd has it, or, of who mounts none, a
    variable that comes from a ConfigMap and is `true` or `false`.
    """

    name: ClassVar[str] = "flag-flipped"
    title: ClassVar[str] = "Feature flag has another variant than it should"
    layer: ClassVar[str] = "application"

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            flag: Name of the flag, or key of the ConfigMap; empty: the flag with the most variants,
                the first key.
            variant: Name of its variant; empty: the one with the greatest value that is not its
                default.
        """

        flag: str = ""
        variant: str = ""

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := not_load(component) or not_custom(component) or not_rolling(component):
            return reason
        if _file_of(component) or _switch_of(component, ""):
            return ""
        return (
            "it has no ConfigMap with a file of feature flags, or with a variable that is a switch"
        )

    @override
    def inject(self, context: FaultContext) -> None:
        edits, flip = Edits(context), _flip(context)
        edits.patch(flip.use.source, flip.patch(), "merge")
        restart_rollout(edits, (context.component.workload, *clients_of(context)))

    @override
    def present(self, context: FaultContext) -> Check:
        flip = _flip(context)
        defects = workload_defects(context.cluster, context.component.workload)
        live = context.cluster.get(flip.use.source)
        if live is None:
            defects.append(f"{flip.use.source} does not exist")
        else:
            if wrong := flip.wrong((live.get("data") or {}).get(flip.key)):
                defects.append(f"{flip.use.source} key {flip.key}: {wrong}")
        return defect_check("the flag has the value of the manifest", defects)

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        flip = _flip(context)
        return truth_of(
            context,
            flip.use.source,
            "feature-flag-flipped",
            (
                "feature flag",
                "feature flag is on",
                "feature flag was switched on",
                "flag was flipped",
                "flag is enabled",
                "wrong variant of a flag",
                "default variant was changed",
                f"flag {flip.name}",
                f"{flip.name} is {flip.after}",
                f"{flip.name} is set to {flip.after}",
                f"{flip.name} is enabled",
                f"{flip.name} was turned on",
            ),
            Change(what=flip.place, before=flip.before, after=flip.after),
        )

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        flip = _flip(context)
        return (
            commands.patch(flip.use.source, flip.repair(), "merge"),
            *commands.restart_and_wait((context.component.workload,)),
            *commands.restart_and_wait(clients_of(context)),
        )


def _flags(text: str) -> Mapping[str, dict[str, Any]]:
    """The flags of a file that have variants; none of what is no such file."""
    found = (json_object(text) or {}).get(_FLAGS)
    entries = found.items() if isinstance(found, dict) else ()
    return {
        name: flag
        for name, flag in entries
        if isinstance(flag, dict) and isinstance(flag.get("variants"), dict)
    }


def _value(flag: Mapping[str, Any]) -> Any:
    """What a flag says to who asks for nothing in particular; None where it says nothing."""
    if flag.get("state") != "ENABLED":
        return None
    return flag.get("variants", {}).get(flag.get("defaultVariant"))


def _file_of(component: Component) -> tuple[ConfigUse, str] | None:
    """The ConfigMap and key in which a component has a file of flags."""
    for use in mounted_configmaps(component):
        for key, fields in use.entries.items():
            if _FLAGS in fields:
                return use, key
    return None


def _switch_of(component: Component, key: str) -> tuple[ConfigUse, str] | None:
    """The ConfigMap and key of a variable that is a switch; the first unless one is named."""
    for use in component.config:
        if use.source.kind == "ConfigMap" and not use.path:
            for known in use.switches:
                if key in ("", known):
                    return use, known
    return None


def _flip(context: FaultContext) -> _Flip:
    component, parameters = context.component, context.parameters
    place = _file_of(component)
    if place is None and (found := _switch_of(component, parameters.flag)):
        use, key = found
        text = manifest_of(context.application, use.source)["data"][key]
        before = text.strip().lower()
        after = "false" if before == "true" else "true"
        if parameters.variant not in ("", after):
            owner = f"key {key!r}"
            raise UsageError(_unknown(context, "variant", parameters.variant, owner, [after]))
        return _Flip(use, key, text, "", before, after)
    if place is None:
        named = f" {parameters.flag!r}" if parameters.flag else ""
        msg = f"component {component.name!r} has no ConfigMap with the feature flag{named}"
        raise UsageError(msg)
    use, key = place
    text = manifest_of(context.application, use.source)["data"][key]
    flags = _flags(text)
    most = max(flags, key=lambda name: len(flags[name]["variants"]), default="")
    flag = parameters.flag or most
    if flag not in flags:
        raise UsageError(_unknown(context, "flag", flag, f"key {key!r}", flags))
    variants, before = flags[flag]["variants"], str(flags[flag].get("defaultVariant"))
    others = [name for name in variants if name != before]
    greatest = max(others, key=lambda name: _size(variants[name]), default="")
    after = parameters.variant or greatest
    if after not in others:
        raise UsageError(_unknown(context, "variant", after, f"flag {flag!r}", others))
    return _Flip(use, key, text, flag, before, after)


def _unknown(
    context: FaultContext,
    parameter: str,
    value: str,
    owner: str,
    known: Mapping[str, Any] | list[str],
) -> str:
    return (
        f"parameter {parameter!r} of fault 'flag-flipped' on component {context.component.name!r}: "
        f"{owner} has no other {value!r}; it has {', '.join(known)}"
    )


def _size(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
