"""Commands whose input stays open: they end when more of it makes no difference."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from sregym_cluster_embedded.api.request import Connect
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.http.live import LiveWorld
from sregym_cluster_embedded.http.stdin import entered
from sregym_cluster_embedded.kubectl import DirectAccess, run


class Typing:
    """A client that types some pieces, and then leaves or keeps its hands off the keys."""

    def __init__(self, *pieces: bytes, leaves: bool) -> None:
        self._pieces = pieces
        self._leaves = leaves

    async def stdin(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            yield piece
        if not self._leaves:
            await asyncio.Event().wait()


@pytest.fixture(scope="module")
def live(recorded_images: Any) -> LiveWorld:
    world = build(Blueprint(models=recorded_images, seed=5))
    image = "registry.example/library/busybox:1.36"
    done = run(DirectAccess(world), ["run", "box", f"--image={image}", "--", "sleep", "999"])
    assert (done.exit_code, done.stdout) == (0, "pod/box created\n")
    world.run_until(world.now + 20)
    return LiveWorld(world)


def read(live: LiveWorld, command: list[str], typing: Typing) -> str | None:
    """What a command is given; None when it would wait for more."""
    connect = Connect("exec", "default", "box", "box", {"command": tuple(command), "stdin": True})

    async def soon() -> str | None:
        try:
            async with asyncio.timeout(0.3):
                return await entered(live, connect, typing, 0)  # type: ignore[arg-type]
        except TimeoutError:
            return None

    return asyncio.run(soon())


@pytest.mark.parametrize(
    ("command", "typed", "expected"),
    [
        (["cat", "/etc/hostname"], (), ""),
        (["sh", "-c", "echo a; exit 3"], (), ""),
        (["nothing-such"], (), ""),
        (["head", "-n", "1"], (b"one\n", b"two\n"), "one\ntwo\n"),
        (["sh", "-c", "read x; echo $x"], (b"a\n",), "a\n"),
        (["tar", "xf", "-", "-C", "/tmp"], (b"\0" * 1024,), "\0" * 1024),
        (["cat"], (b"a\n",), None),
        (["head", "-n", "2"], (b"one\n",), None),
        (["sh", "-c", "cat > /tmp/x"], (b"a\n",), None),
        (["tar", "xf", "-", "-C", "/tmp"], (b"half an archive",), None),
        (["grep", "tea"], (), None),
        (["grep", "tea"], (b"tea\n",), None),
        (["grep", "-E", "^time.*t[e]a"], (b"water\n",), None),
        (["awk", '$2 == "tea"'], (b"1 tea\n",), None),
        (["sed", "-n", "s/tea/cup/p"], (b"tea\n",), None),
        (["sh", "-c", 'while read x; do [ "$x" = tea ] && echo $x; done'], (b"tea\n",), None),
    ],
)
def test_an_open_input_keeps_only_those_who_read_it(
    live: LiveWorld, command: list[str], typed: tuple[bytes, ...], expected: str | None
) -> None:
    with live.open() as world:
        before = world.digest()
    assert read(live, command, Typing(*typed, leaves=False)) == expected
    assert read(live, command, Typing(*typed, leaves=True)) == b"".join(typed).decode()
    with live.open() as world:
        assert world.digest() == before


def test_what_forks_did_is_compared(live: LiveWorld) -> None:
    with live.open() as world:
        since = world.store.revision
        one, two, three = world.fork(), world.fork(), world.fork()
        for fork, value in ((one, 1), (two, 1), (three, 2)):
            fork.table("notes")["a"] = value
        assert one.doings(since)[-1] == "notes [('a', '1')]"
        assert one.doings(since) == two.doings(since)
        assert one.doings(since) != three.doings(since)
        two.after(5, "nothing")
        assert one.doings(since) != two.doings(since)
