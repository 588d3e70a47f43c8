"""Debugging containers share the processes of their target, and what those lead to."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.cluster import Embedded
from sregym_core.interfaces import ClusterSpec, Command


@pytest.fixture(scope="module")
def kubectl() -> Any:
    cluster = Embedded().provision(ClusterSpec())

    def run(*words: str, seconds: float = 0.0) -> str:
        answer = cluster.kubectl(Command(("kubectl", *words)))
        cluster.clock.advance(seconds)
        return answer.stdout + answer.stderr

    run("run", "web", "--image=alpine", "--", "sleep", "7777", seconds=20)
    looking = "echo $$$$ $$(hostname); sleep 9999"
    for name, options in (("looks", ("--target=web",)), ("apart", ())):
        run(
            "debug", "web", "--image=busybox", "-q", "-c", name, *options, "--", "sh", "-c", looking,
            seconds=20,
        )  # fmt: skip
    yield run
    cluster.close()


def looks(kubectl: Any, *words: str, container: str = "looks") -> str:
    return str(kubectl("exec", "web", "-c", container, "--", *words))


def test_both_see_the_processes_of_both(kubectl: Any) -> None:
    assert kubectl("logs", "web", "-c", "looks") == "29 web\n"
    assert kubectl("logs", "web", "-c", "apart") == "1 web\n"
    lines = ["sleep 7777", "sh -c echo $$ $(hostname); sleep 9999", "sleep 9999"]
    for container in ("looks", "web"):
        table = looks(kubectl, "ps", container=container).splitlines()[1:-1]
        assert [row.split(None, 2)[2] for row in table] == lines
    assert looks(kubectl, "pgrep", "-f", "7777") == "1\n"
    assert looks(kubectl, "sh", "-c", "tr '\\0' ' ' < /proc/1/cmdline") == "sleep 7777 "
    apart = looks(kubectl, "ps", container="apart").splitlines()[1:-1]
    assert [row.split(None, 2)[2] for row in apart] == lines[1:]


def test_the_root_of_a_process_is_that_of_its_container(kubectl: Any) -> None:
    release = looks(kubectl, "cat", "/proc/1/root/etc/os-release")
    assert release == looks(kubectl, "cat", "/etc/os-release", container="web")
    assert 'NAME="Alpine Linux"' in release
    assert looks(kubectl, "sh", "-c", "echo hi > /proc/1/root/tmp/said; echo $?") == "0\n"
    assert looks(kubectl, "cat", "/tmp/said", container="web") == "hi\n"
    assert looks(kubectl, "chroot", "/proc/1/root", "cat", "/tmp/said") == "hi\n"
    assert looks(kubectl, "find", "/proc/1/root/tmp", "-name", "said") == "/proc/1/root/tmp/said\n"
    assert looks(kubectl, "rm", "/proc/1/root/tmp/said") == ""
    assert "No such file" in looks(kubectl, "cat", "/tmp/said", container="web")
    assert looks(kubectl, "readlink", "/proc/1/root") == "/\n"
    assert "No such file" in looks(kubectl, "cat", "/proc/1/root/none")
    assert looks(kubectl, "ls", "/proc/1/root/etc/apk", container="apart").startswith("ls: ")


def test_namespaces_say_what_is_shared(kubectl: Any) -> None:
    names = ("pid", "net", "mnt", "user")
    line = "for n in pid net mnt user; do readlink /proc/self/ns/$n; done"
    own, target, apart = (
        dict(zip(names, looks(kubectl, "sh", "-c", line, container=each).split(), strict=True))
        for each in ("looks", "web", "apart")
    )
    assert [own[name] == target[name] for name in names] == [True, True, False, True]
    assert [own[name] == apart[name] for name in names] == [False, True, False, True]
    assert looks(kubectl, "readlink", "/proc/1/ns/mnt").strip() == target["mnt"]


def test_a_debugging_pod_of_a_node_sees_the_root_of_every_process(kubectl: Any) -> None:
    node = kubectl("get", "pod", "web", "-o", "jsonpath={.spec.nodeName}")
    line = (
        "cat /proc/1/root/etc/hostname; pid=$(pgrep -f '^sleep 7777'); "
        "grep ^ID /proc/$pid/root/etc/os-release; readlink /proc/$pid/ns/mnt"
    )
    kubectl(
        "debug", f"node/{node}", "--image=busybox", "--profile=sysadmin", "-q", "--", "sh", "-c",
        line, seconds=30,
    )  # fmt: skip
    (name,) = [
        word for word in kubectl("get", "pods", "-o", "name").split() if "node-debugger" in word
    ]
    mount = looks(kubectl, "readlink", "/proc/self/ns/mnt", container="web")
    assert kubectl("logs", name) == f"{node}\nID=alpine\n{mount}"
