"""RabbitMQ: nodes, accounts and queues by its commands, what outlives the process, its log."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sregym_apps.model import Client
from sregym_cluster_embedded.sdk.servers import process_of
from sregym_cluster_embedded.sdk.testing import Mount
from sregym_server_rabbitmq.behaviour import RabbitmqKind

MODEL = """
application: post
images:
  - repository: rabbitmq
    tags: ["3.13-management"]
    size_mib: 98
    entrypoint: [docker-entrypoint.sh]
    cmd: [rabbitmq-server]
    binaries: {/usr/local/bin/docker-entrypoint.sh: rabbit, /usr/sbin/rabbitmq-server: rabbit}
    tools: [debian, curl, rabbitmq]
programs:
  rabbit: {kind: rabbitmq, version: 3.13.7, queues: {orders: {}, mails: {durable: false}}}
"""
PING = "Will ping rabbit@rabbit. This only checks if the OS process is running and registered with epmd. Timeout: 60000 ms.\nPing succeeded\n"


@pytest.fixture
def post(make_shop: Callable[..., Any]) -> Any:
    return make_shop(MODEL)


def start(post: Any, attempt: int = 0, seconds: float = 10, **fields: Any) -> Any:
    post.name("rabbit", "9")
    mounts = {"/var/lib/rabbitmq": Mount("volume", "pv/data")}
    post.start("rabbit", "rabbitmq:3.13-management", "9", attempt, mounts=mounts, **fields)
    post.run(seconds)
    return post


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("rabbitmq-diagnostics ping", (0, PING, "")),
        ("rabbitmq-diagnostics -q ping", (0, "Ping succeeded\n", "")),
        ("rabbitmq-diagnostics check_running", (0, "Checking if RabbitMQ is running on node rabbit@rabbit ...\nRabbitMQ on node rabbit@rabbit is fully booted and running\n", "")),
        ("rabbitmq-diagnostics check_local_alarms", (0, "Node rabbit@rabbit reported no local alarms\n", "")),
        ("rabbitmq-diagnostics check_port_connectivity", (0, "Testing TCP connections to all active listeners on node rabbit@rabbit using hostname resolution ...\nSuccessfully connected to ports 5672, 15672, 15692, 25672 on node rabbit@rabbit.\n", "")),
        ("rabbitmq-diagnostics check_virtual_hosts", (0, "Checking if all vhosts are running on node rabbit@rabbit ...\nNode rabbit@rabbit reported all vhosts as running\n", "")),
        ("rabbitmqctl list_queues", (0, "Timeout: 60.0 seconds ...\nListing queues for vhost / ...\nname\tmessages\nmails\t0\norders\t0\n", "")),
        ("rabbitmqctl -q list_queues name durable consumers state", (0, "name\tdurable\tconsumers\tstate\nmails\tfalse\t0\trunning\norders\ttrue\t0\trunning\n", "")),
        ("rabbitmqctl -s list_queues name messages_ready", (0, "mails\t0\norders\t0\n", "")),
        ("rabbitmqctl list_queues --formatter json name messages", (0, '[{"name":"mails","messages":0},{"name":"orders","messages":0}]\n', "")),
        ("rabbitmqctl list_queues nosuch", (64, "", "Error:\nThe following arguments have invalid values: [:nosuch]\n")),
        ("rabbitmqctl list_users", (0, "Listing users ...\nuser\ttags\nguest\t[administrator]\n", "")),
        ("rabbitmqctl list_permissions", (0, 'Listing permissions for vhost "/" ...\nuser\tconfigure\twrite\tread\nguest\t.*\t.*\t.*\n', "")),
        ("rabbitmqctl list_vhosts", (0, "Listing vhosts ...\nname\n/\n", "")),
        ("rabbitmqctl -q add_user a b; rabbitmqctl authenticate_user a b; rabbitmqctl authenticate_user a c", (65, 'Authenticating user "a" ...\nSuccess\nAuthenticating user "a" ...\n', "Error: failed to authenticate user \"a\"\nuser 'a' - invalid credentials\n")),
        ("rabbitmqctl add_user guest x", (70, "", 'Error:\nUser "guest" already exists\n')),
        ("rabbitmqctl change_password nobody x", (67, "", "Error:\nUser nobody not found\n")),
        ("rabbitmqctl delete_user guest; rabbitmqctl -s list_users", (0, 'Deleting user "guest" ...\n', "")),
        ("rabbitmqctl set_permissions -p / guest '' '' '.*'; rabbitmqctl -s list_permissions", (0, 'Setting permissions for user "guest" in vhost "/" ...\nguest\t\t\t.*\n', "")),
        ("rabbitmqctl purge_queue none", (65, "Purging queue 'none' in vhost '/' ...\n", "Error:\nQueue 'none' in vhost '/' not found\n")),
        ("rabbitmqctl delete_queue none", (65, "Deleting queue 'none' on vhost '/' ...\n", "Error:\nQueue not found\n")),
        ("rabbitmqctl delete_queue mails; rabbitmqctl -s list_queues name", (0, "Deleting queue 'mails' on vhost '/' ...\nQueue was successfully deleted with 0 ready messages\norders\n", "")),
        ("rabbitmqctl delete_vhost x", (65, "", "Error:\nVirtual host 'x' does not exist\n")),
        ("rabbitmqctl version", (0, "3.13.7\n", "")),
        ("rabbitmqctl nosuch", (64, "", "\nCommand 'nosuch' not found. \n\nUsage\n\nrabbitmqctl [--node <node>] [--timeout <timeout>] [--longnames] [--quiet] <command> [<command options>]\n")),
        ("rabbitmqctl cluster_status | sed -n 1,15p", (0, "Cluster status of node rabbit@rabbit ...\nBasics\n\nCluster name: rabbit@rabbit\nTotal CPU cores available cluster-wide: 2\n\nDisk Nodes\n\nrabbit@rabbit\n\nRunning Nodes\n\nrabbit@rabbit\n\nVersions\n", "")),
        ("rabbitmqctl status | grep -A5 ^Totals", (0, "Totals\n\nConnection count: 0\nQueue count: 2\nVirtual host count: 1\n\n", "")),
        ("rabbitmqctl -n rabbit@rabbit status | grep -E '^(Uptime|RabbitMQ version|Node name)'", (0, "Uptime (seconds): 10\nRabbitMQ version: 3.13.7\nNode name: rabbit@rabbit\n", "")),
        ("curl -s localhost:15672/api/overview", (0, '{"error":"not_authorized","reason":"Not_Authorized"}', "")),
    ],
)  # fmt: skip
def test_commands(post: Any, script: str, expected: tuple[int, str, str]) -> None:
    assert start(post).shell("rabbit", script) == expected


def test_a_node_that_starts_answers_pings_only(post: Any) -> None:
    start(post, seconds=2)
    assert post.shell("rabbit", "rabbitmq-diagnostics ping") == (0, PING, "")
    code, out, err = post.shell("rabbit", "rabbitmq-diagnostics check_running")
    assert (code, out, err.splitlines()[0]) == (
        69,
        "",
        "Error: unable to perform an operation on node 'rabbit@rabbit'. Please see diagnostics information and suggestions below.",
    )


def test_accounts_and_durable_queues_outlive_the_process(post: Any) -> None:
    env = {"RABBITMQ_DEFAULT_USER": "shop", "RABBITMQ_DEFAULT_PASS": "secret", "RABBITMQ_DEFAULT_VHOST": "v"}  # fmt: skip
    start(post, env=env)
    post.shell("rabbit", "rabbitmqctl delete_queue -p v orders; rabbitmqctl change_password shop new")  # fmt: skip
    twin = post.fork()
    post.runtime.kill(post.world, post.ref("rabbit"))
    start(post, attempt=1, env=env)
    script = "rabbitmqctl -s list_queues -p v name; rabbitmqctl -s authenticate_user shop new"
    assert [each.shell("rabbit", script)[1] for each in (post, twin)] == ["mails\nSuccess\n"] * 2
    lines = post.texts("rabbit")
    assert not [line for line in lines if "Created user" in line]


def test_the_log_of_a_first_start(post: Any) -> None:
    start(post)
    lines = post.texts("rabbit")
    stamped = [line.partition("] ")[2].partition("> ")[2] for line in lines if line[:1] == "2"]
    assert stamped[:2] == ["", " Starting RabbitMQ 3.13.7 on Erlang 26.2.5.6 [jit]"]
    assert "  Starting broker..." in lines
    at = stamped.index("Will seed default virtual host and user...")
    assert stamped[at + 1] == "Adding vhost '/' (description: 'Default virtual host', tags: [])"
    assert stamped[at + 9 : at + 12] == [
        "Created user 'guest'",
        "Successfully set user tags for user 'guest' to [administrator]",
        "Successfully set permissions for user 'guest' in virtual host '/' to '.*', '.*', '.*'",
    ]
    assert "started TCP listener on [::]:5672" in stamped
    assert stamped[-6:] == [
        "Server startup complete; 4 plugins started.",
        " * rabbitmq_management",
        " * rabbitmq_management_agent",
        " * rabbitmq_prometheus",
        " * rabbitmq_web_dispatch",
        "Time to start RabbitMQ: 5645 ms",
    ]
    assert lines[-2] == " completed with 4 plugins."


def test_whom_it_refuses_and_what_it_does_not_know(post: Any) -> None:
    start(post)
    post.shell("rabbit", "rabbitmqctl add_user shop x")
    process = process_of(post.world, post.ref("rabbit"))
    assert process is not None

    def refused(command: str = "", queue: str = "orders", **fields: str) -> str:
        client = Client.model_construct(**{"user": "", "password": "", "database": "", **fields})
        kind, program = RabbitmqKind(), process.behaviour
        found = (
            kind.command(post.world, process, program, client, command, queue, False)
            if command
            else kind.dial(post.world, process, program, client, "")
        )
        return "" if found is None else found.text

    assert refused() == ""
    assert refused(database="v") == "NOT_ALLOWED - vhost v not found"
    assert refused(user="shop", password="x") == (
        "NOT_ALLOWED - access to vhost '/' refused for user 'shop'"
    )
    post.shell("rabbit", "rabbitmqctl set_permissions -p / shop '' '' '.*'")
    assert refused("publish", user="shop", password="x") == (
        "ACCESS_REFUSED - write access to exchange 'amq.default' in vhost '/' refused for user 'shop'"
    )
    assert refused("consume", "none") == "NOT_FOUND - no queue 'none' in vhost '/'"
