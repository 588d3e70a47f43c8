"""A process that has imported what commands need and forks one for each: no command imports it again.

Half of what a short command takes is the start of the interpreter and its imports. `ForkServer` starts
this module once; for each command the server forks, and the child runs it as `python -m sregym_core`
would. What one child imported, or processes that it forked, the server imports before it forks the
next one. It runs nothing but imports, in one thread. Commands share its hash seed; an environment that tells the interpreter
something (`PYTHONPATH`, `PYTHONHASHSEED`) needs a process of its own.
"""

from __future__ import annotations

import gc
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import IO

# Of what a child imported, the modules of distributions of SREGym; what they import comes along.
_OURS = "sregym_"
_FRAME = 8


class ForkServer:
    """Where commands of one session of tests are forked from; started by the first of them."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None

    @property
    def pid(self) -> int | None:
        """Of its process; None while there is none."""
        return None if self._process is None else self._process.pid

    @staticmethod
    def can_run(environment: Mapping[str, str]) -> bool:
        """Whether a command with this environment can be forked, here."""
        told = any(name.startswith("PYTHON") for name in environment)
        return hasattr(os, "pidfd_open") and not told

    def run(
        self,
        words: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        stdin: str,
        timeout_s: float,
    ) -> tuple[int, str, str]:
        """Run `sregym` with these words to its end; exit code, standard output and standard error.

        Raises:
            subprocess.TimeoutExpired: It took longer; it is killed.
        """
        with (
            tempfile.TemporaryFile() as given,
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as err,
        ):
            given.write(stdin.encode())
            given.seek(0)
            mine, its = socket.socketpair()
            with mine, its:
                order = {"words": list(words), "folder": str(folder), "env": dict(environment)}
                streams = [file.fileno() for file in (given, out, err)]
                self._ask(order, [its.fileno(), *streams])
                its.close()
                code = _awaited(mine, words, timeout_s)
            return code, _text(out), _text(err)

    def start(
        self, words: Sequence[str], folder: Path, environment: Mapping[str, str]
    ) -> ForkedCommand:
        """Run `sregym` with these words in a session of its own, and go on meanwhile."""
        mine, its = socket.socketpair()
        out, out_end = os.pipe()
        err, err_end = os.pipe()
        order = {"words": list(words), "folder": str(folder), "env": dict(environment)}
        with its, tempfile.TemporaryFile() as given:
            self._ask({**order, "session": True}, [its.fileno(), given.fileno(), out_end, err_end])
        os.close(out_end)
        os.close(err_end)
        told = os.fdopen(out, encoding="utf-8")
        complained = os.fdopen(err, encoding="utf-8")
        return ForkedCommand(int(_line(mine)), tuple(words), told, complained, mine)

    def close(self) -> None:
        """End the server; what it has forked goes on."""
        if self._process is not None and self._socket is not None:
            self._socket.close()
            self._process.wait()
            self._process = self._socket = None

    def _ask(self, order: Mapping[str, Any], files: Sequence[int]) -> None:
        if self._socket is None:
            self._socket, its = socket.socketpair()
            with its:
                self._process = subprocess.Popen(
                    [sys.executable, "-P", __file__, str(its.fileno())],
                    pass_fds=[its.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                )
        content = json.dumps(order).encode()
        socket.send_fds(self._socket, [len(content).to_bytes(_FRAME, "big")], list(files))
        self._socket.sendall(content)


@dataclass
class ForkedCommand:
    """A command that goes on meanwhile; it is used as a `subprocess.Popen` of it would be.

    Attributes:
        pid: Of its process, which leads a process group.
        args: Words behind `sregym`.
        stdout: What it prints.
        stderr: What it says of errors.
    """

    pid: int
    args: tuple[str, ...]
    stdout: IO[str]
    stderr: IO[str]
    _answers: socket.socket = field(repr=False)
    _code: int | None = None

    def poll(self) -> int | None:
        """Its exit code; None while it runs."""
        with suppress(subprocess.TimeoutExpired):
            return self.wait(0.0)
        return None

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; the exit code.

        Raises:
            subprocess.TimeoutExpired: It took longer, and goes on.
        """
        if self._code is None:
            if not select.select([self._answers], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(["sregym", *self.args], timeout or 0.0)
            with self._answers:
                self._code = int(_line(self._answers))
        return self._code

    def send_signal(self, number: int) -> None:
        """Send it a signal; nothing after its end, when another process may have its number."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)


def _line(answers: socket.socket) -> bytes:
    """A line that the server says, and no byte more: `select` tells whether there is another one."""
    found = b""
    while not found.endswith(b"\n"):
        byte = answers.recv(1)
        if not byte:
            raise EOFError("the server of forks has ended")
        found += byte
    return found


def _awaited(answers: socket.socket, words: Sequence[str], timeout_s: float) -> int:
    """The exit code that the server tells, as `subprocess` has it: that of a signal is negative."""
    with answers.makefile("r", encoding="ascii") as lines:
        pid = int(lines.readline())
        answers.settimeout(timeout_s)
        try:
            return int(lines.readline())
        except TimeoutError:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            raise subprocess.TimeoutExpired(["sregym", *words], timeout_s) from None


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode().replace("\r\n", "\n")


@dataclass(frozen=True)
class _Child:
    """A command that runs: its process, who is told of its end, and where it writes what it imports."""

    pid: int
    answers: socket.socket
    imported: IO[bytes]

    def ended(self) -> list[str]:
        """Tell its exit code; what it has imported."""
        _, status = os.waitpid(self.pid, 0)
        with self.answers, suppress(OSError):
            self.answers.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))
        with self.imported:
            self.imported.seek(0)
            return self.imported.read().decode().split()


def serve(orders: socket.socket) -> None:
    """Fork a process for each order that comes, until the other end is closed."""
    children: dict[int, _Child] = {}
    names: list[str] = []
    waiting = select.poll()
    waiting.register(orders, select.POLLIN)
    while True:
        for number, _ in waiting.poll():
            if number in children:
                waiting.unregister(number)
                os.close(number)
                names += children.pop(number).ended()
                continue
            frame, files, _, _ = socket.recv_fds(orders, _FRAME, 4)
            if not frame:
                return
            _import(names)
            names.clear()
            child = _forked(_content(orders, int.from_bytes(frame, "big")), files, orders)
            followed = os.pidfd_open(child.pid)
            children[followed] = child
            waiting.register(followed, select.POLLIN)


def _import(names: Sequence[str]) -> None:
    """Import what children had to import: not before it is known that there is another one."""
    for name in names:
        if name not in sys.modules:
            with suppress(Exception):
                import_module(name)
    # What is there by now is looked at by no collection of a child, which would copy it.
    gc.collect()
    gc.freeze()


def _content(orders: socket.socket, size: int) -> dict[str, Any]:
    with orders.makefile("rb", buffering=0) as stream:
        text = b""
        while len(text) < size:
            text += stream.read(size - len(text)) or b""
    found: dict[str, Any] = json.loads(text)
    return found


def _forked(order: Mapping[str, Any], files: Sequence[int], orders: socket.socket) -> _Child:
    answers = socket.socket(fileno=files[0])
    imported = tempfile.TemporaryFile()  # noqa: SIM115 - read when the child has ended
    pid = os.fork()
    if pid == 0:
        orders.close()
        if order.get("session"):
            os.setsid()
        # Told by itself, when it has its session: who knows the process may signal its group.
        answers.sendall(b"%d\n" % os.getpid())
        answers.close()
        _run(order, files[1:], imported)
    for file in files[1:]:
        os.close(file)
    return _Child(pid, answers, imported)


def _run(order: Mapping[str, Any], streams: Sequence[int], imported: IO[bytes]) -> None:
    """In a child: be what `python -m sregym_core` with these words is, and end."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.environ.clear()
    os.environ.update(order["env"])
    os.chdir(order["folder"])
    sys.path.insert(0, order["folder"])
    tempfile.tempdir = None
    sys.meta_path.insert(0, _Imports(imported.fileno()))
    with tempfile.TemporaryFile("w+", encoding="utf-8") as handed:
        # As a command line that is hidden hands its words over, without a new interpreter.
        json.dump(order["words"], handed)
        handed.seek(0)
        sys.argv = ["sregym_core", f"@{os.dup(handed.fileno())}"]
    code: Any = 1
    try:
        runpy.run_module("sregym_core", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        code = end.code
    except BaseException:
        sys.excepthook(*sys.exc_info())
    _leave(code)


class _Imports:
    """Finder that finds nothing: it notes down what a command looks for, and the workers it forks.

    Those are often ended by force: what they imported is written down at once.
    """

    def __init__(self, file: int) -> None:
        self._file = file

    def find_spec(self, name: str, _path: object, _target: object = None) -> None:
        """Note a module of SREGym, unless it is run and not imported."""
        if name.startswith(_OURS) and not name.endswith(".__main__"):
            with suppress(OSError):  # a worker has closed what it inherited
                os.write(self._file, f"{name}\n".encode())


def _leave(code: Any) -> None:
    """End as an interpreter does: threads, exit functions, what nothing refers to any more, streams."""
    import atexit
    import threading

    shut_down = getattr(threading, "_shutdown", None)
    if shut_down is not None:
        shut_down()
    run_functions = getattr(atexit, "_run_exitfuncs", None)
    if run_functions is not None:
        run_functions()
    gc.collect()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code if isinstance(code, int) else 0 if code is None else 1)


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[1])) as place:
        serve(place)
