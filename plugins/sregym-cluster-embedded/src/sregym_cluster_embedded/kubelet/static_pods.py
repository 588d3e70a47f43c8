"""Static pods: a kubelet runs them from files on its node; the API shows a mirror of each.

A deleted mirror comes back at once, with the same containers: only the file counts.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.api import dynamic, internal_client, resources
from sregym_cluster_embedded.api.documents import DocumentError, read_yaml
from sregym_cluster_embedded.api.dynamic import writes as dynamic_writes
from sregym_cluster_embedded.api.errors import ApiError
from sregym_cluster_embedded.kubelet.pacing import RESYNC_S, schedule_sync
from sregym_cluster_embedded.kubelet.report import MIRROR, STATIC, write_status
from sregym_cluster_embedded.kubelet.requests import confirm_end
from sregym_cluster_embedded.kubelet.state import PodState, state_of
from sregym_cluster_embedded.store import Key, Object

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

FOLDER = "/etc/kubernetes/manifests"
READ = "kubelet.manifest"
# From the writing of a file to the kubelet that has read it.
_READ_S = 1.0
# So soon a kubelet sees that the pod of the file before is gone.
_AGAIN_S = 1.0
# So soon it makes the mirror anew. It bears the uid of the one before, as what its containers are
# known by; who waits for the end of that one has to have seen that there is none.
RENEWAL_S = 1.0


class Static(NamedTuple):
    """A static pod that its kubelet runs.

    Attributes:
        node: Name of the node.
        file: Name of the file in `FOLDER`.
        digest: Of the file and the node: the uid of the pod as its kubelet knows it.
        pod: The pod of the file, as its mirror is made from it.
    """

    node: str
    file: str
    digest: str
    pod: Object


class StaticPods:
    """The files of nodes that kubelets watch; found by `world.service(STATIC_PODS)`."""

    def write(self, world: World, node: str, file: str, content: str | None) -> None:
        """A file was written into `FOLDER` of a node; without content it was removed."""
        world.after(_READ_S, READ, node, file, content)

    def running(self, world: World, node: str) -> dict[str, Key]:
        """File name -> mirror of what runs on a node."""
        known: dict[Key, Static] = world.table(STATIC)
        return {entry.file: key for key, entry in known.items() if entry.node == node}


def read(world: World, node: str, file: str, content: str | None) -> None:
    """Handler: the kubelet reads a file, and starts, replaces or stops the pod in it."""
    known: dict[Key, Static] = world.table(STATIC)
    wanted = _parsed(world, node, file, content)
    for key, entry in list(known.items()):
        if (entry.node, entry.file) == (node, file):
            if wanted is not None and wanted.digest == entry.digest:
                return
            del known[key]
            internal_client.delete(world, key)
    if wanted is None:
        return
    metadata = wanted.pod["metadata"]
    key = Key("pods", metadata["namespace"], metadata["name"])
    if world.store.get(key) is not None:
        # The one before has to end first.
        world.after(_AGAIN_S, READ, node, file, content)
        return
    known[key] = wanted
    try:
        with dynamic.dynamic_admission(world, dynamic.kubelet_of(node)):
            internal_client.create(world, "pods", wanted.pod)
    except ApiError:
        # A real kubelet would run it without a mirror; here that could not be seen.
        del known[key]


def renew(world: World, state: PodState) -> bool:
    """Make the mirror of a pod anew that is being deleted, or gone; whether the pod is static."""
    entry: Static | None = world.table(STATIC).get(state.key)
    if entry is None or state.deadline is not None:
        return False
    present = world.store.get(state.key)
    if present is not None:
        # The removal brings the kubelet here again.
        if not confirm_end(world, state):
            schedule_sync(world, state.uid, RESYNC_S)
        return True
    kind = resources.named("pods")
    if kind is None or world.store.get(Key("nodes", "", entry.node)) is None:
        return True
    try:
        pod = internal_client.prepare(world, kind, entry.pod)
        if dynamic.configured(world):
            with dynamic.dynamic_admission(world, dynamic.kubelet_of(entry.node)):
                pod = dynamic_writes.admitted(world, kind, pod)
    except ApiError:
        schedule_sync(world, state.uid, RESYNC_S)
        return True
    metadata = {**pod["metadata"], "uid": state.uid}
    pod = internal_client.store_new(world, kind, {**pod, "metadata": metadata})
    write_status(world, pod, state_of(world, state.uid) or state)
    return True


def refers_to_api(spec: Object) -> bool:
    """Whether a pod spec refers to other objects of the API, which a static pod may not."""
    if spec.get("serviceAccountName") or spec.get("serviceAccount") or spec.get("resourceClaims"):
        return True
    if spec.get("imagePullSecrets"):
        return True
    volumes = [volume for volume in spec.get("volumes") or () if isinstance(volume, dict)]
    if any(name in volume for volume in volumes for name in _OF_API):
        return True
    for group in ("containers", "initContainers", "ephemeralContainers"):
        for container in spec.get(group) or ():
            if not isinstance(container, dict) or container.get("envFrom"):
                return True
            sources = [(entry or {}).get("valueFrom") or {} for entry in container.get("env") or ()]
            if any("secretKeyRef" in one or "configMapKeyRef" in one for one in sources):
                return True
    return False


# Volumes that are made from objects of the API.
_OF_API = ("secret", "configMap", "projected", "persistentVolumeClaim", "ephemeral", "csi")


def _parsed(world: World, node: str, file: str, content: str | None) -> Static | None:
    """The static pod of a file; None when there is none in it."""
    try:
        pod = read_yaml(content or "")
    except DocumentError:
        return None
    if not isinstance(pod, dict) or pod.get("kind") != "Pod" or file.startswith("."):
        return None
    machine = world.store.get(Key("nodes", "", node))
    given, spec = pod.get("metadata"), pod.get("spec")
    if machine is None or not isinstance(given, dict) or not isinstance(spec, dict):
        return None
    noted, borne = given.get("annotations") or {}, spec.get("tolerations") or []
    if not given.get("name") or not isinstance(noted, dict) or not isinstance(borne, list):
        return None
    if refers_to_api(spec):
        return None
    digest = blake2b(f"{node} {content}".encode(), digest_size=16).hexdigest()
    annotations = {
        **noted,
        "kubernetes.io/config.hash": digest,
        MIRROR: digest,
        "kubernetes.io/config.seen": world.micro_timestamp().replace("Z", "000Z"),
        "kubernetes.io/config.source": "file",
    }
    owner = {
        "apiVersion": "v1",
        "controller": True,
        "kind": "Node",
        "name": node,
        "uid": machine["metadata"]["uid"],
    }
    metadata = {
        **given,
        "name": f"{given['name']}-{node}",
        "namespace": given.get("namespace", "default"),
        "annotations": annotations,
        "ownerReferences": [owner],
    }
    everywhere = [{"effect": "NoExecute", "operator": "Exists"}]
    spec = {**spec, "nodeName": node, "tolerations": [*borne, *everywhere]}
    return Static(node, file, digest, {"metadata": metadata, "spec": spec})
