"""A deployable part of an application, and everything a fault may hold on to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import Field

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


class Port(Value):
    """One port of a component's Service and the container port behind it.

    Attributes:
        name: Name of the Service port, may be empty.
        port: Port of the Service.
        target_port: As the Service says it: number or name.
        container_port: The number it leads to in the pod.
        protocol: `TCP` or `UDP`.
    """

    name: str = ""
    port: int
    target_port: int | str
    container_port: int
    protocol: str = "TCP"


class ConfigUse(Value):
    """A ConfigMap or Secret that the component's pod reads.

    Attributes:
        source: The object.
        keys: Keys of its data.
        path: Where it is mounted; empty when it feeds environment variables.
        entries: For keys whose content is a JSON object: key -> names of its fields.
        required: Whether the pod cannot start without the object.
    """

    source: ObjectRef
    keys: tuple[str, ...] = ()
    path: str = ""
    entries: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    required: bool = True


class VolumeUse(Value):
    """A PersistentVolumeClaim that the component mounts."""

    claim: str
    path: str


class Account(Value):
    """A database account that a component serves and others use.

    Attributes:
        engine: `mongodb`, `postgresql` ...
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


class Component(Value):
    """A deployable part of an application.

    Attributes:
        name: Name by which people know it; unique in the application.
        kind: `service`, `datastore`, `cache`, `registry`, `tracing`, `queue`, `load` ...
        namespace: Where its workload runs.
        workload: The Deployment, StatefulSet or DaemonSet.
        container: Name of the main container.
        image: Its image reference.
        command: Its command, empty when the image's own is used.
        replicas: Desired replicas in the manifests.
        memory_limit: As written (`256Mi`), empty when unlimited.
        pod_labels: Labels of the pod template.
        service: The Service that leads to it, None when it has none.
        selector: That Service's selector.
        ports: That Service's ports.
        config: ConfigMaps and Secrets it reads.
        env: Literal environment variables of the main container.
        volumes: Claims it mounts.
        accounts: Database accounts it serves.
        callers: Names of components that call it, in order.
        operations: User-visible operations whose requests pass through it.
    """

    name: str
    kind: str = "service"
    namespace: str
    workload: ObjectRef
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
    callers: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()
