"""A cluster: a Kubernetes API, a clock, and a way in for people and agents."""

from __future__ import annotations

import shlex
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from sregym_core.interfaces.history import History
from sregym_core.salt import draw_salt

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from sregym_core.interfaces.actor import Actor
    from sregym_core.interfaces.agent import Access
    from sregym_core.interfaces.application import Application
    from sregym_core.interfaces.clock import Clock
    from sregym_core.interfaces.failures import PodFailures
    from sregym_core.interfaces.nodes import NodeAccess
    from sregym_core.interfaces.operations import Operations
    from sregym_core.interfaces.vocabulary import Vocabulary
    from sregym_core.model import Capability, ObjectRef
    from sregym_core.policy import Policy

KubeObject: TypeAlias = dict[str, Any]


class ClusterError(Exception):
    """The API refused a request, or could not be reached.

    Attributes:
        status: HTTP status, 0 when there was no answer.
        reason: The Status object's reason (`NotFound`, `Invalid` ...), or ``.
        message: The API server's own words.
    """

    def __init__(self, status: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.reason = reason
        self.message = message


@dataclass(frozen=True)
class Command:
    """A command as a person would type it.

    Attributes:
        argv: Words, beginning with `kubectl`.
        stdin: What is piped into it.
    """

    argv: tuple[str, ...]
    stdin: str = ""

    def __str__(self) -> str:
        text = shlex.join(self.argv)
        return f"{text} <<'EOF'\n{self.stdin.rstrip()}\nEOF" if self.stdin else text


@dataclass(frozen=True)
class CommandResult:
    """What a command gave back."""

    exit_code: int
    stdout: str = ""
    stderr: str = ""

    @property
    def ok(self) -> bool:
        """Whether the command exited with 0."""
        return self.exit_code == 0


@dataclass(frozen=True)
class ServiceAnswer:
    """What a service of observability answered.

    Attributes:
        status: HTTP status.
        body: As sent.
        content_type: Of the body.
    """

    status: int
    body: bytes
    content_type: str = "application/json"


@dataclass(frozen=True)
class Finding:
    """One line of `sregym doctor`: subject, whether it is in order, details, and what to do."""

    subject: str
    ok: bool
    detail: str = ""
    advice: str = ""


@dataclass(frozen=True)
class ClusterSpec:
    """Parameters of the cluster of an episode.

    Attributes:
        seed: The source of randomness of a simulated cluster.
        applications: Those that will be deployed; a simulated cluster reads their service models.
        options: Options behind the colon: `kubeconfig:CONTEXT`, `embedded:pace=10`.
        served: Whether external processes will connect: virtual time then follows the wall clock.
        folder: Directory where `open_access` writes the kubeconfig; None: a temporary one.
        salt: Derives keys, and whatever must not be predictable from the seed alone. It cannot be
            computed from anything visible in the cluster. Default: random.
    """

    seed: int = 0
    applications: tuple[Application, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    served: bool = False
    folder: Path | None = None
    salt: str = field(default_factory=draw_salt, repr=False)


class Checkpoint(ABC):
    """A saved state of a cluster, from which any number of equal clusters can continue."""

    @abstractmethod
    def fork(self, spec: ClusterSpec) -> Cluster:
        """A new, independent cluster in the state of the checkpoint, with the seed of `spec`."""


class Cluster(ABC):
    """A running cluster for one episode.

    Objects are JSON as dicts. Never modify one that `get` or `list` returned, since it may be
    returned again: make a copy. Every method raises `ClusterError` with status, reason and message
    of the API server if a request is refused. Applications, faults, oracles and agents use this
    interface for simulated clusters and real ones alike.

    Each write has an `Actor`: user, client and field manager. None stands for a person with
    `kubectl create`, `replace` or `patch` (`default_actor`).
    """

    # Whether root on a node cannot reach the harness: then agents may debug nodes from pods.
    nodes_are_apart: bool = False

    @property
    @abstractmethod
    def clock(self) -> Clock:
        """The clock of the cluster; the only one that an episode waits with."""

    @abstractmethod
    def get(self, ref: ObjectRef) -> KubeObject | None:
        """The object; None if it does not exist.

        The returned dict may be shared with later calls and forks: copy it before changing it.
        """

    @abstractmethod
    def list(
        self, api_version: str, kind: str, namespace: str = "", selector: str = ""
    ) -> list[KubeObject]:
        """Objects of a kind, sorted by namespace and name; all namespaces when none is given.

        As with `get`, copy them before changing them.

        Args:
            api_version: `v1`, `apps/v1` ...
            kind: `Pod`, `Deployment` ...
            namespace: Namespace; empty: all.
            selector: Label selector in kubectl's syntax; empty: all objects.
        """

    @abstractmethod
    def create(self, obj: KubeObject, actor: Actor | None = None) -> KubeObject:
        """Create an object; returns it as the server stored it."""

    @abstractmethod
    def replace(self, obj: KubeObject, actor: Actor | None = None) -> KubeObject:
        """Replace an existing object (PUT). A resourceVersion in it must be current."""

    @abstractmethod
    def patch(
        self, ref: ObjectRef, patch: Any, kind: str = "strategic", actor: Actor | None = None
    ) -> KubeObject:
        """Patch an object; `kind` is `strategic`, `merge` or `json`."""

    @abstractmethod
    def delete(
        self, ref: ObjectRef, propagation: str = "Background", actor: Actor | None = None
    ) -> None:
        """Request deletion; no error if the object does not exist. Finalizers may delay it."""

    @abstractmethod
    def logs(
        self,
        namespace: str,
        pod: str,
        container: str = "",
        *,
        since_s: float | None = None,
        previous: bool = False,
    ) -> str:
        """Log of a container as text; of the default container if none is named."""

    @abstractmethod
    def exec(
        self, namespace: str, pod: str, command: Sequence[str], container: str = "", stdin: str = ""
    ) -> CommandResult:
        """Run a command in a container until it exits. A non-zero exit code is no exception."""

    @abstractmethod
    def kubectl(self, command: Command) -> CommandResult:
        """Run a kubectl command with the rights of a cluster administrator."""

    def kubectl_for(self, command: Command, policy: Policy) -> CommandResult:
        """Run a kubectl command with the rights of an agent, without objects that are hidden from it.

        Args:
            command: The command.
            policy: The policy that also holds for the agent's own clients.
        """
        if policy.redacts:
            message = "this kind of cluster cannot hide the tools of a fault from kubectl"
            raise ClusterError(0, "", message)
        return self.kubectl(command)

    @property
    def services(self) -> tuple[str, ...]:
        """Names of the observability services that `observe` can reach, sorted.

        Standard names are `prometheus`, `alertmanager`, `loki` and `jaeger`.
        """
        return ()

    def observe(
        self,
        service: str,
        path: str,
        query: Sequence[tuple[str, str]] = (),
        method: str = "GET",
        body: bytes = b"",
    ) -> ServiceAnswer:
        """Send an HTTP request to an observability service.

        Args:
            service: One of `services`; others raise `ClusterError` with status 404.
            path: Path in the service's HTTP API: `/api/v1/query`.
            query: Query parameters in order; a name may occur several times.
            method: HTTP method.
            body: JSON body, such as alerts that are posted to Alertmanager.
        """
        raise no_such_service(service, self.services)

    def observe_for(
        self, policy: Policy, service: str, path: str, query: Sequence[tuple[str, str]] = ()
    ) -> ServiceAnswer:
        """`observe` for an agent, without objects that are hidden from it.

        Aggregates may include them. Most call `sregym_kubernetes.telemetry_redaction.observe_with_policy`.
        """
        if policy.redacts:
            message = "this kind of cluster cannot hide the tools of a fault from its services"
            raise ClusterError(0, "", message)
        return self.observe(service, path, query)

    @property
    @abstractmethod
    def operations(self) -> Operations:
        """What the conductor does to it: `sregym_kubernetes.operations.KubernetesOperations(self)`."""

    @property
    def nodes(self) -> NodeAccess | None:
        """Access to the machines of its nodes; None if there is none. See `node_access`."""
        return None

    @abstractmethod
    def hidden_state(self) -> Mapping[str, str]:
        """Digests of state outside the Kubernetes API, by name, that recovery has to restore.

        For example accounts of datastores and files of nodes; a real cluster may return none.
        """

    def backdate(self, ref: ObjectRef, seconds: float) -> bool:
        """Set the creation time of an object that was just created to so many seconds ago.

        Returns:
            False if that is impossible, as on any real cluster; nothing is changed then.
        """
        return False

    def stored(self) -> Mapping[str, str]:
        """Content of datastores, by name, as text to compare; JSON if it is structured.

        The part of `hidden_state` whose loss users would notice, and accounts of datastores whose
        data goes with their pods. Empty if it cannot be read.
        """
        return {}

    def failures(self, start: float, end: float) -> tuple[PodFailures, ...] | None:
        """Failed requests by pod between two times of the clock, with the calls that made them fail.

        Sorted; pods without failures are omitted. None if causes cannot be determined, as on any
        real cluster.
        """
        return None

    def save_machines(self) -> object:
        """State of the machines of nodes besides their settings: an opaque value for `restore_machines`.

        None if the cluster gives no access to them.
        """
        return None

    def restore_machines(self, kept: object) -> None:  # noqa: B027 - most have none to restore
        """Restore the machines to the state that `save_machines` returned."""

    def approach_wall_clock(self, lead_s: float) -> None:  # noqa: B027 - most follow it always
        """Let virtual time pass up to `lead_s` seconds before the wall clock's; `open_access` passes the rest."""

    @abstractmethod
    def open_access(self) -> Access:
        """Open endpoints for external processes, and write a kubeconfig.

        Called at most once; `close` closes the endpoints.
        """

    def open_access_for(self, policy: Policy) -> Access:
        """`open_access` for an agent: endpoints of observability services leave out hidden objects.

        The Kubernetes API is not filtered here; a proxy in front of it enforces the policy.
        """
        return self.open_access()

    @abstractmethod
    def close(self) -> None:
        """Release all resources; idempotent."""

    def interrupt(self) -> None:  # noqa: B027 - nothing computes here by default
        """Abort computations that external clients requested, so that the episode can continue or end.

        Called from another thread than the computing one. Aborted requests leave no effect.
        """

    def checkpoint(self) -> Checkpoint | None:
        """A checkpoint of the present state; None if this cluster cannot be forked."""
        return None


def no_such_service(service: str, offered: Sequence[str]) -> ClusterError:
    """The error for `observe` with a service that the cluster does not have."""
    known = ", ".join(offered) or "none"
    message = f"this cluster offers no service {service!r}; it offers: {known}"
    return ClusterError(404, "NotFound", message)


class ClusterProvider(ABC):
    """Provisions clusters of one kind.

    Attributes:
        name: Its name behind `--cluster`.
        simulated: Whether clusters are independent and deterministic: equal seeds give equal
            clusters. Episodes may then run in parallel, and proofs compare their output.
        capabilities: What can be done to nodes of any of them; None if only a trial shows that.
    """

    name: ClassVar[str]
    simulated: ClassVar[bool] = False
    capabilities: ClassVar[frozenset[Capability] | None] = None

    def check(self, options: Mapping[str, str]) -> None:  # noqa: B027 - nothing to check by default
        """Raise `UsageError` for invalid options; called before anything is started."""

    @abstractmethod
    def provision(self, spec: ClusterSpec) -> Cluster:
        """A cluster that is ready for `Application.deploy`; raises `SregymError` if there is none."""

    def origin(self, seed: int, options: Mapping[str, str]) -> int:
        """The seed of the shared initial cluster for episodes with `seed`; by default `seed` itself.

        A pure function of its arguments, independent of the order of episodes.
        """
        return seed

    def history(self, spec: ClusterSpec) -> History:
        """The simulated history of cluster and application before an episode; none by default."""
        return History()

    @abstractmethod
    def examine(self, options: Mapping[str, str]) -> Sequence[Finding]:
        """Check the prerequisites of episodes; `sregym doctor --cluster` prints the findings."""

    def this_machine(self) -> NodeAccess | None:
        """Node access to the local machine, for `sregym doctor --node`; None by default."""
        return None

    def vocabulary(self) -> Vocabulary | None:
        """Names that its clusters resolve in applications' data, for `sregym lint`; None by default."""
        return None
