"""The audit log of the API server as a file of the machine that runs it, with its policy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.api.audit import ENTRIES, FILE, line
from sregym_cluster_embedded.userland.files.inode import FILE as PLAIN
from sregym_cluster_embedded.userland.files.inode import Inode, folder
from sregym_cluster_embedded.userland.host.redacted import redaction_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

FOLDER = FILE.rpartition("/")[0]
POLICY = "/etc/kubernetes/audit-policy.yaml"
_POLICY_TEXT = """\
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - level: None
    verbs: [get, list, watch]
  - level: None
    resources:
      - {group: "", resources: [events]}
      - {group: events.k8s.io, resources: [events]}
      - {group: coordination.k8s.io, resources: [leases]}
      - {group: authorization.k8s.io}
      - {group: authentication.k8s.io}
  - level: None
    users: [system:kube-scheduler, system:kube-controller-manager]
  - level: None
    userGroups: [system:nodes]
  - level: Metadata
"""
_MODE = 0o600
# As the server begins a new file after so much (`--audit-log-maxsize`), and only the last is here.
_MOST_BYTES = 100 << 20


def paths(world: World, node: str) -> tuple[str, ...]:
    """The file and the folders above it, on the machine of the API server alone."""
    if not _has_server(world, node):
        return ()
    return (FOLDER.rpartition("/")[0], FOLDER, FILE, POLICY)


def inode(world: World, node: str, path: str) -> Inode | None:
    """What stands at a path of these; None for another, and on other machines."""
    if path not in paths(world, node):
        return None
    if path == POLICY:
        return Inode(PLAIN, _POLICY_TEXT, _MODE, mtime=world.epoch)
    entries = world.table(ENTRIES)
    newest = max(entries, default=-1)
    at = world.epoch + (entries[newest].at if newest >= 0 else 0.0)
    if path != FILE:
        return folder(0o755, mtime=at)
    return Inode(PLAIN, _text(world), _MODE, mtime=at)


def _text(world: World) -> str:
    """All lines but those about what is hidden from users of machines."""
    redaction = redaction_of(world)
    shown = [
        line(world, number, entry)
        for number, entry in world.table(ENTRIES).items()
        if redaction.empty
        or not redaction.hides(entry.group, entry.resource, entry.namespace, entry.name)
    ]
    text = "".join(f"{one}\n" for one in shown)
    return text[-_MOST_BYTES:]


def _has_server(world: World, node: str) -> bool:
    found = machines.machine(world, node)
    return found is not None and found.role == machines.CONTROL_PLANE
