"""The connections of programs, as `ss`, `netstat` and /proc show them at both ends."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from sregym_cluster_embedded.userland.command_counts import counted
from sregym_cluster_embedded.userland.connections import sockets

TOOLS = {
    "tools: [busybox, curl]": "tools: [debian, iproute2, net-tools]",
    "tools: [debian, mongo]": "tools: [debian, mongo, iproute2, net-tools]",
    "    tools: [busybox]\n": "    tools: [debian, iproute2, net-tools]\n",
    "    rate: 100\n": "    rate: 100\n    connections: '3'\n",
}


@pytest.fixture(scope="module")
def opened(make_shop: Callable[..., Any], shop_text: str) -> Any:
    for old, new in TOOLS.items():
        shop_text = shop_text.replace(old, new)
    shop = make_shop(shop_text)
    shop.open()
    return shop


def said(shop: Any, pod: str, line: str) -> str:
    result = shop.runtime.exec(shop.world, shop.ref(pod), tuple(line.split()), "")
    assert (result.exit_code, result.stderr) == (0, "")
    return str(result.stdout)


def ends(shop: Any, pod: str) -> list[tuple[str, tuple[str, int], tuple[str, int]]]:
    found = sockets(shop.world, shop.ref(pod).pod_uid)
    return [(one.state, tuple(one.here), tuple(one.there)) for one in found if one.there.port]


@pytest.mark.parametrize(
    ("pod", "line", "expected"),
    [
        (
            "stock",
            "ss -tanp",
            "State  Recv-Q Send-Q       Local Address:Port         Peer Address:Port Process\n"
            'LISTEN 0      4096                     *:8081                    *:*     users:(("stock",pid=1,fd=3))\n'
            'ESTAB  0      0               10.244.0.2:37648          10.96.1.13:27017 users:(("stock",pid=1,fd=4))\n'
            'ESTAB  0      0               10.244.0.2:55892          10.96.1.13:27017 users:(("stock",pid=1,fd=5))\n'
            'ESTAB  0      0               10.244.0.2:33842          10.96.1.13:27017 users:(("stock",pid=1,fd=6))\n'
            'ESTAB  0      0      [::ffff:10.244.0.2]:8081  [::ffff:10.244.0.4]:41426 users:(("stock",pid=1,fd=7))\n',
        ),
        (
            "stock",
            "ss -tnp state established",
            "Recv-Q Send-Q       Local Address:Port         Peer Address:Port Process\n"
            '0      0               10.244.0.2:37648          10.96.1.13:27017 users:(("stock",pid=1,fd=4))\n'
            '0      0               10.244.0.2:55892          10.96.1.13:27017 users:(("stock",pid=1,fd=5))\n'
            '0      0               10.244.0.2:33842          10.96.1.13:27017 users:(("stock",pid=1,fd=6))\n'
            '0      0      [::ffff:10.244.0.2]:8081  [::ffff:10.244.0.4]:41426 users:(("stock",pid=1,fd=7))\n',
        ),
        (
            "load",
            "ss -ant",
            "State Recv-Q Send-Q Local Address:Port  Peer Address:PortProcess\n"
            "ESTAB 0      0         10.244.0.5:53380    10.96.1.3:8080       \n"
            "ESTAB 0      0         10.244.0.5:34380    10.96.1.3:8080       \n"
            "ESTAB 0      0         10.244.0.5:48064    10.96.1.3:8080       \n",
        ),
        (
            "mongodb-stock",
            "netstat -antp",
            "Active Internet connections (servers and established)\n"
            "Proto Recv-Q Send-Q Local Address           Foreign Address         State       PID/Program name    \n"
            "tcp        0      0 0.0.0.0:27017           0.0.0.0:*               LISTEN      1/mongod            \n"
            "tcp        0      0 10.244.0.1:27017        10.244.0.2:37648        ESTABLISHED 1/mongod            \n"
            "tcp        0      0 10.244.0.1:27017        10.244.0.2:55892        ESTABLISHED 1/mongod            \n"
            "tcp        0      0 10.244.0.1:27017        10.244.0.2:33842        ESTABLISHED 1/mongod            \n",
        ),
        (
            "stock",
            "netstat -tn",
            "Active Internet connections (w/o servers)\n"
            "Proto Recv-Q Send-Q Local Address           Foreign Address         State       \n"
            "tcp        0      0 10.244.0.2:37648        10.96.1.13:27017        ESTABLISHED \n"
            "tcp        0      0 10.244.0.2:55892        10.96.1.13:27017        ESTABLISHED \n"
            "tcp        0      0 10.244.0.2:33842        10.96.1.13:27017        ESTABLISHED \n"
            "tcp6       0      0 10.244.0.2:8081         10.244.0.4:41426        ESTABLISHED \n",
        ),
        (
            "stock",
            "netstat -tln",
            "Active Internet connections (only servers)\n"
            "Proto Recv-Q Send-Q Local Address           Foreign Address         State       \n"
            "tcp6       0      0 :::8081                 :::*                    LISTEN      \n",
        ),
        (
            "stock",
            "cat /proc/net/tcp",
            "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
            "   0: 0200F40A:9310 0D01600A:6989 01 00000000:00000000 00:00000000 00000000     0        0 110001 1 0000000000000000 20 4 30 10 -1\n"
            "   1: 0200F40A:DA54 0D01600A:6989 01 00000000:00000000 00:00000000 00000000     0        0 110002 1 0000000000000000 20 4 30 10 -1\n"
            "   2: 0200F40A:8432 0D01600A:6989 01 00000000:00000000 00:00000000 00000000     0        0 110003 1 0000000000000000 20 4 30 10 -1\n",
        ),
        (
            "stock",
            "cat /proc/net/tcp6",
            "  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
            "   0: 00000000000000000000000000000000:1F91 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 49081 1 0000000000000000 100 0 0 10 0\n"
            "   1: 0000000000000000FFFF00000200F40A:1F91 0000000000000000FFFF00000400F40A:A1D2 01 00000000:00000000 00:00000000 00000000     0        0 110004 1 0000000000000000 20 4 30 10 -1\n",
        ),
        (
            "stock",
            "cat /proc/net/sockstat /proc/net/sockstat6",
            "sockets: used 7\n"
            "TCP: inuse 3 orphan 0 tw 0 alloc 7 mem 1\n"
            "UDP: inuse 0 mem 0\n"
            "UDPLITE: inuse 0\n"
            "RAW: inuse 0\n"
            "FRAG: inuse 0 memory 0\n"
            "TCP6: inuse 2\n"
            "UDP6: inuse 0\n"
            "UDPLITE6: inuse 0\n"
            "RAW6: inuse 0\n"
            "FRAG6: inuse 0 memory 0\n",
        ),
        (
            "stock",
            "ss -s",
            "Total: 7\n"
            "TCP:   5 (estab 4, closed 0, orphaned 0, timewait 0)\n"
            "\n"
            "Transport Total     IP        IPv6\n"
            "RAW\t  0         0         0        \n"
            "UDP\t  0         0         0        \n"
            "TCP\t  5         3         2        \n"
            "INET\t  5         3         2        \n"
            "FRAG\t  0         0         0        \n"
            "\n",
        ),
    ],
)  # fmt: skip
def test_whole_tables(opened: Any, pod: str, line: str, expected: str) -> None:
    assert said(opened, pod, line) == expected


@pytest.mark.parametrize(
    ("line", "peers"),
    [
        ("ss -Htn dst :27017", ["10.96.1.13:27017"] * 3),
        ("ss -Htn dport = :27017", ["10.96.1.13:27017"] * 3),
        ("ss -Htn dst 10.96.0.0/16", ["10.96.1.13:27017"] * 3),
        ("ss -Htn dst 10.244.0.4 and sport eq :8081", ["[::ffff:10.244.0.4]:PORT"]),
        ("ss -Htn ( sport = :8081 or dport = :80 )", ["[::ffff:10.244.0.4]:PORT"]),
        ("ss -Htn not dport < 30000", ["[::ffff:10.244.0.4]:PORT"]),
        ("ss -Htn6", ["[::ffff:10.244.0.4]:PORT"]),
        ("ss -Htan4 state connected", ["10.96.1.13:27017"] * 3),
        ("ss -Htn src 10.244.0.2 dport != 27017", ["[::ffff:10.244.0.4]:PORT"]),
        ("ss -Htn exclude established", ["*:*"]),
        ("ss -Htn state syn-sent", []),
        ("ss -Htn state time-wait", []),
        ("ss -Htln", ["*:*"]),
    ],
)
def test_filters(opened: Any, line: str, peers: list[str]) -> None:
    rows = said(opened, "stock", line).splitlines()
    shown = [row.split()[-1] for row in rows]
    assert [re.sub(r"\b[3-6]\d{4}$", "PORT", peer) for peer in shown] == peers


@pytest.mark.parametrize(
    ("line", "code", "text"),
    [
        ("ss -tn state nosuch", 255, "ss: wrong state name: nosuch\n"),
        ("ss -tn dst 10.0.0.300", 1, "Cannot parse dst/src address.\n"),
        ("ss -tn dst 10.0.0.3:x", 1, "Cannot parse dst/src address.\n"),
        ("ss -tn dport = :x", 1, "Cannot parse dst/src address.\n"),
        (
            "ss -tn foo",
            255,
            'ss: bison bellows (while parsing filter): "syntax error!" Sorry.\n'
            "Usage: ss [ OPTIONS ]\n       ss [ OPTIONS ] [ FILTER ]\n",
        ),
        (
            "ss -tn ( dport = :80",
            255,
            'ss: bison bellows (while parsing filter): "syntax error!" Sorry.\n'
            "Usage: ss [ OPTIONS ]\n       ss [ OPTIONS ] [ FILTER ]\n",
        ),
    ],
)
def test_wrong_filters(opened: Any, line: str, code: int, text: str) -> None:
    result = opened.runtime.exec(opened.world, opened.ref("stock"), tuple(line.split()), "")
    assert (result.exit_code, result.stdout, result.stderr) == (code, "", text)


def test_both_ends_show_the_same_connections(opened: Any) -> None:
    at_stock = [(here, there) for _, here, there in ends(opened, "stock")]
    at_mongo = [(here, there) for _, here, there in ends(opened, "mongodb-stock")]
    assert len(set(at_mongo)) == counted(opened.world, opened.ref("mongodb-stock")).connections
    # The client shows what it dialled, the server its own address.
    mine = [here for here, there in at_stock if there == ("10.96.1.13", 27017)]
    assert at_mongo == [(("10.244.0.1", 27017), here) for here in mine]
    (at_web,) = [here for _, here, there in ends(opened, "web") if there == ("10.96.1.5", 8081)]
    assert (("10.244.0.2", 8081), at_web) in at_stock
    users = [here for _, here, _ in ends(opened, "load")]
    assert [there for _, here, there in ends(opened, "web") if here[1] == 8080] == users
    assert len(set(users)) == 3


def test_the_same_when_asked_twice_after_a_fork_and_while_time_passes(opened: Any) -> None:
    before = {pod: ends(opened, pod) for pod in ("web", "stock", "mongodb-stock")}
    other = opened.fork()
    assert {pod: ends(other, pod) for pod in before} == before
    other.run(60)
    assert {pod: ends(other, pod) for pod in before} == before
    assert {pod: ends(opened, pod) for pod in before} == before


def test_nothing_is_held_to_what_refuses_and_attempts_wait_for_what_is_silent(opened: Any) -> None:
    other = opened.fork()
    other.name("mongodb-stock")
    other.run(5)
    assert ends(other, "mongodb-stock") == []
    assert [there for _, _, there in ends(other, "stock")] == [
        there for _, here, there in ends(other, "stock") if here[1] == 8081
    ]


@pytest.mark.parametrize(
    ("pool", "latency_ms", "count"), [("", 55, 1), (", pool: 20", 55, 6), (", pool: 4", 55, 4)]
)
def test_calls_that_share_no_connection_have_one_each_up_to_the_size_of_their_pool(
    make_shop: Callable[..., Any], shop_text: str, pool: str, latency_ms: int, count: int
) -> None:
    client = 'price: {protocol: grpc, address: "${price}", timeout_s: 1'
    slow = f"Quote: {{listener: grpc, latency_ms: {latency_ms}, cpu_ms: 0.1}}"
    text = shop_text.replace(client, client + pool)
    shop = make_shop(text.replace("Quote: {listener: grpc, cpu_ms: 0.1}", slow))
    shop.open()
    held = [(there, here) for _, here, there in ends(shop, "price")]
    assert len(set(held)) == count
    assert held == [
        (here, ("10.244.0.3", 8082))
        for _, here, there in ends(shop, "web")
        if there == ("10.96.1.5", 8082)
    ]
