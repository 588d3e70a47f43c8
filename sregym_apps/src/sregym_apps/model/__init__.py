"""Service models: the data that make an application live in a simulated cluster.

`load_service_model` reads one YAML file; the page `docs/reference/service-model.md` describes it.
"""

from __future__ import annotations

from sregym_apps.model.admission import AdmissionProgram
from sregym_apps.model.application import AnyProgram, EntryPoint, ServiceModel
from sregym_apps.model.base import HEADER, QUERY, Entry, Text, expand, placeholders
from sregym_apps.model.benign import BenignError, BenignErrorSet, benign_errors
from sregym_apps.model.breaking import CircuitBreaker
from sregym_apps.model.configuration import Line, Log, Memory, Setting
from sregym_apps.model.consuming import Consumer, Poison
from sregym_apps.model.datastore import (
    WRITING,
    StoreProgram,
)
from sregym_apps.model.flags import Filter, Flag, Variant, is_on
from sregym_apps.model.forms import FormError, parsed, value_at, value_in
from sregym_apps.model.image import DEFAULT_PATH, Image, parse_reference
from sregym_apps.model.ingress import IngressProgram
from sregym_apps.model.loading import (
    ServiceModelError,
    form_of_service_models,
    load_service_model,
    parse_service_model,
    service_model_from,
)
from sregym_apps.model.nameserver import NameServerProgram
from sregym_apps.model.nodeproxy import NodeProxyProgram, NodeRouterProgram
from sregym_apps.model.program_capacity import (
    Answer,
    ErrorKind,
    GarbageCollection,
    Limits,
    Retry,
    amount,
    count,
    growth_of,
    seconds,
)
from sregym_apps.model.proxy import FLAVOURS, ProxyProgram, Route
from sregym_apps.model.service import (
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
    route_of,
)
from sregym_apps.model.settings_lookup import parse_words, settings_found
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
    RunStep,
    SeedStep,
    WaitStep,
)
from sregym_apps.model.tracing import TraceStore, Tracing
from sregym_apps.model.workload import Burst, LoadGeneratorProgram, MixEntry, Phase

__all__ = [
    "DEFAULT_PATH",
    "FLAVOURS",
    "HEADER",
    "QUERY",
    "WRITING",
    "AdmissionProgram",
    "Answer",
    "AnyCall",
    "AnyProgram",
    "AnyStep",
    "BenignError",
    "BenignErrorSet",
    "Burst",
    "CacheAside",
    "Call",
    "CircuitBreaker",
    "Client",
    "Consumer",
    "DialStep",
    "Entry",
    "EntryPoint",
    "ErrorKind",
    "ExitStep",
    "Failure",
    "Filter",
    "Flag",
    "FormError",
    "GarbageCollection",
    "GrowStep",
    "Image",
    "IngressProgram",
    "Limits",
    "Line",
    "ListenStep",
    "Listener",
    "LoadGeneratorProgram",
    "Log",
    "LogStep",
    "Memory",
    "MixEntry",
    "NameServerProgram",
    "NodeProxyProgram",
    "NodeRouterProgram",
    "OnError",
    "Operation",
    "Parallel",
    "Phase",
    "Poison",
    "Program",
    "Protocol",
    "ProxyProgram",
    "QueryStep",
    "ReadStep",
    "RegisterStep",
    "Repeat",
    "RequireStep",
    "Retry",
    "Route",
    "RunStep",
    "SeedStep",
    "ServiceModel",
    "ServiceModelError",
    "ServiceProgram",
    "Setting",
    "Sigterm",
    "StoreProgram",
    "Text",
    "TraceStore",
    "Tracing",
    "Variant",
    "WaitStep",
    "amount",
    "benign_errors",
    "count",
    "expand",
    "form_of_service_models",
    "growth_of",
    "is_on",
    "load_service_model",
    "parse_reference",
    "parse_service_model",
    "parse_words",
    "parsed",
    "placeholders",
    "route_of",
    "seconds",
    "service_model_from",
    "settings_found",
    "value_at",
    "value_in",
]
