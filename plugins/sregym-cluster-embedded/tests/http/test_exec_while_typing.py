"""exec with an input that is still being typed: what comes goes to the command, and so back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest
from sregym_cluster_embedded.api.request import Connect
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.http.executing import serve_exec
from sregym_cluster_embedded.http.live import LiveWorld
from sregym_cluster_embedded.kubectl import DirectAccess, run

# An answer comes within this, or does not come before the next piece.
_QUIET_S = 0.2


class Client:
    """The other end of an exec."""

    def __init__(self) -> None:
        self._typed: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._heard = asyncio.Event()
        self._out = ""
        self.code: int | None = None

    async def stdin(self) -> AsyncIterator[bytes]:
        while (piece := await self._typed.get()) is not None:
            yield piece

    async def send(self, _channel: int, data: bytes) -> None:
        self._out += data.decode()
        self._heard.set()

    async def finish(self, status: Mapping[str, Any]) -> None:
        causes = status.get("details", {}).get("causes", [{"message": "0"}])
        self.code = int(causes[0]["message"])
        self._heard.set()

    async def type(self, piece: str | None) -> str:
        """Type something, None for the end of the input; what is heard then."""
        self._heard.clear()
        await self._typed.put(None if piece is None else piece.encode())
        try:
            async with asyncio.timeout(_QUIET_S):
                await self._heard.wait()
                while self.code is None:
                    self._heard.clear()
                    await asyncio.wait_for(self._heard.wait(), _QUIET_S / 4)
        except TimeoutError:
            pass
        said, self._out = self._out, ""
        return said


@pytest.fixture(scope="module")
def live() -> LiveWorld:
    world = build(Blueprint(seed=5))
    for name, image in (("box", "busybox"), ("deb", "debian")):
        run(DirectAccess(world), ["run", name, f"--image={image}", "--", "sleep", "9999"])
    world.run_until(world.now + 20)
    return LiveWorld(world)


def typed(
    live: LiveWorld,
    pod: str,
    command: tuple[str, ...],
    pieces: tuple[str, ...],
    *,
    tty: bool = False,
) -> tuple[list[str], int | None]:
    """What is heard after each piece and after the end of the input, and the exit code."""
    options = {"command": command, "stdin": True, "tty": tty}

    async def talk() -> tuple[list[str], int | None]:
        client = Client()
        serving = asyncio.ensure_future(
            serve_exec(live, Connect("exec", "default", pod, pod, options), client)
        )
        heard = [await client.type(piece) for piece in pieces]
        if client.code is None:
            heard.append(await client.type(None))
        serving.cancel()
        return heard, client.code

    return asyncio.run(talk())


@pytest.mark.parametrize(
    ("pod", "command", "pieces", "heard", "code"),
    [
        ("box", ("cat",), ("one\n", "tw", "o\n"), ["one\n", "tw", "o\n", ""], 0),
        ("deb", ("grep", "--line-buffered", "o"), ("one\n", "x\n"), ["one\n", "", ""], 0),
        ("deb", ("grep", "o"), ("one\n", "two\n"), ["", "", "one\ntwo\n"], 0),
        ("deb", ("stdbuf", "-oL", "tr", "a-z", "A-Z"), ("a\n", "b\n"), ["A\n", "B\n", ""], 0),
        ("deb", ("sed", "-u", "s/a/b/"), ("a\n", "ca\n"), ["b\n", "cb\n", ""], 0),
        ("box", ("sort",), ("b\n", "a\n"), ["", "", "a\nb\n"], 0),
        ("box", ("head", "-n", "1"), ("a\n",), ["a\n"], 0),
        ("box", ("xargs", "-n1", "echo", "got"), ("a\n", "b\n"), ["got a\n", "got b\n", ""], 0),
        ("box", ("sh", "-c", "cat | tee /tmp/t | cat -n"), ("a\n", "b\n"), ["     1\ta\n", "     2\tb\n", ""], 0),
        ("box", ("sh", "-c", "echo first; read a; echo $a; exit 4"), ("x\n",), ["first\nx\n"], 4),
        ("box", ("sh", "-c", "while read a; do echo got $a; done; echo end; exit 3"), ("x\n", "y\n"), ["got x\n", "got y\n", "end\n"], 3),
        ("deb", ("sh",), ("read x\n", "one\n", "echo $x\n", "exit 5\n"), ["", "", "one\n", ""], 5),
        ("deb", ("bash",), ("f() { echo f $1; }\n", "f a\n", "cat\n", "one\n"), ["", "f a\n", "", "one\n", ""], 0),
        ("deb", ("bash",), ("for i in 1 2; do\n", "read l; echo $l\n", "done\n", "a\n", "b\n"), ["", "", "", "a\n", "b\n", ""], 0),
    ],
)  # fmt: skip
def test_a_command_answers_before_its_input_ends(
    live: LiveWorld,
    pod: str,
    command: tuple[str, ...],
    pieces: tuple[str, ...],
    heard: list[str],
    code: int,
) -> None:
    assert typed(live, pod, command, pieces) == (heard, code)


@pytest.mark.parametrize(
    ("command", "keys", "heard", "code"),
    [
        (("cat",), ("hi\r", "\x04"), ["hi\r\nhi\r\n", ""], 0),
        (("cat",), ("h", "\x03"), ["h", "^C\r\n"], 130),
        (("grep", "o"), ("no\r", "x\r", "\x04"), ["no\r\nno\r\n", "x\r\n", ""], 0),
        (("sh", "-c", "read x; echo got $x"), ("a\r",), ["a\r\ngot a\r\n"], 0),
    ],
)
def test_a_command_on_a_terminal_reads_lines(
    live: LiveWorld, command: tuple[str, ...], keys: tuple[str, ...], heard: list[str], code: int
) -> None:
    assert typed(live, "deb", command, keys, tty=True) == (heard, code)


def test_a_shell_on_a_terminal_goes_on_after_a_command_that_read(live: LiveWorld) -> None:
    prompt = "root@deb:/# "
    keys = ("cat\r", "a\r", "\x04", "cat\r", "\x03", "echo $?\r", "kill $$\r", "kill -9 $$\r")
    heard, code = typed(live, "deb", ("bash",), keys, tty=True)
    assert heard == [
        f"{prompt}cat\r\n", "a\r\na\r\n", prompt, "cat\r\n", f"^C\r\n{prompt}",
        f"echo $?\r\n130\r\n{prompt}", f"kill $$\r\n{prompt}", "kill -9 $$\r\n",
    ]  # fmt: skip
    assert code == 137


def test_what_a_command_does_is_done_once_and_as_its_input_comes(live: LiveWorld) -> None:
    line = "while read x; do echo $x >> /tmp/log; done; cat /tmp/log"
    assert typed(live, "box", ("sh", "-c", line), ("a\n", "b\n")) == (["", "", "a\nb\n"], 0)
    seen = []

    async def look() -> None:
        client = Client()
        options = {"command": ("tee", "/tmp/seen"), "stdin": True}
        connect = Connect("exec", "default", "box", "box", options)
        serving = asyncio.ensure_future(serve_exec(live, connect, client))
        for piece in ("a\n", "b\n"):
            await client.type(piece)
            with live.open() as world:
                done = run(DirectAccess(world), ["exec", "box", "--", "cat", "/tmp/seen"])
            seen.append(done.stdout)
        serving.cancel()

    asyncio.run(look())
    assert seen == ["a\n", "a\nb\n"]


def test_a_command_in_a_loop_that_names_a_file_leaves_the_input_alone(live: LiveWorld) -> None:
    line = (
        "printf 'a\\nb\\n' | while read x; do cat /etc/hostname; grep -c root /etc/passwd; "
        "head -n 1 /etc/group; sh -c 'echo in'; echo $x; done"
    )
    with live.open() as world:
        done = run(DirectAccess(world), ["exec", "deb", "--", "sh", "-c", line])
    assert done.stdout == "".join(f"deb\n1\nroot:x:0:\nin\n{x}\n" for x in "ab")
