"""The kubectl commands of reference fixes, as an SRE would type them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import yaml
from sregym_core.interfaces import Command

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import ObjectRef

ROLLOUT_TIMEOUT_S = 300


class _ManifestDumper(yaml.SafeDumper):
    """Writes texts of several lines as blocks, the way people write manifests."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_ManifestDumper.add_representer(str, _text)


def manifest_yaml(manifests: Sequence[KubeObject]) -> str:
    """Manifests as one YAML stream."""
    return yaml.dump_all(manifests, Dumper=_ManifestDumper, sort_keys=False)


def apply(*manifests: KubeObject) -> Command:
    """`kubectl apply -f -` with the manifests on stdin."""
    return Command(("kubectl", "apply", "-f", "-"), manifest_yaml(manifests))


def patch(ref: ObjectRef, patch: Any, kind: str = "strategic") -> Command:
    """`kubectl patch`; `kind` is `strategic`, `merge` or `json`."""
    return _on(ref, "patch", f"--type={kind}", "-p", json.dumps(patch))


def delete(ref: ObjectRef) -> Command:
    """`kubectl delete`, which waits until the object is gone."""
    return _on(ref, "delete")


def delete_pods(namespace: str, selector: str) -> Command:
    """`kubectl delete pods` by labels, which waits until they are gone."""
    return Command(("kubectl", "delete", "pods", "-n", namespace, "-l", selector))


def wait_deleted(namespace: str, selector: str, timeout_s: int = ROLLOUT_TIMEOUT_S) -> Command:
    """`kubectl wait` until no pod has the labels."""
    words = ("kubectl", "wait", "pods", "-n", namespace, "-l", selector)
    return Command((*words, "--for=delete", f"--timeout={timeout_s}s"))


def scale(ref: ObjectRef, replicas: int) -> Command:
    """`kubectl scale`."""
    return _on(ref, "scale", f"--replicas={replicas}")


def set_image(ref: ObjectRef, container: str, image: str) -> Command:
    """`kubectl set image`."""
    return _on(ref, "set", f"{container}={image}", noun="image")


def rollout_restart(ref: ObjectRef) -> Command:
    """`kubectl rollout restart`."""
    return _on(ref, "rollout", noun="restart")


def rollout_status(ref: ObjectRef, timeout_s: int = ROLLOUT_TIMEOUT_S) -> Command:
    """`kubectl rollout status`, which waits until the rollout is done."""
    return _on(ref, "rollout", f"--timeout={timeout_s}s", noun="status")


def execute(ref: ObjectRef, container: str, argv: Sequence[str]) -> Command:
    """`kubectl exec` in a pod of a workload."""
    return _on(ref, "exec", "-c", container, "--", *argv)


def restart_and_wait(refs: Sequence[ObjectRef]) -> tuple[Command, ...]:
    """Restart workloads, then wait for each."""
    return (*map(rollout_restart, refs), *map(rollout_status, refs))


def _on(ref: ObjectRef, verb: str, *options: str, noun: str = "") -> Command:
    words = (verb, noun) if noun else (verb,)
    target = f"{ref.kind.lower()}/{ref.name}"
    place = ("-n", ref.namespace) if ref.namespace else ()
    return Command(("kubectl", *words, target, *place, *options))
