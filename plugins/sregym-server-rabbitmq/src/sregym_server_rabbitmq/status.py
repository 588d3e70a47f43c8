"""What a node tells of itself: `status`, `cluster_status`, `alarms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_apps.model import expand
from sregym_cluster_embedded.sdk.servers import counted, filesystem_usage, machine

from sregym_server_rabbitmq.boot import (
    CLUSTERING,
    ERLANG,
    MANAGEMENT,
    METRICS,
    data_dir_of,
    memory_bytes,
    plugins_of,
)

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.commands import Session

    from sregym_server_rabbitmq.node import Node

_GB = 1_000_000_000
# How memory is spent: of all that it holds, what each part has.
_PARTS = (
    *(("code", 0.27), ("other_system", 0.19), ("allocated_unused", 0.16), ("plugins", 0.12)),
    *(("other_proc", 0.11), ("other_ets", 0.03), ("atom", 0.01), ("mgmt_db", 0.006)),
    *(("binary", 0.004), ("metrics", 0.002), ("mnesia", 0.0008), ("msg_index", 0.0003)),
)


def listeners(node: Node) -> list[tuple[int, str, str]]:
    """Port, protocol and purpose of what the node listens on."""
    port = int(expand(node.program.port, node.process.facts()))
    found = [
        (METRICS, "http/prometheus", "Prometheus exporter API over HTTP"),
        (CLUSTERING, "clustering", "inter-node and CLI tool communication"),
        (port, "amqp", "AMQP 0-9-1 and AMQP 1.0"),
    ]
    http = [(MANAGEMENT, "http", "HTTP API")] if node.program.management else []
    return [*http, *found]


def status(session: Session, node: Node) -> str:
    """`rabbitmqctl status`."""
    world, process = session.world, node.process
    seen = counted(world, process.ref)
    files = session.runtime.files(world, process)
    limit, cores = memory_bytes(process, files.container), machine.cpus(files.container)
    points = [
        point
        for point in files.container.all_points()
        if f"{node.program.data_dir}/".startswith(point.place.rstrip("/") + "/")
    ]
    free = filesystem_usage(files, max(points, key=lambda point: len(point.place))).free_kib * 1024
    used = seen.memory_bytes
    folder = data_dir_of(process, node.program)
    parts = "".join(
        f"{name}: {used * share / _GB:.4f} gb ({share * 100:.2f} %)\n" for name, share in _PARTS
    )
    plugins = "".join(f" * {name}\n" for name in plugins_of(node.program))
    held = seen.connections + len(node.process.ports)
    ports = "".join(
        f"Interface: [::], port: {port}, protocol: {protocol}, purpose: {purpose}\n"
        for port, protocol, purpose in listeners(node)
    )
    return (
        f"Status of node {node.name} ...\nRuntime\n\nOS PID: 20\nOS: Linux\n"
        f"Uptime (seconds): {int(world.now - process.started_at)}\nIs under maintenance?: false\n"
        f"RabbitMQ version: {node.program.version}\n"
        "RabbitMQ release series support status: see https://www.rabbitmq.com/release-information\n"
        f"Node name: {node.name}\n"
        f"Erlang configuration: Erlang/OTP 26 [erts-14.2.5.5] [source] [64-bit] [smp:{cores}:{cores}] [ds:{cores}:{cores}:10] [async-threads:1] [jit]\n"
        "Crypto library: OpenSSL 3.1.7 3 Sep 2024\n"
        f"Erlang processes: {392 + 6 * seen.connections} used, 1048576 limit\n"
        "Scheduler run queue: 1\nCluster heartbeat timeout (net_ticktime): 60\n\n"
        f"Plugins\n\nEnabled plugin file: /etc/rabbitmq/enabled_plugins\nEnabled plugins:\n\n{plugins}\n"
        f"Data directory\n\nNode data directory: {folder}\n"
        f"Raft data directory: {folder}/quorum/{node.name}\n\n"
        "Config files\n\n * /etc/rabbitmq/conf.d/10-defaults.conf\n\n"
        "Log file(s)\n\n * <stdout>\n\nAlarms\n\n(none)\n\n"
        "Memory\n\nTotal memory used: "
        f"{used / _GB:.4f} gb\nCalculation strategy: rss\n"
        f"Memory high watermark setting: 0.4 of available memory, computed to: {limit * 0.4 / _GB:.4f} gb\n\n"
        f"{parts}\nFile Descriptors\n\nTotal: {held}, limit: 1048479\nSockets: {seen.connections}, limit: 943629\n\n"
        f"Free Disk Space\n\nLow free disk space watermark: 0.05 gb\nFree disk space: {free / _GB:.4f} gb\n\n"
        f"Totals\n\nConnection count: {seen.connections}\nQueue count: {len(node.data.queues)}\n"
        f"Virtual host count: {len(node.data.vhosts)}\n\nListeners\n\n{ports}"
    )


def cluster_status(session: Session, node: Node) -> str:
    """`rabbitmqctl cluster_status`."""
    cores = machine.cpus(session.runtime.files(session.world, node.process).container)
    name = node.name
    ports = "".join(
        f"Node: {name}, interface: [::], port: {port}, protocol: {protocol}, purpose: {purpose}\n"
        for port, protocol, purpose in listeners(node)
    )
    flags = (
        *("classic_mirrored_queue_version", "classic_queue_type_delivery_support"),
        *("detailed_queues_endpoint", "direct_exchange_routing_v2", "drop_unroutable_metric"),
        *("empty_basic_get_metric", "feature_flags_v2", "implicit_default_bindings"),
        *("listener_records_in_ets", "maintenance_mode_status", "message_containers"),
        *("quorum_queue", "quorum_queue_non_voters", "restart_streams", "stream_filtering"),
        *("stream_queue", "stream_single_active_consumer", "stream_update_config_command"),
        *("tracking_records_in_ets", "user_limits", "virtual_host_metadata"),
    )
    states = "".join(f"Flag: {flag}, state: enabled\n" for flag in flags)
    return (
        f"Cluster status of node {name} ...\nBasics\n\nCluster name: {name}\n"
        f"Total CPU cores available cluster-wide: {cores}\n\n"
        f"Disk Nodes\n\n{name}\n\nRunning Nodes\n\n{name}\n\n"
        f"Versions\n\n{name}: RabbitMQ {node.program.version} on Erlang {ERLANG}\n\n"
        f"CPU Cores\n\nNode: {name}, available CPU cores: {cores}\n\n"
        f"Maintenance status\n\nNode: {name}, status: not under maintenance\n\n"
        "Alarms\n\n(none)\n\nNetwork Partitions\n\n(none)\n\n"
        f"Listeners\n\n{ports}\nFeature flags\n\n{states}"
    )


def alarms(node: Node) -> str:
    """`rabbitmq-diagnostics alarms`."""
    return f"Node {node.name} reported no alarms, local or clusterwide\n"
