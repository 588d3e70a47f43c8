"""What hangs below one object: scale, binding, eviction, logs and streams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import (
    body,
    dynamic,
    errors,
    internal_client,
    log_options,
    read_requests,
    rest_mutations,
)
from sregym_cluster_embedded.api.chosen_container import chosen_container
from sregym_cluster_embedded.api.dynamic import writes as dynamic_writes
from sregym_cluster_embedded.api.eviction import eviction as eviction
from sregym_cluster_embedded.api.keys import KUBELET_REACHABLE, LOGS
from sregym_cluster_embedded.api.rendering import encode
from sregym_cluster_embedded.api.request import Connect, Response
from sregym_cluster_embedded.api.scaling import scale as scale
from sregym_cluster_embedded.api.validation import causes
from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.request import Request
    from sregym_cluster_embedded.api.target import Target
    from sregym_cluster_embedded.world import World

_CREATED = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}


def binding(world: World, request: Request, target: Target) -> Response:
    """POST to pods/NAME/binding."""
    sent = body.typed(
        request, body.parsed(request, "Binding"), "", "v1", "Binding", body.Warnings()
    )
    if dynamic.configured(world):
        sent = dynamic_writes.posted_below(world, request, target, sent)
    aim = sent.get("target", {})
    wrong = causes.one_of("target.kind", aim.get("kind") or None, ("Node", "<empty>"))
    if not (node := aim.get("name", "")):
        wrong.append(causes.required("target.name"))
    if wrong:
        raise errors.invalid("", "Binding", target.name, wrong)
    if not rest_mutations.dry_run(request):
        internal_client.bind(world, Key("pods", target.namespace, target.name), node)
    return encode(_CREATED, status=201)


def log(world: World, request: Request, target: Target) -> Response | Connect:
    """GET of pods/NAME/log: the text, or a stream when it is followed."""
    pod = read_requests.existing(world, target)
    container = chosen_container(pod, request.parameter("container"))
    options = {name: value for name, value in request.query if name != "container"}
    if options:
        log_options.check(target.name, options)
    if request.flag("follow"):
        # Refuses what cannot be read before the stream begins.
        world.service(LOGS)(world, target.namespace, target.name, container, options)
        return Connect("log", target.namespace, target.name, container, options)
    text = world.service(LOGS)(world, target.namespace, target.name, container, options)
    return Response(200, text.encode(), "text/plain")


def stream(world: World, request: Request, target: Target) -> Connect:
    """exec, attach and portforward: what the transport needs to begin."""
    pod = read_requests.existing(world, target)
    forwards = target.subresource == "portforward"
    container = "" if forwards else chosen_container(pod, request.parameter("container"))
    if (check := world.service_or_none(KUBELET_REACHABLE)) is not None:
        check(world, pod, target.subresource)
    if forwards:
        ports = tuple(int(text) for text in request.parameters("ports") if text.isdecimal())
        if dynamic.configured(world):
            wish = {"kind": "PodPortForwardOptions", "apiVersion": "v1", "ports": list(ports)}
            dynamic_writes.connected(world, request, target, wish, [])
        return Connect("portforward", target.namespace, target.name, "", {"ports": ports})
    options: dict[str, Any] = {
        name: request.flag(name) for name in ("stdin", "stdout", "stderr", "tty")
    }
    if dynamic.configured(world):
        kind = "PodExecOptions" if target.subresource == "exec" else "PodAttachOptions"
        asked = {"kind": kind, "apiVersion": "v1", **options, "container": container}
        if request.parameters("command"):
            asked["command"] = list(request.parameters("command"))
        dynamic_writes.connected(world, request, target, asked, [])
    if target.subresource == "exec":
        options["command"] = request.parameters("command")
        if not options["command"]:
            raise errors.bad_request("you must specify at least 1 command for the container")
    return Connect(target.subresource, target.namespace, target.name, container, options)


def finalize(world: World, request: Request, target: Target) -> Response:
    """PUT of namespaces/NAME/finalize: the finalizers in its spec."""
    sent = body.typed(
        request, body.parsed(request, "Namespace"), "", "v1", "Namespace", body.Warnings()
    )
    old = read_requests.existing(world, target)
    spec = {k: v for k, v in old.get("spec", {}).items() if k != "finalizers"}
    finalizers = sent.get("spec", {}).get("finalizers")
    new = {**old, "spec": {**spec, "finalizers": finalizers} if finalizers else spec}
    if dynamic.configured(world):
        dynamic_writes.check(world, request, target, new, old, [])
    if internal_client.finished(new):
        world.store.delete(Key("namespaces", "", target.name))
        return encode(new)
    return encode(world.store.put("namespaces", new))
