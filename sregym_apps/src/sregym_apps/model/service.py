"""Services: listeners, operations, the calls they make, and the clients they make them with."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    Discriminator,
    Field,
    PrivateAttr,
    Tag,
    ValidationInfo,
    model_validator,
)

from sregym_apps.model.base import HEADER, QUERY, Entry, Text, placeholders, texts_of
from sregym_apps.model.benign import BenignErrorSet
from sregym_apps.model.breaking import CircuitBreaker
from sregym_apps.model.building_blocks import installed_in, wire_protocol
from sregym_apps.model.configuration import Line, Log, Memory, Setting
from sregym_apps.model.consuming import Consumer
from sregym_apps.model.flags import Conditional, Filter, Flag, Variant
from sregym_apps.model.program_capacity import Answer, ErrorKind, GarbageCollection, Limits, Retry
from sregym_apps.model.startup import AnyStep
from sregym_apps.model.tracing import TraceStore, Tracing
from sregym_apps.simulation import WireProtocol
from sregym_apps.simulation.libraries import error_texts


def _known(name: str, info: ValidationInfo) -> str:
    wire_protocol(name, installed_in(info))
    return name


# The name of a `WireProtocol` that an installed extension offers, or a generic one.
Protocol = Annotated[str, AfterValidator(_known)]


class Listener(Entry):
    """A port that a program serves.

    Attributes:
        protocol: What is spoken on it.
        port: A number or a setting.
        root: For HTTP: directory whose files are served where no operation has the route.
        tls: Whether it speaks TLS, with a certificate that the process has signed itself.
        unhealthy: For gRPC: while this text, filled in, says yes, health checks are answered with
            `NOT_SERVING`.
    """

    protocol: Protocol
    port: Text
    root: str | None = None
    tls: bool = False
    unhealthy: Text = ""


class Client(Entry):
    """How a program reaches another.

    Attributes:
        protocol: What is spoken.
        address: `host:port`, or a URL; usually a setting.
        registry: Name of the client of a registry; then `name` is looked up there instead. Or that
            of a message broker: then those answer who take from the topic or queue `name`, and
            requests and answers pass the broker (request-reply).
        name: The name looked up in the registry.
        timeout_s: After which a call is given up.
        timeout: The same as a duration (`50ms`), usually a setting; wins where it is one.
        retry: Whether and when a failed call is made again.
        breaker: When it makes no calls for a while because too many have failed.
        pool: Connections that calls of one process share; without it each call has its own.
        keep_alive: Whether connections outlive their calls. Without it each call opens one, and its
            name is looked up for it.
        user: Account, for datastores with accounts.
        password: Its password.
        auth_database: Database that holds the account.
        database: Database that commands go to.
        tls: Whether connections are encrypted, as PostgreSQL's `sslmode` words it: `disable` or
            empty, `prefer`, `require`, `verify-ca`, `verify-full`; `true` is the last of them.
        trusted: File with the certificates of the authorities that it trusts.
        certificate: File with the certificate that it shows to servers that require one.
        library: Library whose error messages it has, such as `grpc-node`; empty for those of Go's usual libraries.
        errors: Per kind of failure the caller's words, where they are not the library's.
            `${host}`, `${port}`, `${ip}`, `${dns}` and the callee's `${error}` are filled in.
    """

    protocol: Protocol
    address: Text = ""
    registry: str | None = None
    name: Text = ""
    timeout_s: float = Field(default=5.0, gt=0)
    timeout: Text = ""
    retry: Retry = Retry()
    breaker: CircuitBreaker | None = None
    pool: int | None = Field(default=None, ge=1)
    keep_alive: bool = True
    user: Text = ""
    password: Text = ""
    auth_database: Text = "admin"
    database: Text = ""
    tls: Text = ""
    trusted: Text = ""
    certificate: Text = ""
    library: str = ""
    errors: dict[ErrorKind, Text] = Field(default_factory=dict)
    _wire: WireProtocol = PrivateAttr()

    @model_validator(mode="before")
    @classmethod
    def _in_words_of_its_library(cls, value: Any, info: ValidationInfo) -> Any:
        known = installed_in(info).protocols
        if not isinstance(value, dict) or not value.get("library"):
            return value
        if value.get("protocol") not in known:  # told by its own field
            return value
        words = error_texts(str(value["library"]), known[value["protocol"]])
        return {**value, "errors": {**words, **(value.get("errors") or {})}}

    @property
    def wire(self) -> WireProtocol:
        """What is known of its protocol."""
        # Asked for with every call of a structure: `self._wire` takes pydantic ten times as long.
        private = self.__pydantic_private__ or {}
        wire: WireProtocol = private["_wire"]
        return wire

    @model_validator(mode="after")
    def _finds_its_protocol(self, info: ValidationInfo) -> Client:
        self._wire = wire_protocol(self.protocol, installed_in(info))
        return self

    @model_validator(mode="after")
    def _has_a_target(self) -> Client:
        if bool(self.address) == (self.registry is not None):
            raise ValueError("a client needs either 'address', or 'registry' and 'name'")
        if self.registry is not None and not self.name:
            raise ValueError("a client with a 'registry' needs the 'name' to look up there")
        return self


class OnError(Entry):
    """What an error of a call does to the request, and to the process.

    Attributes:
        then: `fail` the request, `ignore` the error, or `panic`: the process ends.
        log: Lines written for each such error.
        returns: The error handed to the caller.
        statuses: What an HTTP client gets by the kind of failure, where that is not the status of the
            operation's `failure`; 0 is what the callee answered itself.
        code: Exit code of a panic.
    """

    then: Literal["fail", "ignore", "panic"] = "fail"
    log: tuple[Line, ...] = ()
    returns: Text = "${error}"
    statuses: dict[ErrorKind, int] = Field(default_factory=dict)
    code: int = Field(default=2, ge=0, le=255)


class Call(Conditional):
    """A call of another program: `call: client.operation`.

    Attributes:
        call: Client and operation; for datastores the command (`store.find`, `cache.get`).
        collection: Collection that a command is about.
        times: How often per request.
        share: Fraction of requests that make it.
        takes_ms: For datastores: how long the command takes there, besides what any does.
        columns: For datastores with tables: columns that the command names; one that the table
            does not have is an error in the server's words.
        by: For datastores: fields by which the command finds what it is about. Where no index has one
            of them, all that is there is read.
        when: It is made only while this text says yes, see `Conditional`.
        unless: It is not made while this text says yes.
        on_error: What its failure does.
    """

    call: str = Field(pattern=r"^[^.]+\..+$")
    collection: str = ""
    times: float = Field(default=1.0, gt=0)
    share: float = Field(default=1.0, ge=0, le=1)
    takes_ms: Text = "0"
    columns: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    on_error: OnError = OnError()


class CacheAside(Entry):
    """A look into a cache, and the calls made when it has no answer.

    Attributes:
        cache: Client of the cache.
        hit_rate: Hit rate of lookups in a warm cache.
        keys: Different keys that are looked for: a cache that has restarted is warm again when
            about as many misses have filled it. 0: it is warm from the start.
        on_error: What a failure of the cache does; ignored by default, which makes it a miss.
        miss: The calls of a miss.
    """

    cache: str
    hit_rate: float = Field(ge=0, le=1)
    keys: int = Field(default=0, ge=0)
    on_error: OnError = OnError(then="ignore")
    miss: tuple[AnyCall, ...]


class Parallel(Entry):
    """Calls made at once; the slowest counts."""

    parallel: tuple[AnyCall, ...] = Field(min_length=1)


def _call_kind(value: Any) -> str | None:
    if isinstance(value, dict):
        return next((kind for kind in ("call", "cache", "parallel") if kind in value), None)
    return next(kind for kind in ("call", "cache", "parallel") if hasattr(value, kind))


AnyCall = Annotated[
    Annotated[Call, Tag("call")]
    | Annotated[CacheAside, Tag("cache")]
    | Annotated[Parallel, Tag("parallel")],
    Discriminator(
        _call_kind,
        custom_error_type="call",
        custom_error_message="a call has one of: call, cache, parallel",
    ),
]


class Operation(Entry):
    """One thing a service does on request.

    Attributes:
        listener: The listener it is reached through.
        route: For HTTP: `GET /path`; a path ending in `*` matches what begins with it.
        cpu_ms: CPU time of its own.
        latency_ms: Time of its own besides, without using the CPU.
        jitter: Standard deviation of its own time as a fraction of the mean.
        calls: What it calls, in sequence.
        variants: What is different about it under conditions.
        filters: Regular expressions that each of its requests is tried on first.
        log: Lines written for each request that succeeds.
        answer: What an HTTP client gets.
        failure: What an HTTP client gets when the request fails.
    """

    listener: str
    route: str | None = None
    cpu_ms: float = Field(default=0.2, gt=0)
    latency_ms: float = Field(default=0.0, ge=0)
    jitter: float = Field(default=0.35, ge=0)
    calls: tuple[AnyCall, ...] = ()
    variants: tuple[Variant, ...] = ()
    filters: tuple[Filter, ...] = ()
    log: tuple[Line, ...] = ()
    answer: Answer = Answer()
    failure: Answer = Answer(status=500, body="${error}\n")
    _heeds: tuple[str, ...] = PrivateAttr(default=())

    @property
    def heeds(self) -> tuple[str, ...]:
        """What it depends on of requests: `header.NAME`, in lower case, and `query.NAME`."""
        # Asked for with every operation of a structure: `self._heeds` takes pydantic ten times as long.
        private = self.__pydantic_private__ or {}
        heeds: tuple[str, ...] = private["_heeds"]
        return heeds

    @model_validator(mode="after")
    def _finds_what_it_heeds(self) -> Operation:
        names = {
            name
            for part in (*self.variants, *self.filters, *self.calls)
            for _, text in texts_of(part)
            for name in placeholders(text)
            if name.startswith((HEADER, QUERY))
        }
        self._heeds = tuple(sorted(names))
        return self


class Repeat(Entry):
    """Lines written again and again once started; `${n}` counts from 1.

    Attributes:
        every_s: Seconds between them; a number or a setting.
        log: The lines.
    """

    every_s: Text
    log: tuple[Line, ...]


class Sigterm(Entry):
    """What a program does on SIGTERM.

    Attributes:
        ignored: It goes on (a PID 1 without handler) until it is killed.
        takes_s: Seconds until it has ended.
        code: Its exit code.
        log: Lines written.
    """

    ignored: bool = False
    takes_s: float = Field(default=0.0, ge=0)
    code: int = Field(default=0, ge=0, le=255)
    log: tuple[Line, ...] = ()


class Program(Entry):
    """What every program has, whatever its kind.

    Attributes:
        kind: The word by which a service model chooses it; each class allows its own alone.
        config: What it reads when it starts: name -> setting. `${name}` stands for the value.
        log: How it writes lines.
        memory: Its working set.
        sigterm: How it ends on SIGTERM.
        limits: What it takes at once.
        gc: Its garbage collection, when that is worth telling.
        benign_errors: Which errors it logs every day though all is well: the name of a set, or
            `package:file.yaml#name` for one of another file. Those of its log format when empty.
    """

    kind: str
    config: dict[str, Setting] = Field(default_factory=dict)
    log: Log = Log()
    memory: Memory = Memory()
    sigterm: Sigterm = Sigterm()
    limits: Limits = Limits()
    gc: GarbageCollection | None = None
    benign_errors: BenignErrorSet = ""


class ServiceProgram(Program):
    """A program made of start-up steps, listeners and operations.

    Attributes:
        kind: `service`.
        startup: What it does before it serves, in order.
        listeners: Name -> port.
        clients: Name -> how another program is reached.
        operations: Name -> what it does on request.
        consumers: Name -> records that it takes from a topic; their operations have the listener
            `""` when no other call requests them.
        repeats: Lines it writes at intervals.
        tracing: How it is instrumented; None: its requests leave no spans.
        traces: What it keeps of others' spans, if it collects them.
        flags: Name -> feature flag that it requests while it runs.
        flags_file: File of flags, in the form of flagd, whose values it serves to others; empty for none.
        relays_traces_to: `host:port` to which it hands on the spans that it receives; empty for none.
        accept_error: What it writes each second in which it cannot take a connection, because its
            descriptors are used up; None for nothing.
    """

    kind: Literal["service"] = "service"
    startup: tuple[AnyStep, ...] = ()
    listeners: dict[str, Listener] = Field(default_factory=dict)
    clients: dict[str, Client] = Field(default_factory=dict)
    operations: dict[str, Operation] = Field(default_factory=dict)
    consumers: dict[str, Consumer] = Field(default_factory=dict)
    repeats: tuple[Repeat, ...] = ()
    tracing: Tracing | None = None
    traces: TraceStore | None = None
    relays_traces_to: Text = ""
    flags: dict[str, Flag] = Field(default_factory=dict)
    flags_file: Text = ""
    accept_error: Line | None = None


def route_of(program: ServiceProgram, method: str, path: str) -> str | None:
    """The operation that an HTTP request reaches, or None."""
    bare = path.partition("?")[0]
    for name, operation in program.operations.items():
        if operation.route is None:
            continue
        wanted, _, place = operation.route.partition(" ")
        fits = bare.startswith(place[:-1]) if place.endswith("*") else bare == place
        if wanted == method and fits:
            return name
    return None
