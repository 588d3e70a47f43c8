"""Less shared memory than a pod's processes need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field
from sregym_injectors.quantities import memory_bytes
from sregym_injectors.restarts import TemplateParameters
from sregym_injectors.template_change import PodTemplateFault, Template, TemplateChange
from typing_extensions import override

if TYPE_CHECKING:
    from sregym_core.interfaces import FaultContext
    from sregym_core.model import ComponentPart

_SHARED = "/dev/shm"  # noqa: S108 - of a container, not of ours
_FILE = f"{_SHARED}/segments"
# What a container runtime gives where nothing is mounted.
_USUAL_MIB = 64


class RoomMissing(PodTemplateFault):
    """Lays out more shared memory before the start than there is."""

    name: ClassVar[str] = "room-missing"
    title: ClassVar[str] = "Shared memory is too small"
    # What is wrong is the pod's, not one container's.
    parts: ClassVar[tuple[ComponentPart, ...]] = ()
    mechanism: ClassVar[str] = "shared-memory-too-small"
    phrases: ClassVar[tuple[str, ...]] = (
        "shared memory too small",
        f"{_SHARED} is too small",
        f"{_SHARED} is full",
        f"no room in {_SHARED}",
        f"{_SHARED} exhausted",
        "64 MiB of shared memory are not enough",
        "dev shm exhaustion",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("pods stay in Init:Error", "Init:CrashLoopBackOff")
    expected: ClassVar[str] = "room in /dev/shm for what is laid out there"

    class Parameters(TemplateParameters):
        """Parameters.

        Attributes:
            mib: What is laid out; pods have 64 MiB.
            container: Name of the init container that lays it out.
            image: Its image, which has `dd`.
        """

        mib: int = Field(default=128, ge=1)
        container: str = "prepare-segments"
        image: str = "busybox:1.36"

    @override
    def change(self, context: FaultContext) -> TemplateChange:
        given = context.parameters
        entry = {
            "name": given.container,
            "image": given.image,
            "imagePullPolicy": "IfNotPresent",
            "command": ["dd", "if=/dev/zero", f"of={_FILE}", "bs=1M", f"count={given.mib}"],
        }
        after = f"{given.container} lays out {given.mib} MiB in {_SHARED}"
        return TemplateChange("initContainers", after, pod={"initContainers": [entry]})

    @override
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        found = []
        for entry in live.spec.get("initContainers") or ():
            needed, room = _laid_out_mib(entry), _room_mib(live.spec, entry)
            if room is not None and needed > room:
                found.append(f"lays out {needed} MiB in {_SHARED}, which has {room} MiB")
        return found

    @override
    def more_phrases(self, context: FaultContext) -> tuple[str, ...]:
        return (f"{context.parameters.container} fails",)


def _laid_out_mib(container: dict[str, Any]) -> int:
    words = [*(container.get("command") or ()), *(container.get("args") or ())]
    counts = [word.removeprefix("count=") for word in words if word.startswith("count=")]
    return int(counts[0]) if counts and f"of={_FILE}" in words else 0


def _room_mib(spec: dict[str, Any], container: dict[str, Any]) -> int | None:
    """Room in the shared memory that a container sees; None: as much as the pod may have."""
    mounts = {one["mountPath"]: one["name"] for one in container.get("volumeMounts") or ()}
    if _SHARED not in mounts:
        return _USUAL_MIB
    volumes = {one["name"]: one for one in spec.get("volumes") or ()}
    size = (volumes[mounts[_SHARED]].get("emptyDir") or {}).get("sizeLimit")
    return memory_bytes(size) // 2**20 if size else None
