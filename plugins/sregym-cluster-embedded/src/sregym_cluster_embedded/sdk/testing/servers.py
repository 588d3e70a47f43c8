"""What every kind of server must hold to."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import pytest
from sregym_apps.simulation import installed

from sregym_cluster_embedded.kubelet.runtime import Mount
from sregym_cluster_embedded.sdk.testing.bench import ContainerBench
from sregym_cluster_embedded.userland.process import process_of

if TYPE_CHECKING:
    from sregym_apps.simulation import ServerKind

    from sregym_cluster_embedded.userland.process import Process

_STARTS_IN_S = 120.0
# What people and port scanners type at a port.
_STRAY = (
    "",
    "\n",
    "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    "\x16\x03\x01\x02\x00",
    "'\"\\\n" * 3,
    "x" * 9000,
)


class ServerContract:
    """Set `kind` and `image`; `stores` and `asks` too for a server that keeps something.

    Attributes:
        kind: Name of the kind of server.
        image: An image of the extension that runs it: `example.com/acme:1.0`.
        data_dir: Where it keeps its data; a volume is mounted there.
        stores: What is sent over a bare connection to have it keep something.
        asks: What is sent to read that again.
    """

    kind: ClassVar[str]
    image: ClassVar[str]
    data_dir: ClassVar[str] = "/data"
    stores: ClassVar[str] = ""
    asks: ClassVar[str] = ""

    @pytest.fixture
    def described(self) -> ServerKind:
        """The kind, as it is installed."""
        return installed().kinds[self.kind]

    @pytest.fixture
    def bench(self) -> ContainerBench:
        """One container of it, in a pod `server` whose name leads there."""
        return self.made()

    def made(self) -> ContainerBench:
        """A new one; override it for a bench of another kind."""
        bench = ContainerBench.of(public=True)
        bench.name("server", "3")
        self._start(bench, 0)
        return bench

    def _start(self, bench: ContainerBench, attempt: int) -> None:
        mounts = {self.data_dir: Mount("volume", "claim-1")}
        refusal = bench.start("server", self.image, "3", attempt, mounts=mounts)
        assert refusal is None, refusal
        bench.run(_STARTS_IN_S)

    def test_it_serves(self, bench: ContainerBench) -> None:
        """Its process runs this kind, opens a port, and marks the end of its start-up."""
        process = _running(bench)
        assert process.behaviour is not None
        assert process.behaviour.kind == self.kind
        assert process.ports, "it opens no port"
        assert process.served_at is not None, "it does not mark the end of its start-up (serve)"

    def test_the_same_seed_gives_the_same_bytes(self, bench: ContainerBench) -> None:
        """Its log and what it keeps depend on nothing but the world."""
        twin = self.made()
        for one in (bench, twin):
            one.send("server", self.stores)
            one.run(60.0)
        assert bench.texts("server") == twin.texts("server")
        assert bench.world.digest() == twin.world.digest()

    @pytest.mark.parametrize("text", _STRAY)
    def test_stray_texts_do_it_no_harm(self, bench: ContainerBench, text: str) -> None:
        """Whatever is sent to its port, it answers with a text or not at all, and goes on."""
        assert isinstance(bench.send("server", text), str)
        bench.run(10.0)
        assert _running(bench).served_at is not None

    def test_copies_of_a_world_share_nothing(self, bench: ContainerBench) -> None:
        """What a server is sent in one copy is unknown in another: values are replaced, not edited."""
        nothing = bench.send("server", self.asks)
        bench.send("server", self.stores)
        before, other = bench.world.digest(), bench.fork()
        other.send("server", self.stores)
        assert bench.world.digest() == before, "a value of its tables was changed in place"
        if self.stores:
            answer = bench.send("server", self.asks)
            assert answer != nothing, "it kept nothing, or `asks` does not show it"

    def test_what_it_keeps_survives_its_container(
        self, bench: ContainerBench, described: ServerKind
    ) -> None:
        """What is durable can be described, and is the same after a restart on the same volume."""
        if not described.durable:
            return  # it promises nothing
        assert self.stores, f"{self.kind} has durable state: set `stores` and `asks`"
        empty = bench.kept()
        bench.send("server", self.stores)
        kept, answer = bench.kept(), bench.send("server", self.asks)
        assert kept != empty, "what it keeps is not described: is it kept under `storage`?"
        bench.stop("server")
        self._start(bench, 1)
        assert bench.kept() == kept
        assert bench.send("server", self.asks) == answer

    def test_what_it_keeps_ends_with_its_volume(
        self, bench: ContainerBench, described: ServerKind
    ) -> None:
        """A server on an empty volume knows nothing of another's data."""
        if not described.durable:
            return  # it keeps nothing
        empty = bench.send("server", self.asks)
        bench.send("server", self.stores)
        bench.start("second", self.image, "4", mounts={self.data_dir: Mount("volume", "claim-2")})
        bench.run(_STARTS_IN_S)
        assert bench.send("second", self.asks) == empty

    def test_it_ends_when_it_is_asked_to(self, bench: ContainerBench) -> None:
        """SIGTERM ends it within the 30 seconds that the kubelet waits, unless it says otherwise."""
        program = _running(bench).behaviour
        assert program is not None
        seconds = bench.stop("server")
        assert program.sigterm.ignored or (seconds is not None and seconds <= 30)


def _running(bench: ContainerBench) -> Process:
    process = process_of(bench.world, bench.ref("server"))
    assert process is not None
    assert process.running, f"it has ended ({bench.ended('server')}): {bench.texts('server')}"
    return process
