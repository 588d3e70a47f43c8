"""The call graph: who calls whom, which keeps what where, and what users ask for."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Role(StrEnum):
    """What a part is."""

    GATEWAY = "gateway"
    SERVICE = "service"
    SHARED = "shared"
    WORKER = "worker"
    STORE = "store"
    CACHE = "cache"
    BROKER = "broker"


@dataclass(frozen=True)
class Call:
    """A call of another program.

    Attributes:
        part: Its name.
        method: Which of its methods.
        share: Fraction of requests that make it.
    """

    part: str
    method: str
    share: float = 1.0


@dataclass
class Method:
    """What a program does on request.

    Attributes:
        name: Unique in its program.
        calls: Calls of other programs, in order.
        writes: Whether it changes its store; else it reads.
        publishes: Name of a topic or queue, and its broker's; empty for none.
        cpu_ms: Time of a processor, its own.
    """

    name: str
    calls: list[Call] = field(default_factory=list)
    writes: bool = False
    publishes: tuple[str, str] | None = None
    cpu_ms: float = 0.5


@dataclass
class Part:
    """A part of the application: one workload and its Service.

    Attributes:
        name: Of both.
        role: What it is.
        layer: How many programs are before it at most; gateways are at 0.
        engine: Language of a program, kind of a server.
        methods: Of a program.
        store: Name of the database that it keeps its data in; empty for none.
        cache: Name of the cache before it.
        hit_rate: Of that cache.
        takes: For a worker: what it takes, as topic and broker.
        topics: For a broker: what stands on it.
    """

    name: str
    role: Role
    layer: int
    engine: str
    methods: list[Method] = field(default_factory=list)
    store: str = ""
    cache: str = ""
    hit_rate: float = 0.0
    takes: tuple[str, str] | None = None
    topics: list[str] = field(default_factory=list)

    @property
    def is_program(self) -> bool:
        """Whether it is one of the application's own programs, and not a third-party server."""
        return self.role not in (Role.STORE, Role.CACHE, Role.BROKER)


@dataclass(frozen=True)
class UserOperation:
    """What users ask for.

    Attributes:
        name: As the load generator calls it.
        request: Method and path.
        gateway: Name of the part that they ask.
        method: Of that part.
        weight: Its part of all requests, relative to the others.
    """

    name: str
    request: str
    gateway: str
    method: str
    weight: float


@dataclass(frozen=True)
class Graph:
    """An application before it is written as manifests and service model.

    Attributes:
        brand: Whose it is: the word in namespaces and images.
        parts: By name, callers before those that they call.
        operations: What users do.
        load: How many times as much they do of it as usual.
    """

    brand: str
    parts: dict[str, Part]
    operations: tuple[UserOperation, ...]
    load: float = 1.0

    def callers(self) -> dict[str, list[str]]:
        """Name of each part -> names of the parts that call it, take from it or keep data in it."""
        found: dict[str, list[str]] = {name: [] for name in self.parts}
        for part in self.parts.values():
            reached = [call.part for method in part.methods for call in method.calls]
            reached += [method.publishes[1] for method in part.methods if method.publishes]
            reached += [part.takes[1]] if part.takes else []
            reached += [name for name in (part.store, part.cache) if name]
            for name in dict.fromkeys(reached):
                found[name].append(part.name)
        return found

    def rates(self) -> dict[tuple[str, str], float]:
        """Part and method -> requests of it for each request of a user, all operations together."""
        whole = sum(operation.weight for operation in self.operations)
        found: dict[tuple[str, str], float] = {}
        for operation in self.operations:
            key = operation.gateway, operation.method
            found[key] = found.get(key, 0.0) + operation.weight / whole
        workers = {part.takes: part for part in self.parts.values() if part.takes}
        for part, method in self.in_order():
            rate = found.get((part.name, method.name), 0.0)
            if method.publishes:
                worker = workers[method.publishes]
                found[worker.name, worker.methods[0].name] = rate
            for call in method.calls:
                key = call.part, call.method
                found[key] = found.get(key, 0.0) + rate * call.share
        return found

    def operations_through(self) -> dict[str, tuple[str, ...]]:
        """Name of each part -> names of the operations of users that pass through it, sorted."""
        through: dict[str, set[str]] = {name: set() for name in self.parts}
        reached: dict[tuple[str, str], set[str]] = {}
        for operation in self.operations:
            reached.setdefault((operation.gateway, operation.method), set()).add(operation.name)
        for part, method in self.in_order():
            own = reached.get((part.name, method.name), set())
            others = [*filter(None, (part.store, part.cache)), *(method.publishes or ())[1:]]
            for name in (part.name, *others):
                through[name] |= own
            for call in method.calls:
                reached.setdefault((call.part, call.method), set()).update(own)
        return {name: tuple(sorted(names)) for name, names in through.items()}

    def in_order(self) -> list[tuple[Part, Method]]:
        """All methods, those that call before those that they call."""
        return [(part, method) for part in self.parts.values() for method in part.methods]
