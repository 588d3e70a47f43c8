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
    """One line of `sregym doctor`: what was looked at, whether it is all right, what to do."""

    subject: str
    ok: bool
    detail: str = ""
    advice: str = ""


@dataclass(frozen=True)
class ClusterSpec:
    """What an episode needs of a cluster.

    Attributes:
        seed: From which all chance of a simulated cluster derives.
        applications: Those that will be deployed; a simulated cluster reads their service models.
        options: What the user gave behind the colon: `kubeconfig:CONTEXT`, `embedded:pace=10`.
        served: Whether processes outside will connect: the clock then keeps pace with the wall clock.
        folder: Where `open_access` writes kubeconfig and the like; None for a temporary one.
        salt: What keys, and whatever must not be foreseen from inside, depend on besides the seed. Nothing
            that can be seen in the cluster gives it away. One is drawn where none is given.
    """

    seed: int = 0
    applications: tuple[Application, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    served: bool = False
    folder: Path | None = None
    salt: str = field(default_factory=draw_salt, repr=False)


class Checkpoint(ABC):
    """A cluster at one moment, from which any number of equal clusters can go on."""

    @abstractmethod
    def fork(self, spec: ClusterSpec) -> Cluster:
        """A new cluster that starts where the checkpoint was taken, with the spec's seed."""


class Cluster(ABC):
    """One live cluster for one episode.

    Objects are plain JSON dicts; never change one that `get` or `list` returned, it may be given
    out again: build a new one. Every method raises `ClusterError` with the API server's words
    when a request is refused. The same application manifests, faults, oracles and agents use this
    interface on the embedded cluster and on a real one.

    Each write names an `Actor`: who changes this, with which tool. None stands for a person with
    `kubectl create`, `replace` or `patch` (`default_actor`); no write is anonymous.
    """

    # Whether whoever is root on a node is still far from the machine of the harness: then agents
    # may debug nodes from the namespaces of the application.
    nodes_are_apart: bool = False

    @property
    @abstractmethod
    def clock(self) -> Clock:
        """The clock that everything in the episode waits with."""

    @abstractmethod
    def get(self, ref: ObjectRef) -> KubeObject | None:
        """The object, or None when it does not exist.

        The same answer may be given again, in forks, too: whoever wants to change it copies it.
        """

    @abstractmethod
    def list(
        self, api_version: str, kind: str, namespace: str = "", selector: str = ""
    ) -> list[KubeObject]:
        """Objects of a kind, sorted by namespace and name; all namespaces when none is given.

        As with `get`, they are there to be read.

        Args:
            api_version: `v1`, `apps/v1` ...
            kind: `Pod`, `Deployment` ...
            namespace: Namespace, empty for all.
            selector: Label selector in kubectl's syntax, empty for all.
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
        """Ask for deletion; deleting what does not exist is no error."""

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
        """Log text of a container (of the only or default one when none is named)."""

    @abstractmethod
    def exec(
        self, namespace: str, pod: str, command: Sequence[str], container: str = "", stdin: str = ""
    ) -> CommandResult:
        """Run a command in a container to its end."""

    @abstractmethod
    def kubectl(self, command: Command) -> CommandResult:
        """Run a kubectl command as a person with full rights would."""

    def kubectl_for(self, command: Command, policy: Policy) -> CommandResult:
        """Run a kubectl command as an agent does: with its rights, without what is hidden from it.

        Args:
            command: What to run.
            policy: The same that stands before the agent's own clients.
        """
        if policy.redacts:
            message = "this kind of cluster cannot hide the tools of a fault from kubectl"
            raise ClusterError(0, "", message)
        return self.kubectl(command)

    @property
    def services(self) -> tuple[str, ...]:
        """Names of the services of observability that `observe` reaches, sorted.

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
        """Ask a service of observability, as an HTTP client would.

        Args:
            service: One of `services`; another one is refused with 404.
            path: Of the service's HTTP API, `/api/v1/query` for instance.
            query: Parameters in order; a name may occur several times.
            method: HTTP method.
            body: Sent with it, as JSON: alerts that are posted to Alertmanager, for instance.
        """
        raise no_such_service(service, self.services)

    def observe_for(
        self, policy: Policy, service: str, path: str, query: Sequence[tuple[str, str]] = ()
    ) -> ServiceAnswer:
        """The same for an agent: without what is hidden from it.

        What is summed up has counted it, unless a kind of cluster leaves it out before.
        `sregym_kubernetes.observing.observe_with_policy` is what most kinds of clusters do here.
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
        """The machines behind its nodes; None where nobody may touch them. See `node_access`."""
        return None

    @abstractmethod
    def hidden_state(self) -> Mapping[str, str]:
        """State outside the Kubernetes API that a baseline must match, by name, as digests.

        The embedded cluster names the accounts of datastores, node state and so on; a real
        cluster may return nothing.
        """

    def backdate(self, ref: ObjectRef, seconds: float) -> bool:
        """Let an object that has just been made look as old as this, where the past can be made.

        Returns:
            False where nobody can, as on any real cluster: the object stays as young as it is.
        """
        return False

    def stored(self) -> Mapping[str, str]:
        """What datastores hold, by name, as text that can be compared; JSON where it has parts.

        What `hidden_state` has digests of, as far as people would miss it. Nothing where nobody but
        the application can tell.
        """
        return {}

    def failures(self, start: float, end: float) -> tuple[PodFailures, ...] | None:
        """What failed between two moments of the clock, and by whose calls; sorted, quiet pods left out.

        None where nobody can tell causes from what is seen, as on any real cluster.
        """
        return None

    def save_machines(self) -> object:
        """What stands on the machines of the nodes besides their settings, for `restore_machines`.

        None where nobody but the cluster's owner may touch them.
        """
        return None

    def restore_machines(self, kept: object) -> None:  # noqa: B027 - most have none to restore
        """Make the machines as they were when `save_machines` gave this value."""

    @abstractmethod
    def open_access(self) -> Access:
        """Make the cluster reachable for processes outside: kubeconfig and endpoints.

        Called at most once; what it opens is closed by `close`.
        """

    def open_access_for(self, policy: Policy) -> Access:
        """The same for an agent: services of observability that are served hide what is hidden.

        The Kubernetes API is not filtered here: a guard stands before it.
        """
        return self.open_access()

    @abstractmethod
    def close(self) -> None:
        """Release everything this cluster holds; harmless when called twice."""

    def interrupt(self) -> None:  # noqa: B027 - nothing computes here by default
        """End what clients outside have it compute: the episode is to go on, or to end.

        Called from another thread than the one that computes. What was computed has not happened.
        """

    def checkpoint(self) -> Checkpoint | None:
        """A checkpoint of this moment, or None when this kind of cluster cannot be forked."""
        return None


def no_such_service(service: str, offered: Sequence[str]) -> ClusterError:
    """How a cluster refuses to observe through a service that it does not offer."""
    known = ", ".join(offered) or "none"
    message = f"this cluster offers no service {service!r}; it offers: {known}"
    return ClusterError(404, "NotFound", message)


class ClusterProvider(ABC):
    """Gives clusters of one kind.

    Attributes:
        name: The word behind `--cluster`.
        simulated: Whether each cluster is a world of its own that the same seed makes the same:
            episodes may then run side by side, and proofs compare their bytes.
        capabilities: What every cluster lets one do to its nodes; None where only a try tells.
    """

    name: ClassVar[str]
    simulated: ClassVar[bool] = False
    capabilities: ClassVar[frozenset[Capability] | None] = None

    def check(self, options: Mapping[str, str]) -> None:  # noqa: B027 - nothing to check by default
        """Refuse options that can never work, before anything is started: `UsageError`."""

    @abstractmethod
    def provision(self, spec: ClusterSpec) -> Cluster:
        """A cluster that is ready for `Application.deploy`; raises `SregymError` when it cannot."""

    def origin(self, seed: int, options: Mapping[str, str]) -> int:
        """The seed of the cluster from which episodes with `seed` start, as far as there are several.

        It must not depend on anything else: not on which episode came first, for instance.
        """
        return seed

    def history(self, spec: ClusterSpec) -> History:
        """What a simulated cluster and its application are to have behind them; nothing by default."""
        return History()

    @abstractmethod
    def examine(self, options: Mapping[str, str]) -> Sequence[Finding]:
        """What `sregym doctor --cluster` prints: is everything there that episodes need?"""

    def this_machine(self) -> NodeAccess | None:
        """Access to the machine that this program runs on, for `sregym doctor --node`; None by default."""
        return None

    def vocabulary(self) -> Vocabulary | None:
        """What its clusters know of the names in applications' data, for `sregym lint`.

        None, which is the default, for clusters that do not simulate: they look nothing up.
        """
        return None
