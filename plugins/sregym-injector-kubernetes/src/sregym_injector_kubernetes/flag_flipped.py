"""A feature flag in the ConfigMap of a server of flags has another default variant."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.errors import UsageError
from sregym_core.model import Change, Check, Component, ConfigUse, GroundTruth
from sregym_injectors.component_fault import ComponentFault, not_custom, not_load, not_rolling
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.manifests import manifest_of
from sregym_injectors.restarts import ClientParameters, clients_of
from sregym_injectors.truths import truth_of
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
    """One flag, and what becomes of it."""

    use: ConfigUse
    key: str
    text: str
    flag: str
    before: str
    after: str

    def patch(self) -> dict[str, Any]:
        """Merge patch of the ConfigMap with the other variant."""
        content = json_object(self.text) or {}
        content[_FLAGS][self.flag]["defaultVariant"] = self.after
        return {"data": {self.key: json.dumps(content, indent=2) + "\n"}}

    def repair(self) -> dict[str, Any]:
        """Merge patch that brings the file of the manifest back."""
        return {"data": {self.key: self.text}}


class FlagFlipped(ComponentFault):
    """Gives a flag another default variant, and starts the server of flags anew, which copies it."""

    name: ClassVar[str] = "flag-flipped"
    title: ClassVar[str] = "Feature flag has another variant than it should"
    layer: ClassVar[str] = "application"

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            flag: Name of the flag; empty: the one with the most variants.
            variant: Name of its variant; empty: the one with the greatest value that is not its
                default.
        """

        flag: str = ""
        variant: str = ""

    @override
    def misfit(self, component: Component) -> str:
        if reason := not_load(component) or not_custom(component) or not_rolling(component):
            return reason
        return "" if _file_of(component) else "it mounts no ConfigMap with a file of feature flags"

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
            flags = _flags((live.get("data") or {}).get(flip.key, ""))
            wanted = _value(_flags(flip.text)[flip.flag])
            found = _value(flags.get(flip.flag) or {})
            # A flag that is gone or disabled leaves programs with defaults of their own.
            if found is not None and found != wanted:
                defects.append(
                    f"{flip.use.source} key {flip.key}: flag {flip.flag} is {json.dumps(found)}, "
                    f"not {json.dumps(wanted)}"
                )
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
                f"flag {flip.flag}",
                f"{flip.flag} is {flip.after}",
                f"{flip.flag} is set to {flip.after}",
                f"{flip.flag} is enabled",
                f"{flip.flag} was turned on",
            ),
            Change(
                what=f"data[{flip.key!r}].flags.{flip.flag}.defaultVariant",
                before=flip.before,
                after=flip.after,
            ),
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


def _flip(context: FaultContext) -> _Flip:
    component, parameters = context.component, context.parameters
    place = _file_of(component)
    if place is None:
        msg = f"component {component.name!r} mounts no ConfigMap with a file of feature flags"
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
