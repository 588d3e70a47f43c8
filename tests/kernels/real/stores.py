"""Stores from Debian, each in a folder of its own, and what they log."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import ClassVar

_USER = "nobody"
_READY_S = 60.0
_END_S = 5.0


def wait_for(condition, timeout_s: float = 10.0) -> bool:
    """Wait until a condition holds; what is waited for is other processes'."""
    end = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > end:
            return False
        Event().wait(0.01)
    return True


class Store:
    """A server in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "server.log"
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self):
        self.prepare()
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    def prepare(self) -> None:
        self.folder.mkdir()

    def start(self) -> None:
        raise NotImplementedError

    def file(self, which: str) -> str:
        """One of its files, for faults that are about it alone."""
        raise NotImplementedError

    @property
    def lives(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def lines(self) -> list[str]:
        """What it has logged, without times, processes, sizes and places."""
        text = self.log.read_text() if self.log.exists() else ""
        return [normal(line, str(self.folder)) for line in text.splitlines()]


def normal(line: str, folder: str = "/nowhere") -> str:
    line = re.sub(r"^\d+:([A-Z]) \d+ \w+ \d+ [\d:.]+ ", r"\1 ", line)
    line = re.sub(r"^\d{4}-\d\d-\d\d [\d:.]+ \w+ \[\d+\] ", "", line)
    line = line.replace(folder, "DIR")
    line = re.sub(r"temp-\d+", "temp-N", line)
    line = re.sub(r"\bpid \d+|\bPID \d+", "pid N", line)
    line = re.sub(r"base/\d+/\d+", "base/N/N", line)
    return re.sub(r"block \d+", "block N", line)


class Redis(Store):
    """redis-server with an append-only file, over a socket in its folder."""

    def start(self) -> None:
        self.process = subprocess.Popen(
            [
                *("redis-server", "--port", "0", "--unixsocket", str(self.folder / "s")),
                *("--dir", str(self.folder), "--appendonly", "yes", "--appendfsync", "always"),
                *("--logfile", str(self.log), "--save", "", "--repl-diskless-load", "disabled"),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        assert wait_for(lambda: self.ask("ping") == "PONG"), self.lines()

    def ask(self, *words: str) -> str:
        done = subprocess.run(
            ["redis-cli", "-s", str(self.folder / "s"), *words],
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )
        return (done.stdout + done.stderr).strip()

    def file(self, which: str) -> str:
        """The one that it appends to."""
        (found,) = (self.folder / "appendonlydir").glob("*.incr.aof")
        return str(found)


def postgres_programs() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    return found[-1].parent if found and shutil.which("setpriv") else None


class Postgres(Store):
    """PostgreSQL with small buffers, over a socket in its folder.

    Args:
        folder: Where it keeps all.
        template: What `initdb` made, with a table, to begin with; None to make that.
    """

    def __init__(self, folder: Path, template: Path | None = None) -> None:
        super().__init__(folder)
        self._template = template

    head: ClassVar[tuple[str, ...]] = ("setpriv", f"--reuid={_USER}", "--clear-groups")

    def prepare(self) -> None:
        self.folder.chmod(0o777)
        for parent in self.folder.parents:
            if (
                parent != Path("/")
                and parent.stat().st_uid == os.getuid()
                and parent != Path("/tmp")
            ):
                parent.chmod(parent.stat().st_mode | 0o111)
        if self._template is not None:
            subprocess.run(["cp", "-a", str(self._template), str(self.data)], check=True)
            return
        programs = postgres_programs()
        assert programs is not None
        subprocess.run(
            [
                *self.head,
                str(programs / "initdb"),
                "-D",
                str(self.data),
                "-U",
                "me",
                "-A",
                "trust",
                "-N",
                "--no-locale",
                "-E",
                "UTF8",
            ],
            check=True,
            capture_output=True,
        )
        shutil.chown(self.data, _USER)

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def start(self) -> None:
        programs = postgres_programs()
        assert programs is not None
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [
                    *(
                        *self.head,
                        str(programs / "postgres"),
                        "-D",
                        str(self.data),
                        "-k",
                        str(self.folder),
                    ),
                    *("-c", "listen_addresses=", "-c", "shared_buffers=128kB"),
                    *("-c", "autovacuum=off", "-c", "max_parallel_workers=0"),
                ],
                stdout=log,
                stderr=log,
            )
        assert wait_for(lambda: self.ask("select 1") == "1", _READY_S), self.lines()

    def __exit__(self, *error: object) -> None:
        """Fast, else at once: one whose recovery fell may not listen any more."""
        assert self.process is not None
        for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
            if self.lives:
                self.process.send_signal(number)
                with suppress(subprocess.TimeoutExpired):
                    self.process.wait(_END_S)

    def file(self, which: str) -> str:
        """That of the table."""
        return str(self.data / self.ask("select pg_relation_filepath('t')"))

    def ask(self, statement: str) -> str:
        done = subprocess.run(
            ["psql", "-h", str(self.folder), "-U", "me", "-d", "postgres", "-qAtc", statement],
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )
        return (done.stdout + done.stderr).strip()
