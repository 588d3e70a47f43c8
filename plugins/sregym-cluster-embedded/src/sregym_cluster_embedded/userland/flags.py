"""Feature flags: what a server of flags says from its file, as flagd does, and what programs hear."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sregym_apps.model import Client, ServiceProgram, expand

from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.userland.kinds.kind import WebAnswer
from sregym_cluster_embedded.userland.life import wake_traffic
from sregym_cluster_embedded.userland.process import process_of
from sregym_cluster_embedded.userland.wiring import targets

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World

_OFREP = "/ofrep/v1/evaluate/flags/"
_JSON = "application/json"


def flag_values(world: World, ref: ContainerRef) -> tuple[tuple[str, str], ...]:
    """The flags of a program by the names that it has for them, as things stand."""
    process = process_of(world, ref)
    program = None if process is None else process.behaviour
    if process is None or not isinstance(program, ServiceProgram):
        return ()
    facts = process.facts()
    found: list[tuple[str, str]] = []
    for name, flag in program.flags.items():
        asked = _client(flag.protocol, expand(flag.server, facts))
        value = _told(world, process, asked, flag.flag)
        found.append((name, expand(flag.default, facts) if value is None else _text(value)))
    return tuple(found)


def ofrep(
    world: World, process: Process, program: ServiceProgram, method: str, path: str
) -> WebAnswer | None:
    """An answer of the OpenFeature Remote Evaluation Protocol; None for other requests."""
    if not program.flags_file or method != "POST" or not path.startswith(_OFREP):
        return None
    key = path.removeprefix(_OFREP).partition("?")[0]
    defined = _definition(world, process, program, key)
    if defined is None:
        missing = {
            "key": key,
            "errorCode": "FLAG_NOT_FOUND",
            "errorDetails": f"flag `{key}` does not exist",
        }
        return WebAnswer(404, json.dumps(missing), _JSON)
    variant = defined.get("defaultVariant", "")
    told = {
        "value": (defined.get("variants") or {}).get(variant),
        "key": key,
        "reason": "STATIC",
        "variant": variant,
        "metadata": {},
    }
    return WebAnswer(200, json.dumps(told, separators=(",", ":")) + "\n", _JSON)


def flags_written(world: World, ref: ContainerRef) -> None:
    """Files of a pod may have been written: whoever serves flags there watches his."""
    served = (
        process.behaviour.flags_file
        for process in world.room(RUNTIME).running(world)
        if process.ref.pod_uid == ref.pod_uid and isinstance(process.behaviour, ServiceProgram)
    )
    if any(served):
        wake_traffic(world)


def _told(world: World, process: Process, client: Client, flag: str) -> Any:
    """The value of a flag at the server that a client reaches; None where there is none."""
    for target in targets(world, process, client):
        server = None if target.kind or target.ref is None else process_of(world, target.ref)
        program = None if server is None else server.behaviour
        if server is not None and server.running and isinstance(program, ServiceProgram):
            defined = _definition(world, server, program, flag) or {}
            return (defined.get("variants") or {}).get(defined.get("defaultVariant"))
    return None


def _definition(
    world: World, server: Process, program: ServiceProgram, flag: str
) -> dict[str, Any] | None:
    """A flag as the server's file has it; None where it has not, or the flag is disabled."""
    if not program.flags_file:
        return None
    place = expand(program.flags_file, server.facts()).removeprefix("file:")
    path = place if place.startswith("/") else f"{server.working_dir.rstrip('/')}/{place}"
    text = world.room(RUNTIME).files(world, server).read(path.replace("/./", "/"))
    found = _flags(text or "").get(flag)
    return found if isinstance(found, dict) and found.get("state") == "ENABLED" else None


@lru_cache(maxsize=64)
def _flags(text: str) -> dict[str, Any]:
    try:
        whole = json.loads(text)
    except ValueError:
        return {}
    flags = whole.get("flags") if isinstance(whole, dict) else None
    return flags if isinstance(flags, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


@lru_cache(maxsize=256)
def _client(protocol: str, address: str) -> Client:
    return Client(protocol=protocol, address=address or "localhost")
