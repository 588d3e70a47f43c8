"""A cluster behind a kubeconfig: the core's interface over the official client."""

from __future__ import annotations

import os
import subprocess
from contextlib import ExitStack, contextmanager
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from kubernetes.client import ApiClient, CoreV1Api, VersionApi
from kubernetes.dynamic import DynamicClient
from kubernetes.stream import stream
from sregym_core.interfaces import (
    Access,
    Cluster,
    ClusterError,
    ClusterSpec,
    CommandResult,
    ServiceAnswer,
    default_actor,
)
from sregym_kubernetes.kubectl import KubectlError, find_kubectl
from sregym_kubernetes.operations import KubernetesOperations
from sregym_kubernetes.scratch import ScratchFolder
from sregym_kubernetes.telemetry_redaction import observe_with_policy

from sregym_cluster_kubernetes.clock import ServerClock
from sregym_cluster_kubernetes.failure import translated
from sregym_cluster_kubernetes.nodes.access import access_to
from sregym_cluster_kubernetes.telemetry.services import Services
from sregym_cluster_kubernetes.versions import numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sregym_core.interfaces import Actor, Clock, Command, NodeAccess
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import ObjectRef
    from sregym_core.policy import Policy

    from sregym_cluster_kubernetes.options import ClusterOptions

PATCH_TYPES = {
    "strategic": "application/strategic-merge-patch+json",
    "merge": "application/merge-patch+json",
    "json": "application/json-patch+json",
}
KUBECTL_TIMEOUT_S = 900.0
EXEC_TIMEOUT_S = 120.0


class KubernetesCluster(Cluster):
    """A real cluster.

    Args:
        client: Of the official library, configured.
        config: The kubeconfig, reduced to the context that is used.
        options: What the user said of it.
        spec: What the episode asked for.

    Attributes:
        telemetry: Its services of observability.
    """

    def __init__(
        self,
        client: ApiClient,
        config: Mapping[str, Any],
        options: ClusterOptions,
        spec: ClusterSpec,
    ) -> None:
        self._client = client
        self._core = CoreV1Api(client)
        self._version = VersionApi(client)
        self._config = config
        self._options = options
        self._nodes: NodeAccess | None = None
        self.nodes_are_apart = options.enter_nodes
        self._spec = spec
        self._scratch: ScratchFolder | None = None
        self._private: ScratchFolder | None = None
        self._guards = ExitStack()
        self._guard_of: Policy | None = None
        self._binary = ""
        self.telemetry = Services(client, options, lambda place: self.list("v1", "Service", place))
        # By default it would be left for the next cluster at the same address, whatever is there.
        discovery = self._own_kubeconfig().with_name("discovery")
        try:
            with translated():
                self._dynamic = DynamicClient(client, cache_file=str(discovery))
                self._clock = ServerClock(self._server_time, options.pace)
        except BaseException:
            self.close()
            raise

    @property
    def clock(self) -> Clock:
        """The clock of the API server."""
        return self._clock

    def get(self, ref: ObjectRef) -> KubeObject | None:
        """The object, or None."""
        try:
            with translated():
                resource = self._resource(ref.api_version, ref.kind)
                found = resource.get(name=ref.name, namespace=ref.namespace or None)
        except ClusterError as error:
            if error.status == 404:
                return None
            raise
        return _plain(found)

    def list(
        self, api_version: str, kind: str, namespace: str = "", selector: str = ""
    ) -> list[KubeObject]:
        """Objects of a kind."""
        with translated():
            found = self._resource(api_version, kind).get(
                namespace=namespace or None, label_selector=selector or None
            )
        head = {"apiVersion": api_version, "kind": kind}
        items = [{**head, **item} for item in _plain(found).get("items", ())]
        return sorted(items, key=_place)

    def create(self, obj: KubeObject, actor: Actor | None = None) -> KubeObject:
        """Create an object."""
        with self._acting(actor or default_actor("create")) as options:
            resource = self._resource(obj["apiVersion"], obj["kind"])
            place = obj["metadata"].get("namespace")
            return _plain(resource.create(body=obj, namespace=place, **options))

    def replace(self, obj: KubeObject, actor: Actor | None = None) -> KubeObject:
        """Replace an object."""
        with self._acting(actor or default_actor("replace")) as options:
            resource = self._resource(obj["apiVersion"], obj["kind"])
            place = obj["metadata"].get("namespace")
            return _plain(resource.replace(body=obj, namespace=place, **options))

    def patch(
        self, ref: ObjectRef, patch: Any, kind: str = "strategic", actor: Actor | None = None
    ) -> KubeObject:
        """Patch an object."""
        with self._acting(actor or default_actor("patch")) as options:
            resource = self._resource(ref.api_version, ref.kind)
            changed = resource.patch(
                body=patch,
                name=ref.name,
                namespace=ref.namespace or None,
                content_type=PATCH_TYPES[kind],
                **options,
            )
        return _plain(changed)

    def delete(
        self, ref: ObjectRef, propagation: str = "Background", actor: Actor | None = None
    ) -> None:
        """Ask for deletion."""
        body = {"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": propagation}
        try:
            # A deletion has no field manager.
            with self._acting(actor or default_actor("delete")):
                resource = self._resource(ref.api_version, ref.kind)
                resource.delete(name=ref.name, namespace=ref.namespace or None, body=body)
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
        options: dict[str, Any] = {"previous": previous}
        if container:
            options["container"] = container
        if since_s is not None:
            options["since_seconds"] = max(1, round(since_s))
        with translated():
            # Without preloading the client decodes the bytes; with it, it prints their repr.
            answer: Any = self._core.read_namespaced_pod_log(
                pod, namespace, _preload_content=False, **options
            )
            text: str = answer.data.decode(errors="replace")
        return text

    def exec(
        self, namespace: str, pod: str, command: Sequence[str], container: str = "", stdin: str = ""
    ) -> CommandResult:
        """Run a command in a container."""
        with translated():
            channel = stream(
                self._core.connect_get_namespaced_pod_exec,
                pod,
                namespace,
                command=list(command),
                stdin=bool(stdin),
                stdout=True,
                stderr=True,
                tty=False,
                _preload_content=False,
                **({"container": container} if container else {}),
            )
            if stdin:
                channel.write_stdin(stdin)
                # Who reads all of it waits for its end, which older servers and clients cannot tell.
                getattr(channel, "close_channel", int)(0)
            channel.run_forever(timeout=EXEC_TIMEOUT_S)
            done = CommandResult(
                int(channel.returncode or 0), channel.read_stdout(), channel.read_stderr()
            )
            channel.close()
            channel.sock.shutdown()  # it stays open where the server closed first
        return done

    def kubectl(self, command: Command) -> CommandResult:
        """Run the kubectl binary with full rights."""
        return self._run(command, self._own_kubeconfig())

    def kubectl_for(self, command: Command, policy: Policy) -> CommandResult:
        """Run the binary through a guard, the same that stands before an agent's own clients."""
        return self._run(command, self._guarded(policy))

    def _guarded(self, policy: Policy) -> Path:
        from sregym_agents.guard.background import BackgroundGuard
        from sregym_agents.guard.upstream import read_upstream
        from sregym_agents.outside import write_kubeconfig

        kubeconfig = self._own_kubeconfig().with_name("kubeconfig.agent")
        if self._guard_of is not policy:
            self._guards.close()
            upstream = read_upstream(self._own_kubeconfig())
            guard = self._guards.enter_context(BackgroundGuard(upstream, policy))
            write_kubeconfig(kubeconfig, guard.url, upstream.namespace)
            self._guard_of = policy
        return kubeconfig

    def _own_kubeconfig(self) -> Path:
        """That of the harness, in a folder that no other user can read and that no agent is given."""
        if self._private is None:
            self._private = ScratchFolder("cluster-")
            self._write(Path(self._private.name) / "kubeconfig")
        return Path(self._private.name) / "kubeconfig"

    def _run(self, command: Command, kubeconfig: Path) -> CommandResult:
        try:
            binary = self._binary = self._binary or find_kubectl(self._server()).path
        except KubectlError as error:
            return CommandResult(127, "", f"{error}\n")
        try:
            done = subprocess.run(
                [binary, *command.argv[1:]],
                input=command.stdin,
                capture_output=True,
                text=True,
                env={**os.environ, "KUBECONFIG": str(kubeconfig)},
                cwd=self._folder(),
                timeout=KUBECTL_TIMEOUT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            text = f"kubectl did not end within {KUBECTL_TIMEOUT_S:g} s and was ended\n"
            return CommandResult(124, "", text)
        return CommandResult(done.returncode, done.stdout, done.stderr)

    @property
    def services(self) -> tuple[str, ...]:
        """Those that the user named, or that stand in the namespace of telemetry."""
        return tuple(self.telemetry.places)

    def observe(
        self,
        service: str,
        path: str,
        query: Sequence[tuple[str, str]] = (),
        method: str = "GET",
        body: bytes = b"",
    ) -> ServiceAnswer:
        """Ask a service over HTTP."""
        return self.telemetry.ask(service, path, query, method, body)

    @property
    def operations(self) -> KubernetesOperations:
        """Those of any Kubernetes."""
        return KubernetesOperations(self)

    @property
    def nodes(self) -> NodeAccess | None:
        """The machines, by the way that the user named; none unless one was."""
        if self._nodes is None:
            given = self._options
            self._nodes = access_to(self, given.nodes, given.ssh_user, given.ssh_config)
        return self._nodes

    def hidden_state(self) -> Mapping[str, str]:
        """Nothing: what a real cluster keeps outside its API cannot be read in general."""
        return {}

    def open_access(self) -> Access:
        """A kubeconfig of its own, and the services of observability."""
        return self._access(self.observe)

    def observe_for(
        self, policy: Policy, service: str, path: str, query: Sequence[tuple[str, str]] = ()
    ) -> ServiceAnswer:
        """The same for an agent: without what is hidden from it."""
        return observe_with_policy(self, policy, service, path, query)

    def open_access_for(self, policy: Policy) -> Access:
        """The same; what of the services goes through this process hides what is hidden."""

        def asked(
            service: str, path: str, query: Sequence[tuple[str, str]], _method: str
        ) -> ServiceAnswer:
            return self.observe_for(policy, service, path, query)

        return self._access(asked)

    def _access(
        self, asked: Callable[[str, str, Sequence[tuple[str, str]], str], ServiceAnswer]
    ) -> Access:
        folder = self._folder()
        kubeconfig = folder / "kubeconfig"
        self._write(kubeconfig)
        server = str(self._config["clusters"][0]["cluster"]["server"])
        endpoints = {"kubernetes": server, **self.telemetry.served(asked)}
        return Access(kubeconfig=kubeconfig, endpoints=endpoints, folder=folder)

    def close(self) -> None:
        """Close connections and remove files that this process alone uses."""
        self.telemetry.close()
        self._client.close()
        self._guards.close()
        if self._private is not None:
            self._private.cleanup()
            self._private = None
        if self._scratch is not None:
            self._scratch.cleanup()
            self._scratch = None

    @contextmanager
    def _acting(self, actor: Actor) -> Iterator[dict[str, str]]:
        """Write with the tool of an actor; gives the options that such a request takes."""
        before = self._client.user_agent
        self._client.user_agent = actor.user_agent
        try:
            with translated():
                yield {"field_manager": actor.manager}
        finally:
            self._client.user_agent = before

    def _resource(self, api_version: str, kind: str) -> Any:
        return self._dynamic.resources.get(api_version=api_version, kind=kind)

    def _server(self) -> tuple[int, int]:
        """Major and minor version of the API server."""
        with translated():
            return numbers(self._version.get_code())

    def _server_time(self) -> float | None:
        """The `Date` of an answer: the clock by which the cluster writes timestamps and logs."""
        with translated():
            # Unread, the answer shows its headers whatever the version of the client.
            answer: Any = self._version.get_code(_preload_content=False)
            answer.read()
        said = answer.headers.get("Date")
        return None if said is None else parsedate_to_datetime(said).timestamp()

    def _write(self, path: Path) -> None:
        path.touch(mode=0o600)
        path.write_text(yaml.safe_dump(dict(self._config)), encoding="utf-8")

    def _folder(self) -> Path:
        if self._spec.folder is not None:
            return self._spec.folder
        if self._scratch is None:
            self._scratch = ScratchFolder("cluster-")
        return Path(self._scratch.name)


def _place(obj: KubeObject) -> tuple[str, str]:
    metadata = obj["metadata"]
    return (metadata.get("namespace", ""), metadata["name"])


def _plain(found: Any) -> KubeObject:
    content: KubeObject = found.to_dict()
    return content
