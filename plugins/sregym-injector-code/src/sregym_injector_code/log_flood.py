"""A program that logs at the level for debugging, faster than anybody takes its lines away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field
from sregym_core.interfaces import Command
from sregym_core.model import ComponentPart, FailureMode
from sregym_injectors.restarts import TemplateParameters
from sregym_injectors.template_change import (
    PodTemplateFault,
    Template,
    TemplateChange,
    right_pod,
)
from typing_extensions import override

if TYPE_CHECKING:
    from sregym_core.interfaces import FaultContext
    from sregym_core.model import Component

_FOLDER, _FILE = "/var/log/requests", "requests.log"
_LEVEL, _DEBUG = "LOG_LEVEL", "debug"
_VOLUME = "request-logs"
# What is written each second; other levels have next to nothing to say.
_SCRIPT = (
    'if [ "$LOG_LEVEL" != debug ]; then exec sleep 2147483; fi; '
    "while true; do head -c {bytes} /dev/zero | tr '\\0' . >> {path}; sleep 1; done"
)


class LogFlood(PodTemplateFault):
    """Gives a component's pods a logger of requests at level debug, whose file nobody rotates.

    The volume of the logs is full within a minute, the kubelet evicts the pod, its successor begins
    anew.
    """

    name: ClassVar[str] = "log-flood"
    title: ClassVar[str] = "Debug logs fill a pod's volume, and it is evicted again and again"
    layer: ClassVar[str] = "application"
    # What is added is the pod's, whichever container is named.
    parts: ClassVar[tuple[ComponentPart, ...]] = ()
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.RECURRING,)
    mechanism: ClassVar[str] = "log-volume-flooded"
    phrases: ClassVar[tuple[str, ...]] = (
        "debug logging fills the disk",
        "logging at debug level",
        "log level debug",
        "LOG_LEVEL=debug",
        "LOG_LEVEL is debug",
        "log flood",
        "flood of log lines",
        "logs fill the volume",
        "log files fill the volume",
        "logs are not rotated",
        "log file grows without rotation",
        "excessive logging",
        "verbose logging fills the volume",
        "too many log lines",
    )
    symptoms: ClassVar[tuple[str, ...]] = (
        "pods are evicted",
        "Usage of EmptyDir volume exceeds the limit",
        "ephemeral storage is used up",
    )
    expected: ClassVar[str] = "no container of the pod that logs at level debug to a volume"

    class Parameters(TemplateParameters):
        """Parameters.

        Attributes:
            kib_s: What is written in a second.
            size: Size limit of the volume.
            container: Name of the added container.
            image: Its image, which has BusyBox' shell.
        """

        kib_s: int = Field(default=512, ge=1, le=4096)
        size: str = Field(default="8Mi", pattern=r"^[1-9][0-9]*(Ki|Mi|Gi)$")
        container: str = "request-log"
        image: str = "busybox:1.36"

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := super().mismatch_reason(component):
            return reason
        return "" if component.operations else "no request of users passes through it"

    @override
    def change(self, context: FaultContext) -> TemplateChange:
        given = context.parameters
        script = _SCRIPT.format(bytes=given.kib_s * 1024, path=f"{_FOLDER}/{_FILE}")
        entry = {
            "name": given.container,
            "image": given.image,
            "imagePullPolicy": "IfNotPresent",
            "command": ["sh", "-c", script],
            "env": [{"name": _LEVEL, "value": _DEBUG}],
            "volumeMounts": [{"name": _VOLUME, "mountPath": _FOLDER}],
        }
        volume = {"name": _VOLUME, "emptyDir": {"sizeLimit": given.size}}
        after = f"{_LEVEL}={_DEBUG} of {given.container}, {given.kib_s} KiB/s into {_VOLUME}"
        return TemplateChange(
            f"containers[{given.container}]",
            after,
            pod={"containers": [entry], "volumes": [volume]},
        )

    @override
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        own = {entry["name"] for entry in right_pod(context)["containers"]}
        return [
            f"has a container {entry['name']} that logs at level {_DEBUG}"
            for entry in live.spec.get("containers") or ()
            if entry["name"] not in own and _floods(entry)
        ]

    @override
    def cleaning(self, context: FaultContext) -> tuple[Command, ...]:
        # Evicted pods stay as objects until they are deleted.
        place = ("-n", context.component.namespace, "--field-selector=status.phase=Failed")
        return (Command(("kubectl", "delete", "pods", *place)),)


def _floods(container: dict[str, Any]) -> bool:
    """Whether a container is at the level at which it writes without end."""
    levels = {one["name"]: one.get("value", "") for one in container.get("env") or ()}
    words = [*(container.get("command") or ()), *(container.get("args") or ())]
    writes = any(_FILE in word for word in words)
    return writes and levels.get(_LEVEL) == _DEBUG
