"""An engine of Docker's on this machine with a node in it, as kind makes one: no registry, network or rule of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import ExitStack
from pathlib import Path

import pytest

from .archive import Archive, linked
from .machine import APPLETS, IMAGES, PYTHON
from .needing import needs
from .stores import wait_for

NODE = "worker-1"
_PROGRAMS = (
    *("/usr/bin/python3", "/usr/bin/strace", "/bin/busybox", "/usr/bin/pgrep", "/usr/bin/pkill"),
    *("/usr/bin/redis-server", "/usr/bin/redis-cli"),
)
# Its first process collects whoever is left, as any does that a node begins with.
_FIRST = "while true; do sleep 1; done"
# It keeps a key in /etc/docker wherever its own folders are: that one is nobody else's, as are its mounts.
_ALONE = """
mount -t tmpfs run /run && mount -t tmpfs key /etc/docker || exit 1
exec "$@"
"""
# It has to end with whoever started it, however that ends.
_WATCH = 'read _; kill -s TERM -- "$1"'
# All that this machine can give: what it lacks itself makes a container that wants everything fail.
_RIGHTS = ("--cap-add", "ALL", "--cap-drop", "SYS_RESOURCE", "--security-opt", "seccomp=unconfined")
_READY_S, _END_S = 60.0, 30.0


class Engine:
    """A running one; leaving the context ends it, with its containers.

    Args:
        folder: For its files.
    """

    def __init__(self, folder: Path) -> None:
        needs("containerd", "runc", "unshare", "strace", "redis-server", "busybox", "pgrep")
        self._folder = folder
        self.programs = _programs(folder)
        self.host = f"unix://{folder}/socket"

    def __enter__(self) -> Engine:
        with ExitStack() as opened:
            # Where it puts its key; gone again if it was not there before.
            place = Path("/etc/docker")
            if not place.exists():
                place.mkdir()
                opened.callback(place.rmdir)
            opened.callback(self._end, *self._started())
            assert wait_for(lambda: self.said("info", fails=True).returncode == 0, _READY_S), (
                self._folder / "log"
            ).read_text()[-2000:]
            self.said("import", "-", "node:1", stdin=_root())
            if self._node().returncode:
                pytest.skip("needs a machine that lets containers have all rights but one")
            self._opened = opened.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._opened.close()

    def said(
        self, *words: str, stdin: bytes = b"", fails: bool = False
    ) -> subprocess.CompletedProcess[bytes]:
        """A command of `docker`; one that may fail, or goes well."""
        done = subprocess.run(
            [f"{self.programs}/docker", *words],
            env={**os.environ, "DOCKER_HOST": self.host, "DOCKER_CONFIG": str(self._folder)},
            input=stdin,
            capture_output=True,
            check=False,
        )
        assert fails or done.returncode == 0, (words, done.stderr)
        return done

    def _node(self) -> subprocess.CompletedProcess[bytes]:
        groups = ("--cgroupns", "private", "--volume", "/sys/fs/cgroup:/sys/fs/cgroup:rw")
        words = (*_RIGHTS, *groups, "--network", "none", "node:1", "sh", "-c", _FIRST)
        return self.said("run", "--detach", "--name", NODE, *words, fails=True)

    def _started(self) -> tuple[subprocess.Popen[bytes], subprocess.Popen[bytes]]:
        where = ("data-root", "exec-root", "pidfile")
        folders = [word for name in where for word in (f"--{name}", f"{self._folder}/{name}")]
        without = ("iptables", "ip6tables", "ip-forward", "ip-masq")
        words = (
            *("dockerd", "--host", self.host, *folders, "--bridge=none", "--storage-driver=vfs"),
            *(f"--{name}=false" for name in without),
        )
        with (self._folder / "log").open("wb") as log:
            process = subprocess.Popen(
                ["unshare", "--mount", "sh", "-c", _ALONE, "sh", *words],
                env={**os.environ, "PATH": f"{self.programs}:{os.environ['PATH']}"},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        watch = subprocess.Popen(
            ["sh", "-c", _WATCH, "sh", str(process.pid)],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        return process, watch

    def _end(self, process: subprocess.Popen[bytes], watch: subprocess.Popen[bytes]) -> None:
        self.said("rm", "--force", NODE, fails=True)
        watch.kill()
        watch.wait()
        assert watch.stdin is not None
        watch.stdin.close()
        process.terminate()
        process.wait(_END_S)


def _programs(folder: Path) -> Path:
    """Where those of the engine are: installed, or in the package that `tools/kernel_images.py` has got."""
    found = shutil.which("dockerd")
    if found and shutil.which("docker"):
        return Path(found).parent
    packages = sorted(IMAGES.glob("docker.io_*.deb"))
    if not packages:
        pytest.skip("needs the program dockerd: python tools/kernel_images.py")
    into = folder / "programs"
    subprocess.run(["dpkg-deb", "-x", str(packages[-1]), str(folder / "package")], check=True)
    into.mkdir()
    for program in ("sbin/dockerd", "bin/docker"):
        (folder / "package" / "usr" / program).rename(into / Path(program).name)
    return into


def _root() -> bytes:
    """Files of a node."""
    archive = Archive()
    for program in _PROGRAMS:
        archive.program(Path(program))
    for applet in APPLETS:
        archive.link(f"usr/bin/{applet}", "busybox")
    archive.copy(PYTHON)
    for module in sorted((PYTHON / "lib-dynload").glob("*.so")):
        for library in linked(module):
            archive.copy(library)
    return archive.tar()
