"""What makes a latent defect hurt, passes, and may come again: a peak of load, a dip of capacity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field
from sregym_core.errors import UsageError

from sregym_injectors import scope
from sregym_injectors.settings import amount, locate_setting, settings_of
from sregym_injectors.templates import container_patch
from sregym_injectors.workloads import container_of, rolled_out

if TYPE_CHECKING:
    from sregym_core.interfaces import Application, FaultContext
    from sregym_core.model import Component, ObjectRef

    from sregym_injectors.edits import Edits

# Longer than a new pod of a load generator or a service takes.
_ROLLED_OUT_S = 300.0


class Peak(BaseModel):
    """Users send so many times as many requests for a while.

    Attributes:
        times: What the load is multiplied with.
        seconds: For how long.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    times: float = Field(default=6.0, gt=1)
    seconds: float = Field(default=30.0, gt=0)


class Dip(BaseModel):
    """What a component calls has less processor for a while.

    Attributes:
        cpu: Limit of each of those that it calls.
        seconds: For how long.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    cpu: str = "100m"
    seconds: float = Field(default=60.0, gt=0)


def bring_about(context: FaultContext, edits: Edits, peak: Peak | None, dip: Dip | None) -> None:
    """Apply the requested peak or dip, and end it again."""
    if peak is not None:
        _peak(context, edits, peak)
    if dip is not None:
        _dip(context, edits, dip)


def can_peak(application: Application) -> bool:
    """Whether a load generator declares which setting is its rate or its users."""
    return any(
        settings_of(part, "rate", "users")
        for part in application.components()
        if part.kind == scope.LOAD
    )


def can_dip(application: Application, component: Component) -> bool:
    """Whether a component calls services that can have less processor for a while."""
    return any(_called(component, part) for part in application.components())


def load_level(context: FaultContext) -> float:
    """Requests of users here, as a multiple of what the manifests of load generators define; 1 where none does."""
    asked = usual = 0.0
    for part in context.application.components():
        for setting in settings_of(part, "rate", "users") if part.kind == scope.LOAD else ():
            live = locate_setting(context.cluster.get, part, setting)
            right = locate_setting(context.application.manifest, part, setting)
            if live is not None and right is not None:
                asked += amount(live.value) or 0.0
                usual += amount(right.value) or 0.0
    return asked / usual if asked and usual else 1.0


def multiplied(text: str, times: float) -> str:
    """A number in a setting so many times as large."""
    return f"{(amount(text) or 0.0) * times:.10g}"


def _peak(context: FaultContext, edits: Edits, peak: Peak) -> None:
    raised = False
    for part in context.application.components():
        for setting in settings_of(part, "rate", "users") if part.kind == scope.LOAD else ():
            place = locate_setting(context.cluster.get, part, setting)
            if place is None or place.ref != part.workload:
                continue
            container = container_of(edits.read(place.ref), part.container) or {}
            many = str(round(float(multiplied(place.value, peak.times))))
            if place.word is None:
                change = {"env": [{"name": place.key, "value": many}]}
                back = {"env": [{"name": place.key, "value": place.value}]}
            else:
                line = list(container[place.key])
                higher = line[place.word].replace(place.value, many, 1)
                change, back = (
                    {place.key: [*line[: place.word], word, *line[place.word + 1 :]]}
                    for word in (higher, line[place.word])
                )
            edits.patch(place.ref, container_patch(part, change))
            _await(edits, place.ref)
            edits.cluster.clock.advance(peak.seconds)
            edits.patch(place.ref, container_patch(part, back))
            _await(edits, place.ref)
            raised = True
    if not raised:
        raise UsageError(
            f"application {context.application.name!r}: no load generator says which setting is its "
            "rate or its users; add it to `settings` in components.yaml, or leave the peak out"
        )


def _dip(context: FaultContext, edits: Edits, dip: Dip) -> None:
    called = [part for part in context.application.components() if _called(context.component, part)]
    for cpu in (dip.cpu, None):
        for part in called:
            change = {
                # The API refuses a request above the limit.
                "limits": {"cpu": cpu or _cpu(context, part, "limits")},
                "requests": {"cpu": cpu or _cpu(context, part, "requests")},
            }
            edits.patch(part.workload, container_patch(part, {"resources": change}))
        for part in called:
            _await(edits, part.workload)
        if cpu is not None:
            edits.cluster.clock.advance(dip.seconds)


def _called(caller: Component, part: Component) -> bool:
    return caller.name in part.callers and part.kind == "service"


def _cpu(context: FaultContext, part: Component, side: str) -> str | None:
    """`limits` or `requests` of processor in the manifest; None when there is none."""
    manifest = context.application.manifest(part.workload)
    container = None if manifest is None else container_of(manifest, part.container)
    given = ((container or {}).get("resources") or {}).get(side) or {}
    return given.get("cpu")


def _await(edits: Edits, ref: ObjectRef) -> None:
    edits.cluster.clock.wait_until(lambda: rolled_out(edits.read(ref)), _ROLLED_OUT_S, 1.0)
