"""The container runtime of all workers gives containers next to no descriptors."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from pydantic import BaseModel, ConfigDict, Field
from sregym_core.interfaces import node_access
from sregym_core.model import Capability, Change, Check, GroundTruth, ObjectRef
from sregym_injectors.cluster_fault import ClusterFault, cluster_truth
from sregym_injectors.component_fault import not_rolling
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.nodes import NodeEdits, host_command
from sregym_injectors.workloads import restart_rollout
from typing_extensions import override

from sregym_injectors import commands

if TYPE_CHECKING:
    from sregym_core.interfaces import Command, FaultContext

_FOLDER = "/etc/systemd/system/containerd.service.d"
FILE = f"{_FOLDER}/limits.conf"
_AGAIN = "systemctl daemon-reload && systemctl restart containerd"
_LIMIT = re.compile(r"^\s*LimitNOFILE=(\d+)", re.MULTILINE)
# What distributions give at least, and is enough for a repair.
_ENOUGH = 65_536
UNDO = ("sh", "-c", f"rm -f {FILE} && {_AGAIN}")


class OpenFilesLimited(ClusterFault):
    """Lowers the limit of open files that containers inherit, and restarts those that users meet."""

    name: ClassVar[str] = "open-files-limited"
    title: ClassVar[str] = "Containers may have next to no open files"
    layer: ClassVar[str] = "os"
    needs: ClassVar[tuple[Capability, ...]] = (Capability.COMMANDS,)

    class Parameters(BaseModel):
        """Parameters.

        Attributes:
            limit: Descriptors of one process.
        """

        model_config = ConfigDict(frozen=True, extra="forbid")

        limit: int = Field(default=16, ge=1, lt=_ENOUGH)

    @override
    def inject(self, context: FaultContext) -> None:
        host, text = NodeEdits(context), f"[Service]\nLimitNOFILE={context.parameters.limit}\n"
        for node in _workers(context):
            line = f"mkdir -p {_FOLDER} && cat > {FILE} && {_AGAIN}"
            host.run(node, ("sh", "-c", line), UNDO, text)
        edits = Edits(context)
        edits.pause()
        restart_rollout(edits, _entries(context))

    @override
    def present(self, context: FaultContext) -> Check:
        found = []
        for node in _workers(context):
            said = node_access(context.cluster).run(node, ("cat", FILE)).stdout
            limits = [int(number) for number in _LIMIT.findall(said)]
            if limits and limits[-1] < _ENOUGH:
                found.append(f"containerd of node {node} has LimitNOFILE={limits[-1]}")
        return defect_check(f"containers may have {_ENOUGH} open files", found)

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        limit = context.parameters.limit
        change = Change(
            what="LimitNOFILE of containerd on all workers", before="", after=str(limit)
        )
        phrases = (
            "too many open files",
            "file descriptors are exhausted",
            "limit of open files is too low",
            "ulimit -n is too low",
            "RLIMIT_NOFILE is too low",
            f"LimitNOFILE={limit}",
            "EMFILE",
            "file descriptor limit",
        )
        broken = ObjectRef(api_version="systemd", kind="Unit", name="containerd")
        symptoms = ("requests time out", "connections are not accepted")
        return cluster_truth(
            context, broken, broken.name, "open-files-exhausted", phrases, change, symptoms
        )

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        undo = tuple(host_command(context, node, UNDO) for node in _workers(context))
        return (*undo, *commands.restart_and_wait(_entries(context)))


def _workers(context: FaultContext) -> list[str]:
    nodes = node_access(context.cluster).nodes()
    return [node.name for node in nodes if node.role != "control-plane"]


def _entries(context: FaultContext) -> list[ObjectRef]:
    """Workloads that load generators call themselves."""
    parts = {part.name: part for part in context.application.components()}
    return [
        part.workload
        for part in parts.values()
        if part.operations
        and not not_rolling(part)
        and any(parts[name].kind == "load" for name in part.callers if name in parts)
    ]
