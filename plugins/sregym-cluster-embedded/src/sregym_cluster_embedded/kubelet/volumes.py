"""The content of a pod's volumes, and how containers see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import dynamic
from sregym_cluster_embedded.api.access.tokens import issue_to_pod
from sregym_cluster_embedded.kubelet.backends import (
    WITH_POD,
    Failure,
    mount_failure,
    storage_failure,
)
from sregym_cluster_embedded.kubelet.configuration import (
    Missing,
    config_data,
    field_value,
    resource_value,
)
from sregym_cluster_embedded.kubelet.environment import environment, expand, references
from sregym_cluster_embedded.kubelet.keys import RUNTIME
from sregym_cluster_embedded.kubelet.requests import token_refusal
from sregym_cluster_embedded.kubelet.runtime import ImageReader, Mount
from sregym_cluster_embedded.store import Key, Object

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.state import PodState
    from sregym_cluster_embedded.world import World

_SOURCES = (("configMap", "configmaps", "name"), ("secret", "secrets", "secretName"))
# A mount whose files are those of an image; `volume` is its reference.
IMAGE = "image"
_KINDS = {"configmaps": "configmap", "secrets": "secret"}
_NON_EXISTENT = {
    "configmaps": "configmap references non-existent config key: {}",
    "secrets": "references non-existent secret key: {}",
}


class UnclaimedError(Exception):
    """A claim of a pod that was bound to its node past the scheduler cannot be used."""


def set_up(
    world: World, pod: Object, state: PodState, host_ip: str
) -> tuple[dict[str, Mount], list[Failure]]:
    """The volumes that can be set up now, and why others cannot."""
    mounts: dict[str, Mount] = {}
    failures: list[Failure] = []
    unclaimed: dict[str, str] = {}
    asked = dynamic.configured(world)
    for volume in pod["spec"].get("volumes", ()):
        name = volume["name"]
        if asked and (refused := token_refusal(world, pod, state.node, volume)):
            failures.append(mount_failure(name, f"failed to fetch token: {refused}"))
            continue
        failure = storage_failure(world, state.node, state.uid, name, volume)
        try:
            mount = content(world, pod, state, host_ip, volume)
        except Missing as missing:
            failures.append(mount_failure(name, str(missing)))
            continue
        except UnclaimedError as error:
            unclaimed[name] = str(error)
            continue
        if mount.kind == "volume" and mount.volume.startswith("pv/"):
            bound = mount.volume.removeprefix("pv/")
            found = world.store.get(Key("persistentvolumes", "", bound))
            if found is not None:
                failure = storage_failure(world, state.node, state.uid, bound, found["spec"])
        if failure is not None:
            failures.append(failure)
        else:
            mounts[name] = mount
    if unclaimed:
        names, why = " ".join(unclaimed), "; ".join(unclaimed.values())
        text = (
            f"Unable to attach or mount volumes: unmounted volumes=[{names}], unattached "
            f"volumes=[], failed to process volumes=[{names}]: {why}"
        )
        failures.append(Failure("FailedMount", text, WITH_POD))
    return mounts, failures


def content(world: World, pod: Object, state: PodState, host_ip: str, volume: Object) -> Mount:
    """What stands in a volume now.

    Raises:
        Missing: Something it is made from is not there.
        UnclaimedError: Its claim cannot be used.
    """
    namespace = pod["metadata"]["namespace"]
    name = volume["name"]
    identity = f"{state.uid}/{name}"
    for field, resource, reference in _SOURCES:
        if field in volume:
            source = volume[field]
            files = _selected(world, namespace, resource, source[reference], source)
            return Mount("files", identity, files, source=(resource, source[reference]))
    if "projected" in volume:
        files = _projected(world, pod, state, host_ip, volume["projected"])
        return Mount("files", identity, files)
    if "downwardAPI" in volume:
        files = _downward(world, pod, state, host_ip, volume["downwardAPI"])
        return Mount("files", identity, files)
    if "hostPath" in volume:
        return Mount("volume", f"host/{state.node}{volume['hostPath']['path']}")
    if "image" in volume:
        # It is pulled when a container that mounts it starts.
        return Mount(IMAGE, volume["image"].get("reference", ""), read_only=True)
    claim = claim_name(pod, volume)
    if claim is not None:
        return _claimed(world, namespace, claim, volume)
    return Mount("volume", f"pod/{identity}")


def claim_name(pod: Object, volume: Object) -> str | None:
    """The PersistentVolumeClaim behind a volume, or None."""
    if "persistentVolumeClaim" in volume:
        name: str = volume["persistentVolumeClaim"]["claimName"]
        return name
    if "ephemeral" in volume:
        return f"{pod['metadata']['name']}-{volume['name']}"
    return None


def image_volumes(pod: Object, container: Object) -> list[Object]:
    """The images that a container mounts, as containers without a name."""
    if not any("image" in volume for volume in pod["spec"].get("volumes", ())):
        return []
    mounted = {entry["name"] for entry in container.get("volumeMounts", ())}
    return [
        {
            "name": "",
            "image": volume["image"].get("reference", ""),
            "imagePullPolicy": volume["image"].get("pullPolicy", "IfNotPresent"),
        }
        for volume in pod["spec"]["volumes"]
        if "image" in volume and volume["name"] in mounted
    ]


def config_sources(pod: Object) -> list[tuple[str, str]]:
    """(resource, name) of the ConfigMaps and Secrets that the pod's volumes show."""
    found: list[tuple[str, str]] = []
    for volume in pod["spec"].get("volumes", ()):
        for field, resource, reference in _SOURCES:
            if field in volume:
                found.append((resource, volume[field][reference]))
            for source in volume.get("projected", {}).get("sources") or ():
                if field in source:
                    found.append((resource, source[field]["name"]))
    return list(dict.fromkeys(found))


def check_mounts(world: World, pod: Object, state: PodState, container: Object) -> None:
    """Refuse sub-paths of a container that cannot be used.

    Raises:
        Missing: A variable in one has no value, or it leads out of its volume.
    """
    env: dict[str, str] | None = None
    for entry in container.get("volumeMounts", ()):
        path = entry.get("subPath") or ""
        if entry.get("subPathExpr"):
            if env is None:
                env = environment(world, pod, state, container, "")
            path = expand(entry["subPathExpr"], env)
            unknown = [name for name in references(entry["subPathExpr"]) if not env.get(name)]
            if unknown:
                message = f"missing value for {', '.join(sorted(unknown))}"
                raise Missing(message)
        if path.startswith("/"):
            message = f"error SubPath `{path}` must not be an absolute path"
            raise Missing(message)
        if ".." in path.split("/"):
            message = f"unable to provision SubPath `{path}`: must not contain '..'"
            raise Missing(message)


def container_mounts(
    world: World, container: Object, mounts: dict[str, Mount], env: dict[str, str]
) -> dict[str, Mount]:
    """Path -> what stands there, for one container."""
    seen: dict[str, Mount] = {}
    for entry in container.get("volumeMounts", ()):
        mount = mounts[entry["name"]]
        sub_path = entry.get("subPath") or None
        if entry.get("subPathExpr"):
            sub_path = expand(entry["subPathExpr"], env)
        if mount.kind == IMAGE:
            mount, sub_path = _of_image(world, mount, sub_path)
        read_only = bool(entry.get("readOnly")) or mount.read_only or mount.kind == "files"
        seen[entry["mountPath"]] = Mount(
            mount.kind, mount.volume, mount.files, mount.source, sub_path, read_only
        )
    return seen


def _of_image(world: World, mount: Mount, sub_path: str | None) -> tuple[Mount, str | None]:
    """The files of an image, or of a folder in it; the sub-path is left where it is a file."""
    runtime = world.service(RUNTIME)
    files: dict[str, str] = {}
    if isinstance(runtime, ImageReader):
        files = runtime.image_files(world, mount.volume)
    if sub_path and sub_path not in files:
        folder = f"{sub_path.strip('/')}/"
        files = {
            path.removeprefix(folder): text
            for path, text in files.items()
            if path.startswith(folder)
        }
        sub_path = None
    return Mount("files", mount.volume, files, read_only=True), sub_path


def _selected(
    world: World, namespace: str, resource: str, name: str, source: dict[str, Any]
) -> dict[str, str]:
    data = config_data(world, namespace, resource, name)
    if data is None:
        if source.get("optional"):
            return {}
        message = f'{_KINDS[resource]} "{name}" not found'
        raise Missing(message)
    items = source.get("items")
    if not items:
        return data
    files: dict[str, str] = {}
    for item in items:
        if item["key"] in data:
            files[item["path"]] = data[item["key"]]
        elif not source.get("optional"):
            raise Missing(_NON_EXISTENT[resource].format(item["key"]))
    return files


def _projected(
    world: World, pod: Object, state: PodState, host_ip: str, projected: Object
) -> dict[str, str]:
    files: dict[str, str] = {}
    wrong: dict[str, None] = {}
    for source in projected.get("sources") or ():
        try:
            files.update(_source(world, pod, state, host_ip, source))
        except Missing as missing:
            wrong[str(missing)] = None
    if wrong:
        raise Missing(next(iter(wrong)) if len(wrong) == 1 else f"[{', '.join(wrong)}]")
    return files


def _source(
    world: World, pod: Object, state: PodState, host_ip: str, source: Object
) -> dict[str, str]:
    """The files of one source of a projected volume."""
    for field, resource, _ in _SOURCES:
        if field in source:
            part = source[field]
            return _selected(world, pod["metadata"]["namespace"], resource, part["name"], part)
    if "downwardAPI" in source:
        return _downward(world, pod, state, host_ip, source["downwardAPI"])
    if "serviceAccountToken" in source:
        wanted = source["serviceAccountToken"]
        audiences = (wanted["audience"],) if wanted.get("audience") else ()
        lifetime_s = wanted.get("expirationSeconds", 3600)
        return {wanted["path"]: issue_to_pod(world, pod, lifetime_s, audiences)}
    return {}


def _downward(
    world: World, pod: Object, state: PodState, host_ip: str, source: Object
) -> dict[str, str]:
    files = {}
    for item in source.get("items", ()):
        if "fieldRef" in item:
            path = item["fieldRef"]["fieldPath"]
            files[item["path"]] = field_value(pod, state, host_ip, path)
        else:
            files[item["path"]] = resource_value(
                world, pod, pod["spec"]["containers"][0], item["resourceFieldRef"]
            )
    return files


def _claimed(world: World, namespace: str, claim: str, volume: Object) -> Mount:
    obj = world.store.get(Key("persistentvolumeclaims", namespace, claim))
    place = f"error processing PVC {namespace}/{claim}"
    if obj is None:
        why = f'failed to fetch PVC from API server: persistentvolumeclaims "{claim}" not found'
        raise UnclaimedError(f"{place}: {why}")
    bound = obj["spec"].get("volumeName")
    if not bound or obj.get("status", {}).get("phase") != "Bound":
        raise UnclaimedError(f"{place}: PVC is not bound")
    read_only = bool(volume.get("persistentVolumeClaim", {}).get("readOnly"))
    return Mount("volume", f"pv/{bound}", read_only=read_only)
