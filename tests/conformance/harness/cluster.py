"""An embedded cluster that is like the recorded one, and a way to type commands at it."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import time
import zlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import orjson
from sregym_apps.model import parse_service_model
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.access.authentication import of_certificate
from sregym_cluster_embedded.api.pki.authority import certificate_authority
from sregym_cluster_embedded.api.request import Request, Response
from sregym_cluster_embedded.api.server import handle
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.http.kubeconfig import write_kubeconfig
from sregym_cluster_embedded.http.live import LiveWorld
from sregym_cluster_embedded.http.pacing import Stepped
from sregym_cluster_embedded.http.secure import client_credentials
from sregym_cluster_embedded.http.server import ApiEndpoint
from sregym_cluster_embedded.kubectl import DirectAccess, NotCovered, run
from sregym_cluster_embedded.node.bootstrap import NodeSpec
from sregym_cluster_embedded.node.keys import FREEZE_KUBELET
from sregym_cluster_embedded.node.system_objects import Dns
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.userland.registries import Registry, set_registry
from sregym_cluster_embedded.world import World

from harness import hooks

# How the images behave that the nodes had.
IMAGES = Path(__file__).resolve().parents[1] / "images.yaml"

EPOCH = 1_795_000_000  # 2026-11-18T12:26:40Z: any moment will do, clients see it as now
MEMORY_KIB = 24_684_096
ADMIN = of_certificate("admin", ("system:masters", "system:authenticated"))
RECORDED_SERVER = "10.77.0.2:6443"
_SERVER = re.compile(r"(--server=https://)10\.77\.0\.2:(\d+)")

# How often conditions are looked at, in virtual seconds, as in the recordings.
POLL_S = 0.35
# When the recorded time of a condition has passed: how long it is waited for yet, and how often.
GRACE_S = 30.0
LATE_POLL_S = 1.0
# From a look at which a condition held to the answer of the next command.
LATENCY_S = 0.2
# A command that has not ended after so many virtual seconds, or so many wall-clock seconds, is killed
# with exit code 124.
VIRTUAL_LIMIT_S = 150.0
WALL_LIMIT_S = 25.0
LOOK_S = 0.5
KILLED = 124
# Virtual seconds that pass in a wall second while a client waits for something to happen. Where
# kubectl itself counts the time it may take, both have to agree.
WAITING_RATIO = 20.0
COUNTED = re.compile(r"--timeout[= ]\d{1,2}s\b|--request-timeout|(?:^|[ (])timeout \d+ kubectl")
# The in-process twin answers conditions that are one plain command.
PLAIN = re.compile(r"kubectl [^|;&<>$`()]*$")


@dataclass(frozen=True)
class Answer:
    """What a command gave back."""

    exit_code: int
    stdout: str
    stderr: str


@lru_cache(maxsize=1)
def booted() -> World:
    """The recorded cluster before anybody used it; made once in a process, fork it."""
    model = parse_service_model(IMAGES.read_text(encoding="utf-8"), IMAGES.name)
    images = tuple(f"{image.repository}:{tag}" for image in model.images for tag in image.tags)
    nodes = [
        NodeSpec(
            name,
            cpu=2,
            memory_kib=MEMORY_KIB,
            images=images,
            container_runtime="containerd://1.6.20",
            cgroup_version=1,
        )
        for name in ("node1", "node2")
    ]
    dns = Dns("registry.example/dns/coredns:1.13.1", applied=True)
    world = build(Blueprint(models=(model,), seed=1, epoch=EPOCH, nodes=nodes, dns=dns))
    # The recorded cluster has no storage classes.
    for entry in world.store.list("storageclasses.storage.k8s.io"):
        key = Key("storageclasses.storage.k8s.io", "", entry["metadata"]["name"])
        internal_client.delete(world, key)
    # Its registry has no image: what the nodes have was put there beforehand.
    empty = Registry(private=("private/",), address="10.77.0.1:5000", empty=True)
    set_registry(world, "registry.example", empty)
    world.run_until(world.now + 600.0)
    hooks.serve(world)
    return world


def fresh_world(name: str) -> World:
    """A fork of the recorded cluster whose chance depends on `name`."""
    return booted().fork(seed=zlib.crc32(name.encode()))


class Shell:
    """Types commands at a world that is served on loopback.

    Args:
        world: The cluster; belongs to the shell from now on.
        folder: The current folder of the commands; the caller removes it.
    """

    def __init__(self, world: World, folder: Path) -> None:
        self._live = LiveWorld(world, Stepped(request_cost_s=0.005))
        self._endpoint = ApiEndpoint(self._live, secure=True)
        self._folder = folder / "work"
        self._home = folder / "home"
        self._access = DirectAccess(world)
        self._access.memory = {}
        # Addresses in commands that are others here, with the recorded ones.
        self._renamed: dict[str, str] = {}

    def __enter__(self) -> Shell:
        self._folder.mkdir()
        self._home.mkdir()
        self._endpoint.start()
        with self._live.open() as world:
            write_kubeconfig(
                self.kubeconfig,
                self._endpoint.url,
                authority=certificate_authority(world),
                credentials=client_credentials(world, "admin", ("system:masters",)),
            )
        return self

    def __exit__(self, *_: object) -> None:
        self._endpoint.close()

    @property
    def now(self) -> float:
        """Virtual seconds."""
        return self._live.now

    @property
    def kubeconfig(self) -> Path:
        """That of the commands."""
        return self._home / "kubeconfig"

    @property
    def folder(self) -> Path:
        """The current folder of the commands."""
        return self._folder

    def forked(self) -> World:
        """A fork of the cluster as it is now."""
        with self._live.open() as world:
            return world.fork()

    def advance(self, seconds: float) -> None:
        """Let virtual time pass."""
        if seconds > 0:
            self._live.advance(seconds)

    def call(self, method: str, path: str, body: Any = None, accept: str = "") -> Response:
        """Send a request without a client."""
        content = b"" if body is None else orjson.dumps(body)
        headers = {"accept": accept or "application/json", "content-type": "application/json"}
        plain, _, query = path.partition("?")
        with self._live.open() as world:
            answer = handle(
                world, Request(method, plain, tuple(_pairs(query)), headers, content, ADMIN)
            )
        assert isinstance(answer, Response)
        return answer

    def make_namespace(self, name: str) -> None:
        """Make a namespace and give it time for its account and its certificate."""
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        self.call("POST", "/api/v1/namespaces", body)
        self.advance(1.0)

    def type(self, command: str, stdin: str = "") -> Answer:
        """Run a command through `sh -c` with the real kubectl."""
        counted = COUNTED.search(command) is not None
        self._live.pacing = Stepped(0.005, 1.0 if counted else WAITING_RATIO)
        with self._live.open() as world:
            # Clients use the wall clock: ages have to be those of virtual time.
            self._endpoint.shift_s = round(time.time() - (world.epoch + world.now))
        with self._live.command():
            return self._run(command, stdin)

    def _run(self, command: str, stdin: str) -> Answer:
        process = subprocess.Popen(
            ["sh", "-c", self.addressed(command)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self._folder,
            env=self._environment(),
            start_new_session=True,
        )
        began, typed_at = time.monotonic(), self.now
        unsent: bytes | None = stdin.encode()
        while True:
            try:
                out, err = process.communicate(unsent, timeout=LOOK_S)
            except subprocess.TimeoutExpired:
                unsent = None  # it was taken at the first time
                if (
                    self.now - typed_at < VIRTUAL_LIMIT_S
                    and time.monotonic() - began < WALL_LIMIT_S
                ):
                    continue
                os.killpg(process.pid, signal.SIGKILL)
                out, err = process.communicate()
                return Answer(
                    KILLED, self.recorded(out), self.recorded(err) + "(did not end, killed)\n"
                )
            return Answer(process.returncode, self.recorded(out), self.recorded(err))

    def addressed(self, command: str) -> str:
        """A command with the addresses that recorded ones have here."""
        return _SERVER.sub(self._served, command)

    def write(self, files: dict[str, str]) -> None:
        """Put files into the current folder of the commands."""
        for name, text in files.items():
            (self._folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self._folder / name).write_text(text)

    def until(self, command: str, matches: str, recorded_s: float) -> bool:
        """Let virtual time pass until the output of `command` matches; False when it never does."""
        wanted = re.compile(matches, re.DOTALL | re.MULTILINE)
        seen, looked = -1, 0.0
        began = self.now
        limit = began + 2 * recorded_s + GRACE_S
        streaming = re.search(r"\b(exec|logs|run|attach|top)\b", command) is not None
        while True:
            with self._live.open() as world:
                revision, now = world.store.revision, world.now
            if streaming or revision != seen or now - looked > 10 * LATE_POLL_S:
                seen, looked = revision, now
                if wanted.search(self._glance(command)):
                    self.advance(LATENCY_S)
                    return True
            if now >= limit:
                return False
            self.advance(POLL_S if now - began <= recorded_s + 3 else LATE_POLL_S)

    def freeze(self, node: str, frozen: bool) -> bool:
        """Stop or continue the kubelet of a node; False when the cluster cannot do that."""
        with self._live.open() as world:
            act = world.service_or_none(FREEZE_KUBELET)
            if act is not None:
                act(world, node, frozen)
        return act is not None

    def _glance(self, command: str) -> str:
        if PLAIN.match(command):
            with self._live.open() as world:
                self._access = DirectAccess(world)
                words = shlex.split(command)[1:]
                try:
                    done = run(self._access, words, "", files=self._folder)
                except NotCovered:
                    pass
                else:
                    return done.stdout + done.stderr
        answer = self.type(command)
        return answer.stdout + answer.stderr

    def _environment(self) -> dict[str, str]:
        beside = str(Path(sys.executable).parent)
        kept = {name: os.environ[name] for name in ("LANG", "TZ", "TMPDIR") if name in os.environ}
        return {
            **kept,
            "PATH": f"{beside}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
            "HOME": str(self._home),
            "KUBECONFIG": str(self.kubeconfig),
            "KUBECACHEDIR": str(self._home / "cache"),
            # A command ends before it pays for kubectl to look for what it no longer needs.
            "GOGC": "off",
            "GOMEMLIMIT": "256MiB",
        }

    def _served(self, match: re.Match[str]) -> str:
        """A recorded address of the server as one of loopback."""
        host, _, port = RECORDED_SERVER.partition(":")
        if match[2] == port:
            return f"{match[1]}127.0.0.1:{self._endpoint.port}"
        # Nobody listens at other ports, neither there nor here.
        self._renamed[f"127.0.0.1:{match[2]}"] = f"{host}:{match[2]}"
        return f"{match[1]}127.0.0.1:{match[2]}"

    def recorded(self, output: bytes) -> str:
        """What a command printed, with the recorded addresses."""
        text = output.decode(errors="replace")
        here = self._endpoint.url.removeprefix("https://")
        for address, recorded in {**self._renamed, here: RECORDED_SERVER}.items():
            text = text.replace(address, recorded)
        return text


def _pairs(query: str) -> list[tuple[str, str]]:
    from urllib.parse import parse_qsl

    return parse_qsl(query, keep_blank_values=True)
