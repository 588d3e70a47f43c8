"""The whole product from outside: processes, kubeconfigs, and worlds that are served."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO, Any

import pytest
from sregym_cluster_embedded.cluster import Embedded
from sregym_core.api import Workspace
from sregym_core.conductor import ComponentFactory
from sregym_core.interfaces import Access, Cluster, ClusterSpec
from sregym_core.settings import Settings
from sregym_testing import ForkedCommand, ForkServer, SregymProject
from sregym_testing.signals import signals_are_heard

__all__ = ["signals_are_heard"]

START_S = 60.0
END_S = 60.0


@dataclass
class Background:
    """A `sregym` process that goes on while the test acts, in a process group of its own."""

    process: subprocess.Popen[str] | ForkedCommand
    environment: dict[str, str]
    _lines: dict[str, SimpleQueue[str | None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, stream in (("out", self.process.stdout), ("err", self.process.stderr)):
            assert stream is not None
            self._lines[name] = SimpleQueue()
            Thread(target=_collect, args=(stream, self._lines[name]), daemon=True).start()

    def line(self, timeout_s: float = START_S) -> str:
        """The next line of standard output."""
        try:
            found = self._lines["out"].get(timeout=timeout_s)
        except Empty:
            pytest.fail(f"no line within {timeout_s} s")
        assert found is not None, f"it ended: {self.rest('err')}"
        return found

    def interrupt(self) -> None:
        """Ctrl-C, as a terminal sends it: to the whole group."""
        os.killpg(self.process.pid, signal.SIGINT)

    def end(self) -> tuple[int, str, str]:
        """Wait for it; exit code and what it wrote since."""
        code = self.process.wait(END_S)
        return code, self.rest("out"), self.rest("err")

    def rest(self, name: str) -> str:
        text = []
        while (line := self._lines[name].get(timeout=END_S)) is not None:
            text.append(line)
        return "".join(text)

    def children_left(self) -> bool:
        """Whether anything of its group still runs."""
        try:
            os.killpg(self.process.pid, 0)
        except ProcessLookupError:
            return False
        return True


def _collect(stream: IO[str], lines: SimpleQueue[str | None]) -> None:
    with stream:
        for line in stream:
            lines.put(line)
    lines.put(None)


Start = Callable[..., Background]


@contextmanager
def starting(project: SregymProject) -> Iterator[Start]:
    """Start `sregym` processes and end those that are left.

    They are forked from what has imported what they need; with `alone=True` one is an interpreter of
    its own, for who looks at the process itself: its command line, environment or files.
    """
    started: list[Background] = []

    def start(*words: str, env: dict[str, str] | None = None, alone: bool = False) -> Background:
        environment = {**project.environment, **(env or {})}
        if project.server is not None and project.server.can_run(environment) and not alone:
            forked = project.server.start(words, project.folder, environment)
            started.append(Background(forked, environment))
            return started[-1]
        process = subprocess.Popen(
            [sys.executable, "-m", "sregym_core", *words],
            cwd=project.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        started.append(Background(process, environment))
        return started[-1]

    try:
        yield start
    finally:
        for background in started:
            if background.process.poll() is None:
                os.killpg(background.process.pid, signal.SIGKILL)
                background.process.wait(END_S)


@dataclass(frozen=True)
class UpWorld:
    """A broken world that `sregym up` serves, and what a person does with it."""

    project: SregymProject
    process: Background
    ready: dict[str, Any]

    def kubectl(self, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """The unmodified kubectl."""
        return subprocess.run(
            ["kubectl", *words],
            env={**self.project.environment, "KUBECONFIG": self.ready["kubeconfig"]},
            input=stdin,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def repair(self, problem: str) -> None:
        """Type the commands of the reference fix into a shell."""
        shown = self.project.run("show", problem, "--reveal", "--json").assert_success().json()
        for cause in shown["revealed"]:
            for command in cause["reference_fix"]:
                done = subprocess.run(
                    ["/bin/sh", "-c", command],
                    env={**self.project.environment, "KUBECONFIG": self.ready["kubeconfig"]},
                    capture_output=True,
                    text=True,
                    timeout=120,
                    check=False,
                )
                assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"


@contextmanager
def up(project: SregymProject, problem: str, *words: str, alone: bool = False) -> Iterator[UpWorld]:
    """`sregym up PROBLEM --json`, ended at the end of the block if it still runs."""
    with starting(project) as start:
        process = start("up", problem, "--json", *words, alone=alone)
        yield UpWorld(project, process, json.loads(process.line()))


@pytest.fixture
def start(sregym_project: Callable[..., SregymProject]) -> Iterator[Start]:
    with starting(sregym_project()) as give:
        yield give


@pytest.fixture
def up_world(sregym_project: Callable[..., SregymProject]) -> Iterator[Callable[..., UpWorld]]:
    """Put up broken worlds: `up_world(problem)`."""
    opened: list[Any] = []

    def put_up(problem: str, *words: str, alone: bool = False) -> UpWorld:
        manager = up(sregym_project(), problem, *words, alone=alone)
        opened.append(manager)
        return manager.__enter__()

    try:
        yield put_up
    finally:
        for manager in reversed(opened):
            manager.__exit__(None, None, None)


@pytest.fixture(scope="session")
def workspace() -> Workspace:
    """The installed plugins, with worlds of their own."""
    return Workspace(Settings())


@pytest.fixture(scope="session")
def factory() -> ComponentFactory:
    """Everything that is installed here."""
    return ComponentFactory(Settings())


@pytest.fixture(scope="module")
def module_project(
    tmp_path_factory: pytest.TempPathFactory, fork_server: ForkServer
) -> SregymProject:
    """A folder and a home for all tests of a module that only look."""
    root = tmp_path_factory.mktemp("module")
    (root / "project").mkdir()
    (root / "home").mkdir()
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    return SregymProject(root / "project", {**kept, "HOME": str(root / "home")}, fork_server)


@dataclass(frozen=True)
class ServedCluster:
    """An embedded cluster over HTTP whose time runs `pace` times as fast as the wall clock."""

    cluster: Cluster
    access: Access
    pace: float

    @property
    def choice(self) -> str:
        """What to give to `--cluster`."""
        return f"kubeconfig:kubeconfig={self.access.kubeconfig},pace={self.pace:g}"

    @property
    def options(self) -> dict[str, str]:
        """The same for a provider."""
        return {"kubeconfig": str(self.access.kubeconfig), "pace": f"{self.pace:g}"}


@contextmanager
def served(factory: ComponentFactory, folder: Path, pace: float) -> Iterator[ServedCluster]:
    """Serve a cluster that knows how Hotel Reservation behaves, with nothing deployed."""
    application = factory.application("hotel-reservation")
    spec = ClusterSpec(
        seed=1, applications=(application,), options={"pace": f"{pace:g}"}, folder=folder
    )
    cluster = Embedded().provision(spec)
    try:
        yield ServedCluster(cluster, cluster.open_access(), pace)
    finally:
        cluster.close()


@pytest.fixture(scope="session")
def module_up() -> Callable[..., Any]:
    """`up`, for fixtures of modules."""
    return up


@pytest.fixture(scope="session")
def serve() -> Callable[..., Any]:
    """`served`, for fixtures of modules."""
    return served
