"""A deployable part of an application, and everything a fault may hold on to."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

from pydantic import Field, model_validator

from sregym_core.errors import UsageError
from sregym_core.model.base import Value

if TYPE_CHECKING:
    from collections.abc import Mapping


class ObjectRef(Value):
    """Address of one Kubernetes object.

    Attributes:
        api_version: `v1`, `apps/v1` ...
        kind: `Deployment` ...
        namespace: Empty for cluster-scoped kinds.
        name: metadata.name.
    """

    api_version: str
    kind: str
    namespace: str = ""
    name: str

    @classmethod
    def of(cls, obj: Mapping[str, Any]) -> ObjectRef:
        """The address of an object or manifest, as it stands in it."""
        metadata = obj["metadata"]
        return cls(
            api_version=obj["apiVersion"],
            kind=obj["kind"],
            namespace=metadata.get("namespace", ""),
            name=metadata["name"],
        )

    def __str__(self) -> str:
        place = f"{self.namespace}/" if self.namespace else ""
        return f"{self.kind} {place}{self.name}"


class ContainerKind(StrEnum):
    """What a container is in its pod, in Kubernetes' words."""

    CONTAINER = "container"
    INIT = "init"
    SIDECAR = "sidecar"


class ComponentPart(StrEnum):
    """What of a component a target may name besides the component itself."""

    CONTAINER = "container"
    SERVICE = "service"


class Container(Value):
    """One container of a component's pods.

    Attributes:
        name: Of the container.
        kind: `container`; `init` for one that ends before the others start; `sidecar` for an init
            container that is restarted always, and so runs beside the others.
        image: Its image reference.
        command: Its command, empty when the image's own is used.
        memory_limit: As written (`256Mi`), empty when unlimited.
        env: Its literal environment variables.
        ports: Numbers of the ports that it declares.
        probes: Fields of its probes: `livenessProbe`, `readinessProbe`, `startupProbe`.
        user: Number of the user that it runs as; None for that of its image.
    """

    name: str
    kind: ContainerKind = ContainerKind.CONTAINER
    image: str
    command: tuple[str, ...] = ()
    memory_limit: str = ""
    env: dict[str, str] = Field(default_factory=dict)
    ports: tuple[int, ...] = ()
    probes: tuple[str, ...] = ()
    user: int | None = None


class Port(Value):
    """One port of a component's Service and the container port behind it.

    Attributes:
        name: Name of the Service port, may be empty.
        port: Port of the Service.
        target_port: As in the Service: number or name.
        container_port: The number it leads to in the pod.
        protocol: `TCP` or `UDP`.
    """

    name: str = ""
    port: int
    target_port: int | str
    container_port: int
    protocol: str = "TCP"


class ServiceUse(Value):
    """A Service that leads to a component's pods.

    Attributes:
        ref: The Service.
        selector: Its selector.
        ports: Its ports.
        headless: Whether it has no address of its own (`clusterIP: None`).
        made: Whether an operator makes it: then no manifest of the application defines it.
    """

    ref: ObjectRef
    selector: dict[str, str] = Field(default_factory=dict)
    ports: tuple[Port, ...] = ()
    headless: bool = False
    made: bool = False


class IngressUse(Value):
    """An Ingress whose rules lead to a component's Services.

    Attributes:
        ref: The Ingress.
        hosts: Hosts of the rules that do; empty for all.
        secrets: Names of the Secrets with its certificates, in its namespace.
    """

    ref: ObjectRef
    hosts: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()


class ConfigUse(Value):
    """A ConfigMap or Secret that the component's pod reads.

    Attributes:
        source: The object.
        keys: Keys of its data.
        path: Where it is mounted; empty when it feeds environment variables.
        entries: For keys whose content is a JSON object: key -> names of its fields.
        switches: Keys whose content is `true` or `false`.
        required: Whether the pod cannot start without the object.
    """

    source: ObjectRef
    keys: tuple[str, ...] = ()
    path: str = ""
    entries: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    switches: tuple[str, ...] = ()
    required: bool = True


class VolumeUse(Value):
    """A PersistentVolumeClaim that the component mounts."""

    claim: str
    path: str


class Account(Value):
    """A database account that a component serves and others use.

    Attributes:
        engine: The kind of server, as the service model calls it.
        user: Account name.
        password: Its password: faults and fixes need it to undo what they do.
        auth_database: Database that holds the account.
        database: Database it works on.
        role: The role it needs there, e.g. `readWrite`.
        admin_user: Account that may manage accounts.
        admin_password: Password of that account.
        used_by: Names of the components that connect with this account.
    """

    engine: str
    user: str
    password: str
    auth_database: str = "admin"
    database: str
    role: str
    admin_user: str
    admin_password: str
    used_by: tuple[str, ...] = ()


class TableUse(Value):
    """A table or collection of a datastore that programs work with.

    Attributes:
        name: As the server knows it, with its schema where that is not the usual one.
        database: Where it is; empty for the one that the server's environment names.
        key: Column whose numbers the server gives out to new rows; empty where programs bring keys.
        indexes: Fields that have an index each, by which programs look things up.
    """

    name: str
    database: str = ""
    key: str = ""
    indexes: tuple[str, ...] = ()


class ProgramSetting(Value):
    """A setting that a component's program reads when it starts, and what it decides.

    Attributes:
        name: Variable of its environment; for one in the command line any word for it; for a topic or
            group that is built in the name of that.
        role: What it decides: `rate`, `users` or `connections` of a load generator, `weight` of one of its operations,
            `timeout`, `attempts`, `retries`, `backoff` and `growth` of calls, `pool` of connections,
            `concurrency`, `queue` and `rate-limit` of requests, `gc-growth`, `gc-limit` and `heap`
            of memory that is collected, `topic` and `group` of records that it takes,
            `filter` for a regular expression that its requests are tried on.
        argument: Pattern of its value in a word of the command line; empty for a variable.
        operation: Of a weight: the operation.
    """

    name: str
    role: str
    argument: str = ""
    operation: str = ""


class Component(Value):
    """A deployable part of an application: one workload and what belongs to it.

    `container`, `image`, `command`, `memory_limit` and `env` are those of one container: the one
    that serves, or the one that a target names. `service`, `selector` and `ports` are those of one
    Service: the one that carries its traffic, or the one that a target names.

    Attributes:
        name: Name by which people know it; unique in the application.
        kind: `service`, `datastore`, `cache`, `registry`, `tracing`, `queue`, `job`, `load` ...
        namespace: Where its workload runs.
        workload: What people deploy: a Deployment, StatefulSet, DaemonSet, Job, CronJob or Pod, or
            a custom resource of which an operator makes the workloads.
        workloads: What runs its pods: the workload itself, or what its operator makes.
        containers: All containers of its pods, init containers first. One made from the fields
            below where it is not given.
        services: All Services that lead to its pods. Likewise.
        ingresses: The Ingresses by which users outside come to them.
        container: Name of the container.
        image: Its image reference.
        command: Its command, empty when the image's own is used.
        replicas: Desired replicas in the manifests.
        memory_limit: As written (`256Mi`), empty when unlimited.
        pod_labels: Labels of the pod template.
        service: The Service, None when it has none.
        selector: That Service's selector.
        ports: That Service's ports.
        config: ConfigMaps and Secrets it reads.
        env: Literal environment variables of the container.
        volumes: Claims it mounts.
        accounts: Database accounts it serves.
        tables: Tables or collections with keys that the server counts out, or with indexes.
        callers: Names of components that call it, in order.
        calls: Names of components that it calls.
        operations: User-visible operations whose requests pass through it.
        sessions: Command lines with which people look into its main container now and then; they
            change nothing.
        builds: Other builds of its image that exist, by what is wrong with them: `incompatible` with
            its data or peers, `buggy`, `leaking` memory, `misreconciling`, `fanning-out`, with a
            `hard-dependency`, `skewed` in its protocol.
        settings: What its program reads when it starts and may be given other values.
        registered: Whether its callers find its addresses in a registry: its Service carries nothing.
        replica_set: The name of the set that its pods are the members of, of which one leads; empty
            where each stands alone.
        system_calls: Those without which its program does not go on serving; None where unknown.
        defaults: Variables that its program reads -> what it takes without them; likewise.
        traced_as: The `service.name` of its spans; empty where unknown.
        needed: Whether users notice where it does not answer; likewise.
        changed: Whether users notice where it takes no changes; likewise.
        millicores: What users' requests take of a processor there, in thousandths: while caches before it
            are warm, and empty; likewise.
    """

    name: str
    kind: str = "service"
    namespace: str
    workload: ObjectRef
    workloads: tuple[ObjectRef, ...] = ()
    containers: tuple[Container, ...] = ()
    services: tuple[ServiceUse, ...] = ()
    ingresses: tuple[IngressUse, ...] = ()
    container: str
    image: str
    command: tuple[str, ...] = ()
    replicas: int = 1
    memory_limit: str = ""
    pod_labels: dict[str, str] = Field(default_factory=dict)
    service: ObjectRef | None = None
    selector: dict[str, str] = Field(default_factory=dict)
    ports: tuple[Port, ...] = ()
    config: tuple[ConfigUse, ...] = ()
    env: dict[str, str] = Field(default_factory=dict)
    volumes: tuple[VolumeUse, ...] = ()
    accounts: tuple[Account, ...] = ()
    tables: tuple[TableUse, ...] = ()
    callers: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()
    sessions: tuple[tuple[str, ...], ...] = ()
    builds: dict[str, str] = Field(default_factory=dict)
    settings: tuple[ProgramSetting, ...] = ()
    registered: bool = False
    replica_set: str = ""
    system_calls: tuple[str, ...] | None = None
    defaults: dict[str, str | None] | None = None
    traced_as: str = ""
    needed: bool | None = None
    changed: bool | None = None
    millicores: tuple[float, float] | None = None

    @model_validator(mode="before")
    @classmethod
    def _complete(cls, data: Any) -> Any:
        """Fill in what follows: a component of one container and one Service need not repeat it."""
        if not isinstance(data, dict):
            return data
        data = dict(data)
        if "workload" in data:
            data.setdefault("workloads", (data["workload"],))
        if "container" in data and "image" in data:
            fields = {k: data[k] for k in ("image", "command", "memory_limit", "env") if k in data}
            data.setdefault("containers", ({"name": data["container"], **fields},))
        if data.get("service") is not None:
            fields = {k: data[k] for k in ("selector", "ports") if k in data}
            data.setdefault("services", ({"ref": data["service"], **fields},))
        return data

    def pointed_at(self, container: str = "", service: str = "") -> Component:
        """The same component, with another of its containers or Services for its own.

        Args:
            container: Name of a container; empty leaves it.
            service: Name of a Service; empty leaves it.

        Raises:
            UsageError: It has none of that name.
        """
        changed: dict[str, Any] = {}
        if container:
            one = self._named("container", container, {c.name: c for c in self.containers})
            changed |= {"container": one.name, "image": one.image, "command": one.command}
            changed |= {"memory_limit": one.memory_limit, "env": one.env}
            if one.name != self.container:
                changed |= {"system_calls": None, "defaults": None}
        if service:
            use = self._named("Service", service, {s.ref.name: s for s in self.services})
            changed |= {"service": use.ref, "selector": use.selector, "ports": use.ports}
        return self.model_copy(update=changed) if changed else self

    @property
    def own_container(self) -> Container:
        """The container of which the fields above speak."""
        return next(c for c in self.containers if c.name == self.container)

    @property
    def own_service(self) -> ServiceUse | None:
        """The Service of which the fields above speak, None when there is none."""
        return next((s for s in self.services if s.ref == self.service), None)

    def _named(self, what: str, name: str, known: Mapping[str, Any]) -> Any:
        if name in known:
            return known[name]
        there = ", ".join(known) or "none"
        msg = f"component {self.name!r} has no {what} {name!r}; it has: {there}"
        raise UsageError(msg)
