"""The service model of one application: what its images hold and how its programs behave."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import Discriminator, Field, Tag

from sregym_apps.model.base import Entry, placeholders, texts_of
from sregym_apps.model.databases import EtcdProgram, MysqlProgram, PostgresProgram, RedisProgram
from sregym_apps.model.datastore import (
    KeyValueProgram,
    MemcachedProgram,
    MongodbProgram,
    RegistryProgram,
)
from sregym_apps.model.image import Image
from sregym_apps.model.ingress import IngressProgram
from sregym_apps.model.messaging import KafkaProgram, RabbitmqProgram
from sregym_apps.model.nameserver import NameServerProgram
from sregym_apps.model.nginx import NginxProgram
from sregym_apps.model.proxy import ProxyProgram
from sregym_apps.model.service import AnyCall, CacheAside, Parallel, ServiceProgram
from sregym_apps.model.startup import (
    DialStep,
    ListenStep,
    QueryStep,
    RegisterStep,
    RequireStep,
    SeedStep,
)
from sregym_apps.model.workload import LoadGeneratorProgram

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Location: TypeAlias = tuple[str | int, ...]

# What may stand as `${name}` besides the settings of the program: facts of the moment.
FACTS = frozenset(
    {
        "error",
        "host",
        "port",
        "ip",
        "dns",
        "url",
        "setting",
        "key",
        "file",
        "n",
        "name",
        "operation",
    }
    | {"database", "collection", "command", "user", "pod", "namespace", "hostname", "pod_ip"}
    | {"node", "program", "image", "attempt", "lookup", "client_ip"}
)
_RANGE = re.compile(r"^\d+\.\.\d+$")

_KINDS = (
    *("service", "mongodb", "memcached", "keyvalue", "registry", "name-server"),
    *(
        "redis",
        "mysql",
        "postgres",
        "etcd",
        "kafka",
        "rabbitmq",
        "ingress-controller",
        "http-proxy",
        "nginx",
    ),
    "load-generator",
)


def _kind(value: Any) -> str | None:
    kind = value.get("kind", "service") if isinstance(value, dict) else getattr(value, "kind", None)
    return kind if kind in _KINDS else None


AnyProgram = Annotated[
    Annotated[ServiceProgram, Tag("service")]
    | Annotated[MongodbProgram, Tag("mongodb")]
    | Annotated[MemcachedProgram, Tag("memcached")]
    | Annotated[KeyValueProgram, Tag("keyvalue")]
    | Annotated[RegistryProgram, Tag("registry")]
    | Annotated[RedisProgram, Tag("redis")]
    | Annotated[MysqlProgram, Tag("mysql")]
    | Annotated[PostgresProgram, Tag("postgres")]
    | Annotated[EtcdProgram, Tag("etcd")]
    | Annotated[KafkaProgram, Tag("kafka")]
    | Annotated[RabbitmqProgram, Tag("rabbitmq")]
    | Annotated[NameServerProgram, Tag("name-server")]
    | Annotated[IngressProgram, Tag("ingress-controller")]
    | Annotated[ProxyProgram, Tag("http-proxy")]
    | Annotated[NginxProgram, Tag("nginx")]
    | Annotated[LoadGeneratorProgram, Tag("load-generator")],
    Discriminator(
        _kind,
        custom_error_type="kind",
        custom_error_message=f"'kind' is one of: {', '.join(_KINDS)}",
    ),
]


class EntryPoint(Entry):
    """A request by which users meet the application.

    Attributes:
        service: Kubernetes Service it goes to.
        port: Port of that Service.
        request: Method and path: `GET /hotels?lat=38.0`.
    """

    service: str
    port: int = Field(ge=1, le=65535)
    request: str = Field(pattern=r"^[A-Z]+ /\S*$")


class ServiceModel(Entry):
    """One application as its cluster sees it.

    Attributes:
        application: Name of the application.
        images: What the registry has.
        programs: Name -> behaviour; images say which binary is which program.
        entry_points: Name -> request of a user.
        vocabulary: Further YAML anchors may stand here; nothing reads it.
    """

    application: str
    images: tuple[Image, ...] = ()
    programs: dict[str, AnyProgram] = Field(default_factory=dict)
    entry_points: dict[str, EntryPoint] = Field(default_factory=dict)
    vocabulary: dict[str, Any] = Field(default_factory=dict)


def inconsistencies(model: ServiceModel) -> Iterator[tuple[Location, str]]:
    """Names that lead nowhere: where each stands, and what is wrong with it."""
    for index, image in enumerate(model.images):
        for path, program in image.binaries.items():
            if program not in model.programs:
                yield (
                    ("images", index, "binaries", path),
                    _unknown("program", program, model.programs),
                )
    for name, behaviour in model.programs.items():
        here: Location = ("programs", name)
        known = FACTS | set(behaviour.config)
        for inner, text in texts_of(behaviour):
            if inner[:1] == ("config",):
                continue
            for placeholder in placeholders(text):
                if placeholder not in known and not _RANGE.match(placeholder):
                    yield (*here, *inner), _unknown("setting", placeholder, behaviour.config)
        if isinstance(behaviour, ServiceProgram):
            for inner, text in _service_inconsistencies(behaviour):
                yield (*here, *inner), text


def _service_inconsistencies(program: ServiceProgram) -> Iterator[tuple[Location, str]]:
    for name, client in program.clients.items():
        if client.registry is not None and client.registry not in program.clients:
            path = ("clients", name, "registry")
            yield path, _unknown("client", client.registry, program.clients)
    for index, step in enumerate(program.startup):
        here: Location = ("startup", index)
        if isinstance(step, RequireStep):
            for setting in step.require:
                if setting not in program.config:
                    yield (*here, "require"), _unknown("setting", setting, program.config)
        elif isinstance(step, ListenStep):
            if step.listen not in program.listeners:
                yield (*here, "listen"), _unknown("listener", step.listen, program.listeners)
        else:
            verb, client_name = _client_of(step)
            if client_name is not None and client_name not in program.clients:
                yield (*here, verb), _unknown("client", client_name, program.clients)
    required = {
        s for step in program.startup if isinstance(step, RequireStep) for s in step.require
    }
    for name, setting_ in program.config.items():
        if setting_.default is None and name not in required:
            text = (
                f"setting '{name}' has no default, and no 'require' step says what its absence does"
            )
            yield ("config", name), text
    for name, consumer in program.consumers.items():
        here = ("consumers", name)
        if consumer.client not in program.clients:
            yield (*here, "client"), _unknown("client", consumer.client, program.clients)
        if consumer.operation not in program.operations:
            yield (
                (*here, "operation"),
                _unknown("operation", consumer.operation, program.operations),
            )
    consumed = {consumer.operation for consumer in program.consumers.values()}
    for name, operation in program.operations.items():
        here = ("operations", name)
        alone = not operation.listener and name in consumed
        if operation.listener not in program.listeners and not alone:
            yield (*here, "listener"), _unknown("listener", operation.listener, program.listeners)
        yield from _call_inconsistencies(program, operation.calls, (*here, "calls"))
    yield from _tracing_inconsistencies(program)


def _tracing_inconsistencies(program: ServiceProgram) -> Iterator[tuple[Location, str]]:
    if program.traces is not None and program.traces.query not in program.listeners:
        text = _unknown("listener", program.traces.query, program.listeners)
        yield ("traces", "query"), text
    for name in {} if program.tracing is None else program.tracing.spans:
        here: Location = ("tracing", "spans", name)
        within, slash, call = name.partition("/")
        if "." in within:
            # The slash is one of an HTTP path.
            within, slash, call = "", "", name
        if slash and within not in program.operations:
            yield here, _unknown("operation", within, program.operations)
        client, dot, _ = (call if slash else name).partition(".")
        if dot and client not in program.clients:
            yield here, _unknown("client", client, program.clients)
        elif not dot and name not in program.operations:
            yield here, _unknown("operation", name, program.operations)


def _client_of(step: object) -> tuple[str, str | None]:
    if isinstance(step, DialStep):
        return "dial", step.dial
    if isinstance(step, QueryStep):
        return "query", step.query.partition(".")[0]
    if isinstance(step, SeedStep):
        return "seed", step.seed.partition(".")[0]
    if isinstance(step, RegisterStep):
        return "register", step.register_at
    return "", None


def _call_inconsistencies(
    program: ServiceProgram, calls: tuple[AnyCall, ...], here: Location
) -> Iterator[tuple[Location, str]]:
    for index, call in enumerate(calls):
        if isinstance(call, Parallel):
            yield from _call_inconsistencies(program, call.parallel, (*here, index, "parallel"))
            continue
        field = "cache" if isinstance(call, CacheAside) else "call"
        client = call.cache if isinstance(call, CacheAside) else call.call.partition(".")[0]
        if client not in program.clients:
            yield (*here, index, field), _unknown("client", client, program.clients)
        if isinstance(call, CacheAside):
            yield from _call_inconsistencies(program, call.miss, (*here, index, "miss"))


def _unknown(noun: str, name: str, known: Iterable[str]) -> str:
    there = ", ".join(sorted(known)) or "none"
    return f"there is no {noun} '{name}' (there are: {there})"
