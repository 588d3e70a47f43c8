"""One embedded cluster for one episode: the core's interface over a world in this process."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
from sregym_core.errors import UsageError
from sregym_core.interfaces import (
    Access,
    Checkpoint,
    Cluster,
    ClusterError,
    ClusterSpec,
    CommandResult,
    default_actor,
    run_with_deadline,
)
from sregym_kubernetes.operations import KubernetesOperations
from sregym_kubernetes.scratch import ScratchFolder

from sregym_cluster_embedded.api.errors import ApiError
from sregym_cluster_embedded.api.pki.authority import certificate_authority
from sregym_cluster_embedded.api.request import Request, Response, User
from sregym_cluster_embedded.api.server import handle
from sregym_cluster_embedded.cluster import telemetry_services
from sregym_cluster_embedded.cluster.addressing import (
    PATCH_TYPES,
    collection_of,
    error_of,
    resource_of,
)
from sregym_cluster_embedded.cluster.backdating import Backdating
from sregym_cluster_embedded.cluster.blaming import Blaming
from sregym_cluster_embedded.cluster.clock import VirtualClock
from sregym_cluster_embedded.cluster.commands import Commands, hide_on_nodes, wall_seconds
from sregym_cluster_embedded.cluster.nodes import EmbeddedNodes
from sregym_cluster_embedded.cluster.reads import Reads
from sregym_cluster_embedded.cluster.state_outside_api import OutsideTheApi
from sregym_cluster_embedded.cluster.writers import user_of
from sregym_cluster_embedded.http.kubeconfig import write_kubeconfig
from sregym_cluster_embedded.http.live import LIMIT_S, LiveWorld
from sregym_cluster_embedded.http.pacing import Paced, Stepped
from sregym_cluster_embedded.http.status import KILLED, TIMED_OUT, failure_response
from sregym_cluster_embedded.kubectl.containers import ContainerNotRunningError, run_in_container
from sregym_cluster_embedded.kubelet.runtime import ExecResult

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from sregym_core.interfaces import Actor, Clock, Command, NodeAccess, Operations, ServiceAnswer
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import ObjectRef
    from sregym_core.policy import Policy

    from sregym_cluster_embedded.api.pki.authority import Signed
    from sregym_cluster_embedded.api.request import Connect, Watch
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.cluster.telemetry_services import Query
    from sregym_cluster_embedded.http.observability import ObservabilityEndpoint
    from sregym_cluster_embedded.http.server import ApiEndpoint
    from sregym_cluster_embedded.world import World


class EmbeddedCluster(Backdating, OutsideTheApi, Blaming, Cluster):
    """A world in this process.

    Args:
        world: The cluster; no other code may use it from now on.
        spec: What the episode asked for.
        reads: What was read of the world of which this one is a fork; None for none.
    """

    nodes_are_apart = True

    def __init__(self, world: World, spec: ClusterSpec, reads: Reads | None = None) -> None:
        limit_s = float(spec.options.get("call-limit", LIMIT_S))
        self._live = LiveWorld(world, Stepped(request_cost_s=0.0), limit_s=limit_s)
        self._clock = VirtualClock(self._live)
        self._spec = spec
        self._commands = Commands(self._live)
        self._agent: Commands | None = None
        self._policy: Policy | None = None
        self._reads = reads or Reads()
        self._endpoint: ApiEndpoint | None = None
        self._services: list[ObservabilityEndpoint] = []
        self._credentials: Signed | None = None
        self._scratch: ScratchFolder | None = None

    @property
    def clock(self) -> Clock:
        """Virtual time."""
        return self._clock

    @property
    def live(self) -> LiveWorld:
        """The world behind this cluster, for tools of this plugin."""
        return self._live

    def get(self, ref: ObjectRef) -> KubeObject | None:
        """The object, or None."""
        resource = resource_of(self._live, ref.api_version, ref.kind)
        with self._reading(resource) as world:
            return self._reads.get(world, resource, ref.namespace, ref.name)

    def list(
        self, api_version: str, kind: str, namespace: str = "", selector: str = ""
    ) -> list[KubeObject]:
        """Objects of a kind."""
        resource = resource_of(self._live, api_version, kind)
        with self._reading(resource) as world:
            try:
                return self._reads.list(world, resource, namespace, selector)
            except ApiError as error:
                raise ClusterError(error.code, error.reason, error.message) from error

    def _reading(self, resource: Resource) -> AbstractContextManager[World]:
        """The world to read objects in; webhooks that convert custom resources may change it."""
        return self._live.look() if resource.selectable is None else self._live.open()

    def create(self, obj: KubeObject, actor: Actor | None = None) -> KubeObject:
        """Create an object."""
        resource = resource_of(self._live, obj["apiVersion"], obj["kind"])
        path = collection_of(resource, obj["metadata"].get("namespace", ""))
        return self._write("POST", path, obj, actor or default_actor("create"))

    def replace(self, obj: KubeObject, actor: Actor | None = None) -> KubeObject:
        """Replace an object."""
        resource = resource_of(self._live, obj["apiVersion"], obj["kind"])
        metadata = obj["metadata"]
        path = f"{collection_of(resource, metadata.get('namespace', ''))}/{metadata['name']}"
        return self._write("PUT", path, obj, actor or default_actor("replace"))

    def patch(
        self, ref: ObjectRef, patch: Any, kind: str = "strategic", actor: Actor | None = None
    ) -> KubeObject:
        """Patch an object."""
        actor = actor or default_actor("patch")
        return self._write("PATCH", self._path(ref), patch, actor, PATCH_TYPES[kind])

    def delete(
        self, ref: ObjectRef, propagation: str = "Background", actor: Actor | None = None
    ) -> None:
        """Ask for deletion."""
        options = {"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": propagation}
        try:
            self._write("DELETE", self._path(ref), options, actor or default_actor("delete"))
        except ClusterError as error:
            if error.status != 404:
                raise

    def logs(
        self,
        namespace: str,
        pod: str,
        container: str = "",
        *,
        since_s: float | None = None,
        previous: bool = False,
    ) -> str:
        """Log text of a container."""
        query = [("container", container)] if container else []
        if since_s is not None:
            query.append(("sinceSeconds", str(max(1, round(since_s)))))
        if previous:
            query.append(("previous", "true"))
        path = f"/api/v1/namespaces/{namespace}/pods/{pod}/log"
        return self._answer(Request("GET", path, tuple(query))).body.decode()

    def exec(
        self, namespace: str, pod: str, command: Sequence[str], container: str = "", stdin: str = ""
    ) -> CommandResult:
        """Run a command in a container; one that computes for too long is killed."""

        def run() -> ExecResult:
            with self._live.open() as world:
                try:
                    return run_in_container(world, namespace, pod, container, (*command,), stdin)
                except ContainerNotRunningError as error:
                    raise ClusterError(404, "NotFound", str(error)) from error

        done = run_with_deadline(run, self._live.limit_s, lambda: ExecResult(KILLED), cpu=True)
        if done.error:
            return CommandResult(done.exit_code or 126, done.stdout, done.error)
        return CommandResult(done.exit_code, done.stdout, done.stderr)

    def kubectl(self, command: Command) -> CommandResult:
        """Run a kubectl command with full rights."""
        return self._commands.run(command.argv[1:], command.stdin, self._folder)

    def kubectl_for(self, command: Command, policy: Policy) -> CommandResult:
        """Run a kubectl command as an agent does."""
        if self._agent is None or self._agent.policy is not policy:
            if self._agent is not None:
                self._agent.close()
            self._agent = Commands(self._live, policy)
        return self._agent.run(command.argv[1:], command.stdin, self._folder)

    @property
    def services(self) -> tuple[str, ...]:
        """Those of the telemetry layer."""
        return telemetry_services.names()

    def observe(
        self, service: str, path: str, query: Query = (), method: str = "GET", body: bytes = b""
    ) -> ServiceAnswer:
        """Ask a service in this process."""
        return telemetry_services.request_service(
            self._live, telemetry_services.service(service), path, query, method, body
        )

    def observe_for(
        self, policy: Policy, service: str, path: str, query: Query = ()
    ) -> ServiceAnswer:
        """Ask a service that neither tells of what is hidden nor counts it."""
        asked = telemetry_services.redacts(self, policy, telemetry_services.service(service))
        return telemetry_services.request_service(self._live, asked, path, query)

    @property
    def operations(self) -> Operations:
        """Those of any Kubernetes."""
        return KubernetesOperations(self)

    @property
    def nodes(self) -> NodeAccess:
        """The machines of the world."""
        return EmbeddedNodes(self._live)

    def approach_wall_clock(self, lead_s: float) -> None:
        """Let virtual time pass up to `lead_s` seconds before the wall clock's."""
        with self._live.open() as world:
            behind = wall_seconds() - (world.epoch + world.now)
        self._clock.advance(behind - lead_s)

    def open_access(self) -> Access:
        """Serve the Kubernetes API on loopback; from now on time keeps pace with the wall clock."""
        ratio = float(self._spec.options.get("pace", "1"))
        # Clients print ages by the wall clock: virtual time has to equal it.
        self.approach_wall_clock(0.0)
        self._live.pacing = Paced(ratio)
        url = self._serve()
        assert self._endpoint is not None
        self._endpoint.shift_s = 0
        namespaces = [name for app in self._spec.applications for name in app.namespaces]
        namespace = namespaces[0] if namespaces else "default"
        kubeconfig = self._kubeconfig("kubeconfig", namespace)
        endpoints = {"kubernetes": url, **self._observability()}
        return Access(kubeconfig=kubeconfig, endpoints=endpoints, folder=self._folder())

    def open_access_for(self, policy: Policy) -> Access:
        """The same, with services of observability that hide what is hidden from an agent."""
        self._policy = policy
        hide_on_nodes(self._live, policy)
        return self.open_access()

    def interrupt(self) -> None:
        """End what a client has the world compute at this moment, if it takes long."""
        self._live.holding.interrupt()

    def checkpoint(self) -> Checkpoint:
        """This moment, to go on from any number of times."""
        with self._live.open() as world:
            return EmbeddedCheckpoint(world.fork(), self._reads.fork())

    def close(self) -> None:
        """Stop serving, and forget the world's files and what was worked out of it."""
        self._commands.close()
        self._live.forget()
        if self._agent is not None:
            self._agent.close()
            self._agent = None
        while self._services:
            self._services.pop().close()
        if self._endpoint is not None:
            self._endpoint.close()
            self._endpoint = None
        if self._scratch is not None:
            self._scratch.cleanup()
            self._scratch = None

    def _serve(self) -> str:
        # The web server is imported only where one is served: most episodes need none.
        from sregym_cluster_embedded.http.aiohttp_server import EndpointError
        from sregym_cluster_embedded.http.server import ApiEndpoint

        if self._endpoint is None:
            port = int(self._spec.options.get("port", "0"))
            endpoint = ApiEndpoint(self._live, port, secure=True)
            try:
                endpoint.start()
            except EndpointError as error:
                raise UsageError(f"{error} (option --port)") from error
            self._endpoint = endpoint
        return self._endpoint.url

    def _observability(self) -> dict[str, str]:
        """Serve what there is to observe by; base addresses by name."""
        from sregym_cluster_embedded.http.observability import (
            NO_STREAMS,
            STREAMS,
            ObservabilityEndpoint,
        )
        from sregym_cluster_embedded.telemetry.endpoints import SERVICES, service

        for name in SERVICES:
            # What goes on by itself cannot be gone through: there is none where something is hidden.
            hides = self._policy is not None and self._policy.redacts
            streams = NO_STREAMS if hides else STREAMS.get(name, NO_STREAMS)
            answer = service(name)
            if self._policy is not None:
                answer = telemetry_services.redacts(self, self._policy, answer)
            endpoint = ObservabilityEndpoint(self._live, answer, streams=streams)
            endpoint.start()
            self._services.append(endpoint)
        return {name: served.url for name, served in zip(SERVICES, self._services, strict=True)}

    def _kubeconfig(self, name: str, namespace: str = "default") -> Path:
        """A file by which clients are the administrator of this cluster."""
        from sregym_cluster_embedded.http.secure import client_credentials

        url, admin = self._serve(), User()
        with self._live.open() as world:
            authority = certificate_authority(world)
            if self._credentials is None:
                self._credentials = client_credentials(world, admin.name, admin.groups[:1])
        path = self._folder() / name
        return write_kubeconfig(
            path, url, namespace, authority=authority, credentials=self._credentials
        )

    def _folder(self) -> Path:
        if self._spec.folder is not None:
            return self._spec.folder
        if self._scratch is None:
            self._scratch = ScratchFolder("cluster-")
        return Path(self._scratch.name)

    def _path(self, ref: ObjectRef) -> str:
        return f"{collection_of(resource_of(self._live, ref.api_version, ref.kind), ref.namespace)}/{ref.name}"

    def _write(
        self,
        method: str,
        path: str,
        body: Any,
        actor: Actor,
        content_type: str = "application/json",
    ) -> KubeObject:
        headers = {"content-type": content_type, "accept": "application/json"}
        headers["user-agent"] = actor.user_agent
        manager = () if method == "DELETE" else (("fieldManager", actor.manager),)
        request = Request(method, path, manager, headers, orjson.dumps(body), user=user_of(actor))
        content: KubeObject = orjson.loads(self._answer(request).body)
        return content

    def _answer(self, request: Request) -> Response:
        def ask() -> Response | Watch | Connect:
            with self._live.open() as world:
                return handle(world, request)

        limit_s = self._live.limit_s
        answer = run_with_deadline(ask, limit_s, lambda: failure_response(504, TIMED_OUT), cpu=True)
        if not isinstance(answer, Response):
            msg = f"{request.method} {request.path} answers with a stream"
            raise ClusterError(400, "BadRequest", msg)
        if answer.status >= 400:
            raise error_of(answer)
        return answer


class EmbeddedCheckpoint(Checkpoint):
    """A world that is not run itself: forks of it are.

    Args:
        world: The state to go on from.
        reads: What was read of it; no other code may use it.
    """

    def __init__(self, world: World, reads: Reads) -> None:
        self._world, self._reads = world, reads

    def fork(self, spec: ClusterSpec) -> Cluster:
        """A cluster that goes on from here."""
        return EmbeddedCluster(self._world.fork(spec.seed, spec.salt), spec, self._reads.fork())
