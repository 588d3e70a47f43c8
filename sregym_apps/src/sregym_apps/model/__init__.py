"""Service models: the data that make an application live in a simulated cluster.

`load_service_model` reads one YAML file; the page `docs/reference/service-model.md` describes it.
"""

from __future__ import annotations

from sregym_apps.model.application import AnyProgram, EntryPoint, ServiceModel
from sregym_apps.model.base import Entry, expand, placeholders
from sregym_apps.model.configuration import Line, Log, Memory, Setting
from sregym_apps.model.consuming import Consumer, Poison
from sregym_apps.model.databases import EtcdProgram, MysqlProgram, PostgresProgram, RedisProgram
from sregym_apps.model.datastore import (
    KeyValueProgram,
    MemcachedProgram,
    MongodbProgram,
    RegistryProgram,
    StoreProgram,
)
from sregym_apps.model.image import DEFAULT_PATH, Image, parse_reference
from sregym_apps.model.ingress import IngressProgram
from sregym_apps.model.loading import ServiceModelError, load_service_model, parse_service_model
from sregym_apps.model.messaging import KafkaProgram, RabbitmqProgram, RabbitmqQueue, Topic
from sregym_apps.model.nameserver import NameServerProgram
from sregym_apps.model.nginx import NginxProgram
from sregym_apps.model.proxy import FLAVOURS, ProxyProgram, Route
from sregym_apps.model.service import (
    Answer,
    AnyCall,
    CacheAside,
    Call,
    Client,
    Listener,
    OnError,
    Operation,
    Parallel,
    Program,
    Protocol,
    Repeat,
    ServiceProgram,
    Sigterm,
)
from sregym_apps.model.serving import (
    ErrorKind,
    GarbageCollection,
    Limits,
    Retry,
    count,
    seconds,
)
from sregym_apps.model.startup import (
    AnyStep,
    DialStep,
    ExitStep,
    Failure,
    GrowStep,
    ListenStep,
    LogStep,
    QueryStep,
    ReadStep,
    RegisterStep,
    RequireStep,
    SeedStep,
    WaitStep,
)
from sregym_apps.model.tracing import TraceStore, Tracing
from sregym_apps.model.workload import Burst, LoadGeneratorProgram, MixEntry, Phase

__all__ = [
    "DEFAULT_PATH",
    "FLAVOURS",
    "Answer",
    "AnyCall",
    "AnyProgram",
    "AnyStep",
    "Burst",
    "CacheAside",
    "Call",
    "Client",
    "Consumer",
    "DialStep",
    "Entry",
    "EntryPoint",
    "ErrorKind",
    "EtcdProgram",
    "ExitStep",
    "Failure",
    "GarbageCollection",
    "GrowStep",
    "Image",
    "IngressProgram",
    "KafkaProgram",
    "KeyValueProgram",
    "Limits",
    "Line",
    "ListenStep",
    "Listener",
    "LoadGeneratorProgram",
    "Log",
    "LogStep",
    "MemcachedProgram",
    "Memory",
    "MixEntry",
    "MongodbProgram",
    "MysqlProgram",
    "NameServerProgram",
    "NginxProgram",
    "OnError",
    "Operation",
    "Parallel",
    "Phase",
    "Poison",
    "PostgresProgram",
    "Program",
    "Protocol",
    "ProxyProgram",
    "QueryStep",
    "RabbitmqProgram",
    "RabbitmqQueue",
    "ReadStep",
    "RedisProgram",
    "RegisterStep",
    "RegistryProgram",
    "Repeat",
    "RequireStep",
    "Retry",
    "Route",
    "SeedStep",
    "ServiceModel",
    "ServiceModelError",
    "ServiceProgram",
    "Setting",
    "Sigterm",
    "StoreProgram",
    "Topic",
    "TraceStore",
    "Tracing",
    "WaitStep",
    "count",
    "expand",
    "load_service_model",
    "parse_reference",
    "parse_service_model",
    "placeholders",
    "seconds",
]
