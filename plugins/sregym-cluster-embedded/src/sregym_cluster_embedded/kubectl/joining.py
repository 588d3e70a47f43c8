"""`kubectl attach`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.attended import join, tried_ahead
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered
from sregym_cluster_embedded.kubectl.flags import Flag, switch
from sregym_cluster_embedded.kubectl.streams import container_of, pod_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubectl.session import Session

ATTACH_FLAGS = (
    Flag("container", "c"), switch("stdin", "i"), switch("tty", "t"), switch("quiet", "q"),
    Flag("pod-running-timeout"),
)  # fmt: skip


def attach(session: Session) -> None:
    """Run `kubectl attach` to a process that ends, or that is not there."""
    arguments = session.arguments
    words = arguments.words
    if not words:
        raise CommandError("error: at least 1 argument is required for attach")
    if len(words) > 1:
        raise NotCovered("attach to a type and a name")
    if session.headers:
        raise NotCovered("attach as somebody else")
    pod = pod_of(session, words[0])
    phase = pod.get("status", {}).get("phase")
    if phase in ("Succeeded", "Failed"):
        what = "cannot attach a container in a completed pod"
        raise CommandError(f"error: {what}; current phase is {phase}")
    try:
        container = container_of(session, pod)
    except CommandError as error:
        why = error.text.removeprefix("error: ")
        raise CommandError(f"error: cannot attach to the container: {why}") from error
    spec = next(c for c in _all_containers(pod["spec"]) if c["name"] == container)
    if arguments.on("tty") and not spec.get("tty"):
        if not arguments.on("quiet"):
            text = f"Unable to use a TTY - container {container} did not allocate one"
            session.complain(f"error: {text}")
        arguments.given.pop("tty")
    metadata = pod["metadata"]
    tried_ahead(session, lambda s: join(s, metadata["namespace"], metadata["name"], container))


def _all_containers(spec: dict[str, list[dict[str, object]]]) -> list[dict[str, object]]:
    fields = ("containers", "initContainers", "ephemeralContainers")
    return [container for field in fields for container in spec.get(field, ())]
