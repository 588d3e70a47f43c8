"""Streams to containers whose processes really run: exec, attach, port-forward, run, cp."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import select
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.http.kubeconfig import write_kubeconfig
from sregym_cluster_embedded.http.live import LiveWorld
from sregym_cluster_embedded.http.pacing import Stepped
from sregym_cluster_embedded.http.server import ApiEndpoint
from sregym_cluster_embedded.kubectl import CommandResult, DirectAccess, run
from sregym_cluster_embedded.kubectl.fallback import run_binary

BUSYBOX = "registry.example/library/busybox:1.36"
PODS = f"""
apiVersion: v1
kind: Pod
metadata: {{name: box}}
spec: {{containers: [{{name: box, image: {BUSYBOX}, command: [sleep, "36000"]}}]}}
---
apiVersion: v1
kind: Pod
metadata: {{name: web, labels: {{app: web}}}}
spec:
  containers: [{{name: web, image: "registry.example/shop/web:1.0", ports: [{{containerPort: 8080}}]}}]
---
apiVersion: v1
kind: Service
metadata: {{name: web}}
spec: {{selector: {{app: web}}, ports: [{{port: 80, targetPort: 8080}}]}}
---
apiVersion: v1
kind: Pod
metadata: {{name: typed}}
spec:
  containers: [{{name: typed, image: {BUSYBOX}, command: [sh], stdin: true, tty: true}}]
"""
NOTICE = (
    "All commands and output from this session will be recorded in container logs, including "
    "credentials and sensitive information passed through the command prompt.\n"
    "If you don't see a command prompt, try pressing enter.\n"
)


class Cluster:
    """A served cluster and the binary."""

    def __init__(self, endpoint: ApiEndpoint, folder: Path) -> None:
        self.endpoint = endpoint
        self.folder = folder
        self.kubeconfig = write_kubeconfig(folder / "config", endpoint.url)

    def kubectl(self, *argv: str, stdin: str = "") -> CommandResult:
        return run_binary(self.kubeconfig, argv, stdin, self.folder, timeout_s=60)

    @contextmanager
    def forwarded(self, what: str, port: int) -> Iterator[tuple[int, subprocess.Popen[str]]]:
        """A running port-forward to a port of `what`: the local port and the process."""
        command = ["kubectl", "port-forward", what, f":{port}", "--address", "127.0.0.1"]
        environment = os.environ | {"KUBECONFIG": str(self.kubeconfig)}
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
        ) as process:
            try:
                assert process.stdout is not None
                line = process.stdout.readline()
                yield int(line.split(" -> ")[0].rpartition(":")[2]), process
            finally:
                process.terminate()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory, recorded_images: Any) -> Iterator[Cluster]:
    if shutil.which("kubectl") is None:
        pytest.skip("kubectl is not installed")
    world = build(Blueprint(models=recorded_images, seed=5, epoch=int(time.time()) - 120))
    run(DirectAccess(world), ["apply", "-f", "-"], PODS)
    world.run_until(world.now + 60)
    live = LiveWorld(world, Stepped(request_cost_s=0.01))
    with ApiEndpoint(live) as endpoint:
        yield Cluster(endpoint, tmp_path_factory.mktemp("streams"))


@pytest.mark.parametrize("what", ["pod/web", "svc/web"])
def test_port_forward_carries_requests_to_the_container(cluster: Cluster, what: str) -> None:
    port = 80 if what.startswith("svc") else 8080
    with cluster.forwarded(what, port) as (local, _):
        for _ in range(2):
            with urllib.request.urlopen(f"http://127.0.0.1:{local}/", timeout=60) as answer:
                assert (answer.status, answer.read()) == (200, b"hello from web 1.0\n")
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(f"http://127.0.0.1:{local}/none", timeout=60)
        with caught.value as refused:
            assert refused.code == 404


def test_one_forwarded_connection_takes_several_requests_and_a_body(cluster: Cluster) -> None:
    body = b"POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
    last = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    received = b""
    with (
        cluster.forwarded("pod/web", 8080) as (local, _),
        socket.create_connection(("127.0.0.1", local), timeout=60) as connection,
    ):
        connection.sendall(body + last)
        while piece := connection.recv(65536):
            received += piece
    assert received.count(b"HTTP/1.1 ") == 2
    assert received.endswith(
        b"Connection: close\r\nContent-Type: text/html\r\nContent-Length: 3\r\n\r\nok\n"
    )


def test_a_port_on_which_nobody_listens_ends_the_forwarding(cluster: Cluster) -> None:
    with cluster.forwarded("pod/web", 9090) as (local, process):
        with socket.create_connection(("127.0.0.1", local), timeout=60) as connection:
            connection.sendall(b"GET / HTTP/1.0\r\n\r\n")
            # Reset instead of closed when the binary goes before it has read what was sent.
            with suppress(ConnectionResetError):
                assert connection.recv(1024) == b""
        _, stderr = process.communicate(timeout=60)
    assert "localhost:9090 inside namespace" in stderr
    assert (
        "IPv4: dial tcp4 127.0.0.1:9090: connect: connection refused IPv6 dial tcp6: address localhost: no suitable address found"
        in stderr
    )
    assert stderr.endswith("error: lost connection to pod\n")
    assert process.returncode == 1


def test_port_forward_over_plain_channels(cluster: Cluster) -> None:
    url = f"{cluster.endpoint.url}/api/v1/namespaces/default/pods/web/portforward?ports=8080&ports=9090"

    async def talk() -> tuple[list[bytes], bytes]:
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(url, protocols=("v4.channel.k8s.io",)) as stream,
        ):
            first = [await stream.receive_bytes(timeout=60) for _ in range(5)]
            await stream.send_bytes(b"\x00GET /healthz HTTP/1.0\r\n\r\n")
            return first, await stream.receive_bytes(timeout=60)

    first, answer = asyncio.run(talk())
    assert first[:4] == [b"\0\x90\x1f", b"\1\x90\x1f", b"\2\x82\x23", b"\3\x82\x23"]
    assert first[4].startswith(b"\3error forwarding port 9090 to pod ")
    assert (answer[:16], answer[-7:]) == (b"\0HTTP/1.1 200 OK", b"\r\n\r\nok\n")


def test_a_script_on_stdin_keeps_folder_and_variables(cluster: Cluster) -> None:
    script = "cd /tmp\nX=5\nif true; then\n  echo $X in $(pwd)\nfi\nexit 3\necho never\n"
    assert cluster.kubectl("exec", "-i", "box", "--", "sh", stdin=script) == CommandResult(
        3, "5 in /tmp\n", "command terminated with exit code 3\n"
    )


def typed(cluster: Cluster, *argv: str, keys: list[tuple[str, str]]) -> tuple[str, int]:
    """Run kubectl on a terminal; each of `keys` is (what to wait for, what to type then)."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ["KUBECONFIG"] = str(cluster.kubeconfig)
        os.execvp("kubectl", ["kubectl", *argv])
    seen, rest, deadline = "", list(keys), time.monotonic() + 60
    while time.monotonic() < deadline:
        if rest and rest[0][0] in seen:
            os.write(terminal, rest.pop(0)[1].encode())
        if not select.select([terminal], [], [], 0.2)[0]:
            continue
        try:
            piece = os.read(terminal, 4096)
        except OSError:
            break
        if not piece:
            break
        seen += piece.decode()
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    return seen, os.waitstatus_to_exitcode(status)


def test_a_shell_on_a_terminal_has_prompt_and_echo(cluster: Cluster) -> None:
    keys = [("/ # ", "cd /tmp\r"), ("/tmp # ", "echo a\x7fb\r"), ("b\r\n/tmp # ", "exit 4\r")]
    seen, code = typed(cluster, "exec", "-it", "box", "--", "sh", keys=keys)
    assert seen == (
        "/ # cd /tmp\r\n/tmp # echo a\b \bb\r\nb\r\n/tmp # exit 4\r\n"
        "command terminated with exit code 4\r\n"
    )
    assert code == 4


def test_attach_types_at_the_main_process_and_its_log_keeps_it(cluster: Cluster) -> None:
    keys = [("/ # ", "echo said\r"), ("said\r\n/ # ", "exit 5\r")]
    seen, _ = typed(cluster, "attach", "-it", "typed", keys=keys)
    assert "/ # echo said\r\nsaid\r\n/ # exit 5\r\n" in seen
    assert (
        "said\n"
        in cluster.kubectl("logs", "typed").stdout + cluster.kubectl("logs", "typed", "-p").stdout
    )
    ended = "jsonpath={.status.containerStatuses[0].lastState.terminated.exitCode}=5"
    assert (
        cluster.kubectl("wait", "pod/typed", f"--for={ended}").stdout == "pod/typed condition met\n"
    )


def test_run_gives_input_to_the_process_and_removes_the_pod(cluster: Cluster) -> None:
    counted = cluster.kubectl(
        "run", "count", f"--image={BUSYBOX}", "--restart=Never", "--rm", "-i", "--quiet", "--",
        "wc", "-l", stdin="one\ntwo\n",
    )  # fmt: skip
    assert counted == CommandResult(0, "2\n", "")
    assert cluster.kubectl("get", "pod", "count").stderr == (
        'Error from server (NotFound): pods "count" not found\n'
    )


def test_debug_shows_what_its_container_says_at_once(cluster: Cluster) -> None:
    image = f"--image={BUSYBOX}"
    done = cluster.kubectl("debug", "web", "-i", "-c", "look", image, "--", "sh", "-c", "echo hi")
    assert (done.exit_code, set(done.stdout.splitlines())) == (0, {"hi"})
    assert cluster.kubectl("logs", "web", "-c", "look").stdout == "hi\n"


def test_a_shell_that_run_starts_ends_with_its_script(cluster: Cluster) -> None:
    done = cluster.kubectl(
        "run", "once", f"--image={BUSYBOX}", "--restart=Never", "--rm", "-i", "--", "sh",
        stdin="wget -q -O - http://web/\nexit 3\n",
    )  # fmt: skip
    assert done == CommandResult(
        3,
        'hello from web 1.0\npod "once" deleted from default namespace\n',
        NOTICE + "pod default/once terminated (Error)\n",
    )


def test_files_are_copied_both_ways(cluster: Cluster) -> None:
    binary = bytes(range(256)) * 300
    (cluster.folder / "there.bin").write_bytes(binary)
    assert cluster.kubectl("cp", "there.bin", "box:/tmp/there.bin").exit_code == 0
    assert cluster.kubectl("cp", "box:/tmp/there.bin", "back.bin").exit_code == 0
    assert (cluster.folder / "back.bin").read_bytes() == binary


def test_exec_over_spdy_names_the_versions_when_there_is_none_in_common(cluster: Cluster) -> None:
    path = "/api/v1/namespaces/default/pods/box/exec?command=ls&stdout=true"
    headers = {"Upgrade": "SPDY/3.1", "Connection": "Upgrade", "X-Stream-Protocol-Version": "v9"}
    request = urllib.request.Request(cluster.endpoint.url + path, method="POST", headers=headers)
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(request, timeout=60)
    with caught.value as refused:
        status = json.loads(refused.read())
    assert (status["code"], status["message"]) == (
        403,
        "unable to upgrade: unable to negotiate protocol: client supports [v9], server accepts "
        "[v4.channel.k8s.io v3.channel.k8s.io v2.channel.k8s.io]",
    )


def test_attach_to_what_does_not_run_is_refused_by_the_kubelet(cluster: Cluster) -> None:
    image = "registry.example/shop/web:9.9"
    run_pod: list[Any] = ["run", "never", f"--image={image}"]
    assert cluster.kubectl(*run_pod).exit_code == 0
    assert cluster.kubectl("attach", "never") == CommandResult(
        1,
        "",
        NOTICE
        + "error: unable to upgrade connection: container never not found in pod never_default\n",
    )


def followed(cluster: Cluster, *command: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        ["kubectl", "exec", "box", "--", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"KUBECONFIG": str(cluster.kubeconfig)},
    )


def test_a_followed_file_is_told_of_until_the_client_leaves(cluster: Cluster) -> None:
    cluster.kubectl("exec", "box", "--", "sh", "-c", "seq 1 20 > /tmp/log")
    script = "tail -n 2 -f /tmp/log | grep -v 19"
    with followed(cluster, "sh", "-c", script) as following:
        assert following.stdout is not None
        assert following.stdout.readline() == "20\n"
        cluster.kubectl("exec", "box", "--", "sh", "-c", "echo 190 >> /tmp/log")
        cluster.kubectl("exec", "box", "--", "sh", "-c", "echo more >> /tmp/log")
        assert following.stdout.readline() == "more\n"
        following.terminate()


def test_a_follower_with_a_limit_ends_with_it(cluster: Cluster) -> None:
    cluster.kubectl("exec", "box", "--", "sh", "-c", "echo one > /tmp/few")
    with followed(cluster, "timeout", "30", "tail", "-f", "/tmp/few") as following:
        assert following.communicate(timeout=60) == (
            "one\n",
            "command terminated with exit code 143\n",
        )
        assert following.returncode == 143
    missing = cluster.kubectl("exec", "box", "--", "tail", "-f", "/none")
    assert missing == CommandResult(
        1,
        "",
        "tail: can't open '/none': No such file or directory\ntail: no files\n"
        "command terminated with exit code 1\n",
    )
