"""The lines that a broker writes from its start until it takes connections."""

from __future__ import annotations

import base64
from datetime import datetime, timedelta
from hashlib import md5
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.sdk.servers import machine, moment

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sregym_cluster_embedded.sdk.servers import Container, Process, World

    from sregym_server_rabbitmq.data import RabbitmqData
    from sregym_server_rabbitmq.program import RabbitmqProgram

ERLANG = "26.2.5.6"
MANAGEMENT, METRICS, CLUSTERING, EPMD = 15672, 15692, 25672, 4369
_MAIN = "<0.254.0>"
_LINE_S = 0.0009
_STEPS = (
    *("codec_correctness_check", "external_infrastructure", "rabbit_event", "rabbit_registry"),
    *("rabbit_auth_mechanism_amqplain", "rabbit_auth_mechanism_cr_demo"),
    *("rabbit_auth_mechanism_plain", "rabbit_exchange_type_direct", "rabbit_exchange_type_fanout"),
    *("rabbit_exchange_type_headers", "rabbit_exchange_type_topic", "rabbit_priority_queue"),
    *("kernel_ready", "rabbit_sysmon_minder", "rabbit_epmd_monitor", "guid_generator"),
    *("rabbit_node_monitor", "delegate_sup", "rabbit_memory_monitor", "rabbit_fifo_dlx_sup"),
    *("core_initialized", "rabbit_channel_tracking_handler"),
    *("rabbit_connection_tracking_handler", "rabbit_definitions_hashing"),
    *("rabbit_exchange_parameters", "rabbit_policies", "rabbit_policy"),
    *("rabbit_queue_location_validator", "rabbit_quorum_memory_manager", "rabbit_quorum_queue"),
    *("rabbit_stream_coordinator", "rabbit_vhost_limit", "recovery"),
)
_LATER = (
    *("rabbit_observer_cli", "rabbit_core_metrics_gc", "background_gc", "routing_ready"),
    *("pre_flight", "notify_cluster", "networking", "definition_import_worker_pool"),
    *("cluster_name", "direct_client"),
)


class Said(NamedTuple):
    """A line: its text, level, and the process of Erlang that writes it."""

    text: str
    level: str = "info"
    who: str = _MAIN


def written(world: World, lines: Sequence[Said | str]) -> list[str]:
    """Lines of now as they stand in the log; bare texts have no time."""
    now = moment(world, world.now)
    found: list[str] = []
    for place, line in enumerate(lines):
        at = now - timedelta(seconds=_LINE_S * (len(lines) - 1 - place))
        found.append(line if isinstance(line, str) else stamped(at, line))
    return found


def stamped(at: datetime, line: Said) -> str:
    """A line with its time, in each of its parts."""
    head = f"{at:%Y-%m-%d %H:%M:%S.%f}+00:00 [{line.level}] {line.who} "
    return "\n".join(f"{head}{part}" for part in line.text.split("\n"))


def node_of(process: Process) -> str:
    """The name of the node."""
    return process.environment.get("RABBITMQ_NODENAME") or f"rabbit@{process.config.hostname}"


def memory_bytes(process: Process, container: Container) -> int:
    """What the broker takes for all memory: its limit, or that of the node."""
    return process.config.memory_limit_bytes or machine.memory_kib(container) * 1024


def cookie_hash(process: Process) -> str:
    """The digest of the cookie that nodes of one cluster share."""
    cookie = process.environment.get("RABBITMQ_ERLANG_COOKIE") or f"cookie of {process.ref.pod_uid}"
    return base64.b64encode(md5(cookie.encode(), usedforsecurity=False).digest()).decode()


def plugins_of(program: RabbitmqProgram) -> tuple[str, ...]:
    """The plugins that are on, in the order in which they are started."""
    more = ("rabbitmq_management",) if program.management else ()
    return ("rabbitmq_prometheus", *more, "rabbitmq_management_agent", "rabbitmq_web_dispatch")


def data_dir_of(process: Process, program: RabbitmqProgram) -> str:
    """Where the node keeps its data."""
    return f"{program.data_dir}/mnesia/{node_of(process)}"


def greeting(
    process: Process, program: RabbitmqProgram, memory_bytes: int, cores: int
) -> list[Said | str]:
    """What it writes before it looks at its data; memory and cores are those it may use."""
    node, year = node_of(process), "Copyright (c) 2007-2024 Broadcom Inc and/or its subsidiaries"
    licensed = "Licensed under the MPL 2.0. Website: https://rabbitmq.com"
    config = "/etc/rabbitmq/conf.d/10-defaults.conf"
    mark = int(memory_bytes * 0.4)
    step = "Running boot step {} defined by app rabbit"
    return [
        Said(f"\n Starting RabbitMQ {program.version} on Erlang {ERLANG} [jit]\n {year}\n {licensed}"),
        "",
        f"  ##  ##      RabbitMQ {program.version}",
        "  ##  ##",
        f"  ##########  {year}",
        "  ######  ##",
        f"  ##########  {licensed}",
        "",
        f"  Erlang:      {ERLANG} [jit]",
        "  TLS Library: OpenSSL - OpenSSL 3.1.7 3 Sep 2024",
        "  Release series support status: see https://www.rabbitmq.com/release-information",
        "",
        "  Doc guides:  https://www.rabbitmq.com/docs",
        "  Support:     https://www.rabbitmq.com/docs/contact",
        "  Tutorials:   https://www.rabbitmq.com/tutorials",
        "  Monitoring:  https://www.rabbitmq.com/docs/monitoring",
        "  Upgrading:   https://www.rabbitmq.com/docs/upgrade",
        "",
        "  Logs: <stdout>",
        "",
        f"  Config file(s): {config}",
        "",
        "  Starting broker...",
        Said(
            f"\n node           : {node}\n home dir       : {program.data_dir}\n"
            f" config file(s) : {config}\n cookie hash    : {cookie_hash(process)}\n"
            f" log(s)         : <stdout>\n data dir       : {data_dir_of(process, program)}"
        ),
        *[Said(step.format(name)) for name in ("pre_boot", "rabbit_global_counters", "rabbit_osiris_metrics", "rabbit_core_metrics", "rabbit_alarm")],
        Said(f"Memory high watermark set to {mark >> 20} MiB ({mark} bytes) of {memory_bytes >> 20} MiB ({memory_bytes} bytes) total", who="<0.353.0>"),
        Said("Disk free limit set to 50MB", who="<0.355.0>"),
        *[Said(step.format(name)) for name in ("code_server_cache", "file_handle_cache")],
        Said("Limiting to approx 1048479 file handles (943629 sockets)", who="<0.358.0>"),
        Said(step.format("worker_pool")),
        Said(f"Will use {cores} processes for default worker pool", who="<0.339.0>"),
        Said(step.format("database")),
        Said("Peer discovery: configured backend: rabbit_peer_discovery_classic_config"),
    ]  # fmt: skip


def booting(process: Process, program: RabbitmqProgram, before: RabbitmqData, after: RabbitmqData, took_ms: int) -> list[Said | str]:  # fmt: skip
    """What it writes while it opens its data and its ports; `before` has no version when empty."""
    step = "Running boot step {} defined by app rabbit"
    lines: list[Said | str] = []
    if not before.version:
        lines.append(Said("DB: virgin node -> run peer discovery"))
        lines.append(Said("Application mnesia exited with reason: stopped", "notice", "<0.44.0>"))
    for _ in range(2):
        lines.append(Said("Waiting for Mnesia tables for 30000 ms, 9 retries left"))
        lines.append(Said("Successfully synced tables from a peer"))
    lines += [Said(step.format(name)) for name in ("tracking_metadata_store", "networking_metadata_store", "feature_flags")]  # fmt: skip
    for name in _STEPS:
        lines.append(Said(step.format(name)))
        if name == "rabbit_epmd_monitor":
            lines.append(Said(f"epmd monitor knows us, inter-node communication (distribution) port: {CLUSTERING}", who="<0.576.0>"))  # fmt: skip
    count = len(after.queues)
    for vhost in before.vhosts:
        lines += _recovery(process, program, vhost, count)
    lines.append(Said(step.format("empty_db_check")))
    if not before.version:
        lines += _seeding(process, program, after)
    lines += [Said(step.format(name)) for name in _LATER]
    lines += _listening(program)
    names = sorted(plugins_of(program))
    lines.append(Said(f"Server startup complete; {len(names)} plugins started.\n" + "\n".join(f" * {name}" for name in names)))  # fmt: skip
    lines.append(f" completed with {len(names)} plugins.")
    lines.append(Said(f"Time to start RabbitMQ: {took_ms} ms", who="<0.9.0>"))
    return lines


def _recovery(process: Process, program: RabbitmqProgram, vhost: str, count: int) -> Iterable[Said]:
    folder = f"{data_dir_of(process, program)}/msg_stores/vhosts"
    number = base64.b32encode(md5(vhost.encode(), usedforsecurity=False).digest()).decode()[:25]
    who = "<0.624.0>"
    return (
        Said(f"Making sure data directory '{folder}/{number}' for vhost '{vhost}' exists", who=who),
        Said(f"Starting message stores for vhost '{vhost}'", who=who),
        Said(f"Started message store of type transient for vhost '{vhost}'", who=who),
        Said(f"Started message store of type persistent for vhost '{vhost}'", who=who),
        Said(f"Recovering {count} queues of type rabbit_classic_queue took 17ms", who=who),
        Said("Recovering 0 queues of type rabbit_quorum_queue took 0ms", who=who),
        Said("Recovering 0 queues of type rabbit_stream_queue took 0ms", who=who),
    )


def _seeding(process: Process, program: RabbitmqProgram, data: RabbitmqData) -> list[Said]:
    lines = [Said("Will seed default virtual host and user...")]
    for vhost in data.vhosts:
        lines.append(Said(f"Adding vhost '{vhost}' (description: 'Default virtual host', tags: [])"))  # fmt: skip
        lines += _recovery(process, program, vhost, 0)
    for name, account in data.accounts.items():
        lines.append(Said(f"Created user '{name}'"))
        lines.append(Said(f"Successfully set user tags for user '{name}' to [{', '.join(account.tags)}]"))  # fmt: skip
        for vhost, may in account.permissions:
            shown = ", ".join(f"'{pattern}'" for pattern in may)
            lines.append(Said(f"Successfully set permissions for user '{name}' in virtual host '{vhost}' to {shown}"))  # fmt: skip
    return lines


def _listening(program: RabbitmqProgram) -> list[Said]:
    lines: list[Said] = []
    if program.management:
        lines.append(Said(f"Management plugin: HTTP (non-TLS) listener started on port {MANAGEMENT}", who="<0.697.0>"))  # fmt: skip
    lines.append(Said(f"Prometheus metrics: HTTP (non-TLS) listener started on port {METRICS}", who="<0.795.0>"))  # fmt: skip
    lines.append(Said("Ready to start client connection listeners"))
    lines.append(Said(f"started TCP listener on [::]:{program.port}", who="<0.831.0>"))
    return lines
