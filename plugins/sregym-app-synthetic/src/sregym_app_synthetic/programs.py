"""The application's own programs, each in one of four languages."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Any

import yaml

from sregym_app_synthetic.graph import Role
from sregym_app_synthetic.naming import vocabulary
from sregym_app_synthetic.servers import ENGINES, address_of, credentials_of
from sregym_app_synthetic.writing import secret_value, setting_name

if TYPE_CHECKING:
    from sregym_app_synthetic.graph import Call, Method, Part
    from sregym_app_synthetic.writing import Context

_HTTP, _GRPC = 8080, 9090
# Which languages have their settings in a file, and where it is.
_FILES = {"java": "/app/config/application.yml", "node": "/app/config/config.json"}
_ENTRYPOINTS = {
    "go": [],
    "java": ["-XX:MaxRAMPercentage=70", "-jar", "/app/app.jar"],
    "python": ["app:app", "--bind=0.0.0.0:8080", "--workers=2"],
    "node": ["/app/server.js"],
}
_HEALTH = {"java": "/actuator/health", "python": "/healthz", "node": "/health", "go": "/healthz"}
# How calls by gRPC are made again: variables of those that read none of their settings in files.
_ATTEMPTS, _TIMEOUT = "RPC_ATTEMPTS", "RPC_TIMEOUT"
_USUAL_ATTEMPTS, _USUAL_TIMEOUT = "2", "3s"
# Requests that wait for so many answers one after the other ask at once instead.
_AT_ONCE = 3


def speaks_grpc(part: Part) -> bool:
    """Whether a program is called by gRPC; by HTTP otherwise."""
    return part.engine == "go" and part.role in (Role.SERVICE, Role.SHARED)


def port_of(part: Part) -> int:
    """The port of its Service."""
    if part.role is Role.GATEWAY:
        return 80
    return _GRPC if speaks_grpc(part) else _HTTP


def route_of(context: Context, part: Part, method: Method) -> str:
    """Method and path of a request by HTTP."""
    if part.role is Role.GATEWAY:
        found = (one for one in context.graph.operations if one.method == method.name)
        return next(found).request
    verb = "POST" if method.name in ("Process", "Handle") else "GET"
    return f"{verb} /v1/{part.name.rpartition('-')[2]}/{method.name.lower()}"


def write_program(context: Context, part: Part) -> None:
    """Write a program: its objects, its image and how it behaves."""
    _Program(context, part).write()


class _Program:
    def __init__(self, context: Context, part: Part) -> None:
        self.context, self.part = context, part
        self.parts = context.graph.parts
        self.language: dict[str, Any] = vocabulary()["languages"][part.engine]
        self.chance = Random(f"{context.seed} program {part.name}")  # noqa: S311 - seeded, and no secret
        self.callees = list(
            dict.fromkeys(call.part for method in part.methods for call in method.calls)
        )
        published = [method.publishes[1] for method in part.methods if method.publishes]
        self.broker = part.takes[1] if part.takes else next(iter(published), "")
        # Setting -> value, as the manifest has it.
        self.values: dict[str, str] = {}
        self.config: dict[str, Any] = {}
        self.clients: dict[str, Any] = {}
        self.env: list[dict[str, Any]] = []

    def write(self) -> None:
        for name in self.callees:
            self._reach(self.parts[name])
        for name, short in ((self.part.store, "db"), (self.part.cache, "cache"), (self.broker, "broker")):  # fmt: skip
            if name:
                self._connect(self.parts[name], short)
        repository = f"{self.context.out.registry}/{self.part.name}"
        tag = self.chance.choice(self.language["tags"])
        self._image(repository, tag)
        self._objects(f"{repository}:{tag}")
        self.context.out.programs[self.part.name] = self._program()
        self.context.out.notes[self.part.name] = self._notes()

    def _setting(self, name: str, value: str) -> str:
        """Note a setting and where the program reads it; gives how to refer to it."""
        file = _FILES.get(self.part.engine)
        self.values[name] = value
        source = {"file": file, "key": name} if file else {"env": name.upper()}
        self.config[name] = source
        return f"${{{name}}}"

    def _reach(self, callee: Part) -> None:
        """A client of another program."""
        grpc = speaks_grpc(callee)
        address = f"{callee.name}:{port_of(callee)}"
        given = self._setting(
            f"{setting_name(callee.name)}_{'addr' if grpc else 'url'}",
            address if grpc else f"http://{address}",
        )
        client: dict[str, Any] = {"protocol": "grpc" if grpc else "http", "address": given}
        client["timeout_s"] = 3 if self.part.role is not Role.GATEWAY else 5
        if grpc and self.part.engine not in _FILES:
            client |= self._retries()
        if not grpc:
            client["pool"] = 64
            client["errors"] = vocabulary()["errors"].get(self.part.engine, {})
        self.clients[callee.name] = client

    def _retries(self) -> dict[str, Any]:
        """How often, and how long each time, it asks other programs by gRPC: for all of them alike."""
        attempts = self._setting(_ATTEMPTS.lower(), _USUAL_ATTEMPTS)
        self.config[_ATTEMPTS.lower()]["type"] = "integer"
        timeout = self._setting(_TIMEOUT.lower(), _USUAL_TIMEOUT)
        kinds = ["refused", "reset", "timeout", "unreachable", "unavailable", "overloaded"]
        return {"timeout": timeout, "retry": {"attempts": attempts, "on": kinds}}

    def _notes(self) -> dict[str, Any]:
        """What faults may know of it."""
        roles = {_ATTEMPTS: "attempts", _TIMEOUT: "timeout"}
        known = [
            {"name": name, "role": roles[name]} for name in roles if name.lower() in self.values
        ]
        return {"kind": "service", **({"settings": known} if known else {})}

    def _connect(self, server: Part, short: str) -> None:
        """A client of a database, cache or broker."""
        given = self._setting(f"{short}_address", address_of(server))
        client = {"protocol": ENGINES[server.engine][1], "address": given, "timeout_s": 3}
        secret = credentials_of(server)
        if secret:
            for what in ("username", "password"):
                variable = f"{short}_{what}"
                self.config[variable] = {"env": variable.upper()}
                self.env.append(secret_value(variable.upper(), secret, what))
            client |= {"user": f"${{{short}_username}}", "password": f"${{{short}_password}}"}
        if server.role is Role.STORE:
            client |= {"database": setting_name(server.name), "pool": 16}
        if server.engine == "rabbitmq":
            client["database"] = "/"
        self.clients[short] = client

    def _image(self, repository: str, tag: str) -> None:
        binary = self.language["binary"]
        self.context.out.images.append(
            {
                "repository": repository,
                "tags": [tag],
                "size_mib": int(self.language["size_mib"] * self.chance.uniform(0.8, 1.4)),
                "working_dir": "/app",
                "entrypoint": [binary, *_ENTRYPOINTS[self.part.engine]],
                "binaries": {binary: self.part.name},
                "tools": self.language["tools"],
            }
        )

    def _objects(self, image: str) -> None:
        part, context = self.part, self.context
        name = "grpc" if speaks_grpc(part) else "http"
        port = _GRPC if speaks_grpc(part) else _HTTP
        container: dict[str, Any] = {
            "name": part.name,
            "image": image,
            "ports": [{"name": name, "containerPort": port}],
            "env": self.env,
            **self._probes(name),
            "resources": context.sizes[part.name].resources,
        }
        pod: dict[str, Any] = {"containers": [container]}
        file = _FILES.get(part.engine)
        if file is None:
            given = [{"name": key.upper(), "value": value} for key, value in self.values.items()]
            container["env"] = [*given, *self.env]
        elif self.values:
            folder, _, key = file.rpartition("/")
            text = json.dumps(self.values, indent=2) if key.endswith("json") else _yaml(self.values)
            context.config_map(f"{part.name}-config", part.name, {key: text})
            container["volumeMounts"] = [{"name": "config", "mountPath": folder, "readOnly": True}]
            pod["volumes"] = [{"name": "config", "configMap": {"name": f"{part.name}-config"}}]
        context.service(part, name, port_of(part), name)
        context.workload("Deployment", part, pod)

    def _probes(self, port: str) -> dict[str, Any]:
        if speaks_grpc(self.part):
            how: dict[str, Any] = {"tcpSocket": {"port": port}}
        else:
            how = {"httpGet": {"path": _HEALTH[self.part.engine], "port": port}}
        patient = {**how, "timeoutSeconds": 3, "periodSeconds": 10}
        probes = {"readinessProbe": patient, "livenessProbe": {**patient, "failureThreshold": 6}}
        # It waits for its database, which may have to be pulled.
        probes["startupProbe"] = {**how, "periodSeconds": 5, "failureThreshold": 90}
        return probes

    def _program(self) -> dict[str, Any]:
        part = self.part
        protocol = "grpc" if speaks_grpc(part) else "http"
        program: dict[str, Any] = {
            "log": {"format": self.language["log"]},
            "memory": {
                "base_mib": self.language["base_mib"],
                "per_rps_kib": self.language["per_rps_kib"],
                "ramp_s": round(self.language["starts_s"][0] / 2, 2),
            },
            "config": self.config,
            "startup": self._startup(protocol),
            "listeners": {protocol: {"protocol": protocol, "port": _GRPC if protocol == "grpc" else _HTTP}},
            "clients": self.clients,
            "operations": {},
        }  # fmt: skip
        for method in part.methods:
            operation: dict[str, Any] = {
                "listener": "" if part.takes else protocol,
                "cpu_ms": method.cpu_ms,
                "latency_ms": 0.3,
                "calls": self._calls(method),
            }
            if protocol == "http" and not part.takes:
                operation["route"] = route_of(self.context, part, method)
                body = '{"status": "ok"}'
                operation["answer"] = {"body": body, "content_type": "application/json"}
                operation["failure"] = {"status": 502 if part.role is Role.GATEWAY else 500, "body": '{"error": "${error}"}'}  # fmt: skip
            program["operations"][method.name] = operation
        if protocol == "http":
            health = {"listener": "http", "route": f"GET {_HEALTH[part.engine]}", "cpu_ms": 0.1}
            program["operations"]["health"] = health
        if part.takes:
            consumer = {"client": "broker", "topic": part.takes[0], "group": part.name, "operation": part.methods[0].name}  # fmt: skip
            program["consumers"] = {"messages": consumer}
        return program

    def _startup(self, protocol: str) -> list[dict[str, Any]]:
        part = self.part
        low, high = self.language["starts_s"]
        starts = round(self.chance.uniform(low, high), 1)
        steps: list[dict[str, Any]] = [{"log": f"starting {part.name}", "takes_s": starts}]
        file = _FILES.get(part.engine)
        if file and self.values:
            steps.append({"read": file, "on_failure": {"code": 1, "log": [{"level": "error", "text": "cannot read the configuration: ${error}"}]}})  # fmt: skip
        if self.config:
            steps.append({"require": list(self.config), "on_failure": {"code": 1, "log": [{"level": "error", "text": "missing setting ${key}"}]}})  # fmt: skip
        if part.store:
            again = {"then": "retry", "every_s": 3, "log": [{"level": "warn", "text": "database is not ready: ${error}"}]}  # fmt: skip
            steps.append({"dial": "db", "on_failure": again})
            record = '{"id": ${n}, "state": "active"}'
            documents = self.chance.randrange(200, 5000)
            steps.append({"seed": f"db.{self._collection()}", "documents": documents, "record": record, "on_failure": again})  # fmt: skip
        taken = {"code": 1, "log": [{"level": "error", "text": "${error}"}]}
        steps.append({"listen": protocol, "on_failure": taken})
        steps.append({"log": f"{part.name} is serving on port {_GRPC if protocol == 'grpc' else _HTTP}"})  # fmt: skip
        return steps

    def _collection(self) -> str:
        return setting_name(self.part.name).rpartition("_")[2]

    def _calls(self, method: Method) -> list[dict[str, Any]]:
        """First what it keeps itself, then others, several at once where there are many."""
        found = [self._call(call) for call in method.calls]
        if len(found) >= _AT_ONCE and self.part.engine != "python":
            found = [{"parallel": found}]
        if self.part.store:
            kept: dict[str, Any] = {"call": f"db.{'insert' if method.writes else 'find'}", "collection": self._collection()}  # fmt: skip
            kept["on_error"] = _told("database")
            if self.part.cache and not method.writes:
                kept = {"cache": "cache", "hit_rate": self.part.hit_rate, "miss": [kept]}  # fmt: skip
            found.insert(0, kept)
        if method.publishes:
            kafka = self.parts[method.publishes[1]].engine == "kafka"
            sent = {"call": f"broker.{'produce' if kafka else 'publish'}", "collection": method.publishes[0]}  # fmt: skip
            found.append({**sent, "on_error": _told("message broker")})
        return found

    def _call(self, call: Call) -> dict[str, Any]:
        callee = self.parts[call.part]
        method = next(one for one in callee.methods if one.name == call.method)
        what = method.name if speaks_grpc(callee) else route_of(self.context, callee, method)
        made: dict[str, Any] = {"call": f"{callee.name}.{what}", "on_error": _told(callee.name)}
        if call.share < 1:
            made["share"] = call.share
        return made


def _told(what: str) -> dict[str, Any]:
    return {"log": [{"level": "error", "text": f"{what}: ${{error}}"}]}


def _yaml(values: dict[str, str]) -> str:
    return str(yaml.safe_dump(values, sort_keys=False, width=200))
