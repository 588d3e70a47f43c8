"""Contract tests for every kind of server."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import pytest
from sregym_apps.simulation import installed

from sregym_cluster_embedded.kubelet.runtime import Mount
from sregym_cluster_embedded.sdk.testing.containers import ContainerTestbed
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
    def testbed(self) -> ContainerTestbed:
        """One container of it, in a pod `server` whose name leads there."""
        return self.made()

    def made(self) -> ContainerTestbed:
        """A new one; override it for a bench of another kind."""
        testbed = ContainerTestbed.of(public=True)
        testbed.name("server", "3")
        self._start(testbed, 0)
        return testbed

    def _start(self, testbed: ContainerTestbed, attempt: int) -> None:
        mounts = {self.data_dir: Mount("volume", "claim-1")}
        refusal = testbed.start("server", self.image, "3", attempt, mounts=mounts)
        assert refusal is None, refusal
        testbed.run(_STARTS_IN_S)

    def test_it_serves(self, testbed: ContainerTestbed) -> None:
        """Its process runs this kind, opens a port, and marks the end of its start-up."""
        process = _running(testbed)
        assert process.behaviour is not None
        assert process.behaviour.kind == self.kind
        assert process.ports, "it opens no port"
        assert process.served_at is not None, "it does not mark the end of its start-up (serve)"

    def test_the_same_seed_gives_the_same_bytes(self, testbed: ContainerTestbed) -> None:
        """Its log and what it keeps depend on nothing but the world."""
        twin = self.made()
        for one in (testbed, twin):
            one.send("server", self.stores)
            one.run(60.0)
        assert testbed.texts("server") == twin.texts("server")
        assert testbed.world.digest() == twin.world.digest()

    @pytest.mark.parametrize("text", _STRAY)
    def test_stray_texts_do_it_no_harm(self, testbed: ContainerTestbed, text: str) -> None:
        """Whatever is sent to its port, it answers with a text or not at all, and goes on."""
        assert isinstance(testbed.send("server", text), str)
        testbed.run(10.0)
        assert _running(testbed).served_at is not None

    def test_copies_of_a_world_share_nothing(self, testbed: ContainerTestbed) -> None:
        """What a server is sent in one copy is unknown in another: values are replaced, not edited."""
        nothing = testbed.send("server", self.asks)
        testbed.send("server", self.stores)
        before, other = testbed.world.digest(), testbed.fork()
        other.send("server", self.stores)
        assert testbed.world.digest() == before, "a value of its tables was changed in place"
        if self.stores:
            answer = testbed.send("server", self.asks)
            assert answer != nothing, "it kept nothing, or `asks` does not show it"

    def test_what_it_keeps_survives_its_container(
        self, testbed: ContainerTestbed, described: ServerKind
    ) -> None:
        """What is durable can be described, and is the same after a restart on the same volume."""
        if not described.durable:
            return  # it promises nothing
        assert self.stores, f"{self.kind} has durable state: set `stores` and `asks`"
        empty = testbed.kept()
        testbed.send("server", self.stores)
        kept, answer = testbed.kept(), testbed.send("server", self.asks)
        assert kept != empty, "what it keeps is not described: is it kept under `storage`?"
        testbed.stop("server")
        self._start(testbed, 1)
        assert testbed.kept() == kept
        assert testbed.send("server", self.asks) == answer

    def test_what_it_keeps_ends_with_its_volume(
        self, testbed: ContainerTestbed, described: ServerKind
    ) -> None:
        """A server on an empty volume knows nothing of another's data."""
        if not described.durable:
            return  # it keeps nothing
        empty = testbed.send("server", self.asks)
        testbed.send("server", self.stores)
        testbed.start("second", self.image, "4", mounts={self.data_dir: Mount("volume", "claim-2")})
        testbed.run(_STARTS_IN_S)
        assert testbed.send("second", self.asks) == empty

    def test_it_ends_when_it_is_asked_to(self, testbed: ContainerTestbed) -> None:
        """SIGTERM ends it within the 30 seconds that the kubelet waits, unless it says otherwise."""
        program = _running(testbed).behaviour
        assert program is not None
        seconds = testbed.stop("server")
        assert program.sigterm.ignored or (seconds is not None and seconds <= 30)


def _running(testbed: ContainerTestbed) -> Process:
    process = process_of(testbed.world, testbed.ref("server"))
    assert process is not None
    assert process.running, f"it has ended ({testbed.ended('server')}): {testbed.texts('server')}"
    return process
