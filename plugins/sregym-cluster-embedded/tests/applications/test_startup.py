"""Programs read their configuration once, go through their steps, and end as they say."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.kubelet.runtime import ExitState, Mount
from sregym_cluster_embedded.userland.process import listener_at, process_of, processes
from sregym_cluster_embedded.userland.throttling import throttled_duration_s


def config_mount(text: str) -> dict[str, Mount]:
    mount = Mount("files", "config", {"config.json": text}, ("configmaps", "config"), "config.json")
    return {"/app/config.json": mount}


def without_times(texts: list[str]) -> list[str]:
    return [text.partition(" ")[2] for text in texts]


def test_a_missing_setting_ends_the_process(shop: Any) -> None:
    shop.start("web", "ghcr.io/acme/shop:1.0", "4", command=("web",))
    shop.run(1)
    assert without_times(shop.texts("web")) == ["FTL missing STOCK_ADDR"]
    assert shop.ended("web") == ExitState(1, "Error")


def test_a_database_is_sought_until_the_timeout(shop: Any) -> None:
    shop.start_stock()
    shop.run(9.5)
    assert shop.ended("stock") is None
    shop.run(1)
    assert without_times(shop.texts("stock")) == [
        "INF Reading config...",
        "PNC no reachable servers",
    ]
    assert shop.ended("stock") == ExitState(2, "Error")


def test_a_database_that_comes_in_time_is_found(shop: Any) -> None:
    shop.start_stock()
    shop.run(3)
    shop.start_mongo()
    shop.run(6)
    assert without_times(shop.texts("stock")) == ["INF Reading config...", "INF serving"]
    assert shop.runtime.listening(shop.world, "2", 8081)


def test_a_lost_key_leaves_the_program_without_address(shop: Any) -> None:
    shop.start_mongo()
    shop.run(5)
    shop.name("stock", "2")
    mounts = config_mount('{"StockPort": "8081"}')
    shop.start("stock", "ghcr.io/acme/shop:1.0", "2", command=("stock",), mounts=mounts)
    shop.run(11)
    assert shop.ended("stock") == ExitState(2, "Error")


def test_a_broken_file_is_told_and_defaults_hold(shop: Any) -> None:
    shop.start("stock", "ghcr.io/acme/shop:1.0", "2", command=("stock",), mounts=config_mount("{"))
    shop.run(1)
    assert without_times(shop.texts("stock")) == [
        "INF Reading config...",
        "ERR config: unexpected end of JSON input",
    ]


def test_a_changed_port_is_listened_on(shop: Any) -> None:
    shop.start_mongo()
    shop.run(5)
    text = '{"StockPort": "9000", "StockMongoAddress": "mongodb-stock:27017"}'
    shop.start("stock", "ghcr.io/acme/shop:1.0", "2", command=("stock",), mounts=config_mount(text))
    shop.run(2)
    assert [shop.runtime.listening(shop.world, "2", port) for port in (8081, 9000)] == [False, True]


def test_a_changed_file_changes_nothing_that_was_read_before(shop: Any) -> None:
    shop.start_mongo()
    shop.run(5)
    mount = Mount(
        "files", "config", {"config.json": '{"StockPort": "9000"}'}, ("configmaps", "config")
    )
    shop.start(
        "stock", "ghcr.io/acme/shop:1.0", "2", command=("stock",), mounts={"/app/conf": mount}
    )
    shop.run(1)
    shop.runtime.files_changed(shop.world, shop.ref("stock"), "/app/conf", {"config.json": "new"})
    assert shop.shell("stock", "cat conf/config.json") == (0, "new", "")
    assert shop.runtime.listening(shop.world, "2", 9000) is False


def test_a_small_memory_limit_kills_a_database_at_start(shop: Any) -> None:
    limit = 10 * 2**20
    shop.start("mongodb-stock", "mongo:4.4.6", "1", memory_limit_bytes=limit)
    shop.run(2)
    assert shop.ended("mongodb-stock") == ExitState(137, "OOMKilled")
    assert shop.runtime.listening(shop.world, "1", 27017) is False


@pytest.mark.parametrize(
    ("limit_mib", "lives_s"),
    [(9, 0.01), (15, 0.025), (21, None)],  # of 20: too small to load it, to listen, and enough
)
def test_what_a_program_holds_before_its_first_listener_counts(
    shop: Any, limit_mib: int, lives_s: float | None
) -> None:
    shop.start(
        "web",
        "ghcr.io/acme/shop:1.0",
        "4",
        command=("web",),
        env={"STOCK_ADDR": "stock:8081"},
        memory_limit_bytes=limit_mib * 2**20,
    )
    began, ref = shop.world.now, shop.ref("web")
    shop.run(2)
    process = process_of(shop.world, ref)
    assert process is not None
    lived = None if process.ended_at is None else round(process.ended_at - began, 3)
    ended = None if lives_s is None else ExitState(137, "OOMKilled")
    assert (lived, shop.ended("web")) == (lives_s, ended)
    assert without_times(shop.texts("web")) == ([] if lives_s else ["INF listening"])


def test_load_can_take_the_memory_that_is_left(shop: Any) -> None:
    shop.open(("mongo", "stock", "price"))
    shop.name("web", "4")
    env, limit = {"STOCK_ADDR": "stock:8081"}, 21 * 2**20
    command = ("web",)
    shop.start(
        "web", "ghcr.io/acme/shop:1.0", "4", command=command, env=env, memory_limit_bytes=limit
    )
    shop.run(30)
    assert shop.ended("web") is None
    shop.start_load()
    shop.run(10)
    assert shop.ended("web") == ExitState(137, "OOMKilled")


def test_a_process_is_asked_to_end_and_answers_with_its_code(shop: Any) -> None:
    shop.open(("mongo", "stock", "price", "web"))
    ref = shop.ref("web")
    assert shop.runtime.terminate(shop.world, ref) == 0.0
    assert shop.runtime.kill(shop.world, ref) == ExitState(0, "Completed")
    assert without_times(shop.texts("web")) == ["INF listening", "INF stopping"]


def test_a_process_that_ignores_the_signal_is_killed(shop: Any) -> None:
    shop.start_box("sleep", "3600")
    shop.run(1)
    assert shop.runtime.terminate(shop.world, shop.ref("box")) is None
    assert shop.runtime.kill(shop.world, shop.ref("box")) is None


def test_probes_answer_in_the_words_of_the_kubelet(shop: Any) -> None:
    shop.name("web", "4")
    shop.start(
        "web", "ghcr.io/acme/shop:1.0", "4", command=("web",), env={"STOCK_ADDR": "stock:8081"}
    )

    def probe(handler: dict[str, Any]) -> tuple[bool, str]:
        result = shop.runtime.probe(shop.world, shop.ref("web"), handler)
        return result.ok, result.message

    early = probe({"httpGet": {"path": "/healthz", "port": 8080}})
    shop.run(1)
    assert [
        early,
        probe({"httpGet": {"path": "/healthz", "port": 8080}}),
        probe({"httpGet": {"path": "/nothing", "port": 8080}}),
        probe({"tcpSocket": {"port": 8080}}),
        probe({"tcpSocket": {"port": 9999}}),
        probe({"grpc": {"port": 8080}, "timeoutSeconds": 1}),
        probe({"exec": {"command": ["sh", "-c", "echo no; exit 3"]}}),
    ] == [
        (
            False,
            'Get "http://10.244.0.4:8080/healthz": dial tcp 10.244.0.4:8080: connect: connection refused',
        ),
        (True, ""),
        (False, "HTTP probe failed with statuscode: 404"),
        (True, ""),
        (False, "dial tcp 10.244.0.4:9999: connect: connection refused"),
        (
            False,
            'timeout: failed to connect service "10.244.0.4:8080" within 1s: context deadline exceeded',
        ),
        (False, "no\n"),
    ]


def test_a_port_that_another_container_has_taken_ends_a_program(shop: Any) -> None:
    shop.start(
        "nc", "registry.example/library/busybox:1.36", "4", command=("nc", "-l", "-p", "8080")
    )
    shop.run(1)
    shop.start(
        "web", "ghcr.io/acme/shop:1.0", "4", command=("web",), env={"STOCK_ADDR": "stock:8081"}
    )
    shop.run(1)
    assert (shop.ended("nc"), shop.ended("web")) == (None, ExitState(1, "Error"))


def test_a_port_that_is_taken_ends_a_database(shop: Any) -> None:
    shop.start("nc", "registry.example/library/busybox:1.36", "1", command=("nc", "-lp", "27017"))
    shop.run(1)
    shop.start_mongo()
    shop.run(5)
    assert shop.ended("mongodb-stock") == ExitState(48, "Error")


@pytest.mark.parametrize(
    ("limit", "seconds"),
    [
        (None, 0.5),
        (2.0, 0.5),
        (1.0, 0.5),
        # 50 ms in each period of 100 ms: nine whole periods, and the last 50 ms.
        (0.5, 0.95),
        (0.1, 4.91),
        # What fits into one period is not held up.
        (5.0, 0.5),
    ],
)
def test_a_limit_of_processor_time_makes_work_last(
    shop: Any, limit: float | None, seconds: float
) -> None:
    shop.start_box("sleep", "3600", cpu_limit_cores=limit)
    (process,) = processes(shop.world).values()
    assert throttled_duration_s(process, 0.5) == pytest.approx(seconds)
    assert throttled_duration_s(process, 0.002) == pytest.approx(0.002)


def test_a_database_under_a_small_limit_starts_later(shop: Any) -> None:
    moments = []
    for limit in (None, 0.2):
        pod, uid = f"db-{limit}", f"7{limit}"
        shop.start(pod, "mongo:4.4.6", uid, cpu_limit_cores=limit)
        began = shop.world.now
        while listener_at(shop.world, uid, 27017) is None:
            shop.run(0.1)
        moments.append(round(shop.world.now - began, 1))
    assert moments == [1.3, 6.0]
