"""The clock of the server, read through its `Date`."""

from __future__ import annotations

import math

from sregym_cluster_kubernetes.clock import ServerClock


class Server:
    """A server whose time runs `pace` times as fast as the wall clock, from `start`."""

    def __init__(self, start: float, pace: float = 1.0) -> None:
        self.wall = 50.0
        self.pace = pace
        self.reads = 0
        self._start = start - pace * self.wall

    @property
    def time(self) -> float:
        return self._start + self.pace * self.wall

    def read(self) -> float:
        """As a `Date` header says it: whole seconds."""
        self.reads += 1
        return float(math.floor(self.time))

    def pause(self, seconds: float) -> None:
        self.wall += seconds

    def clock(self, pace: float = 1.0) -> ServerClock:
        return ServerClock(self.read, pace, lambda: self.wall, self.pause)


def test_it_says_what_the_server_says() -> None:
    server = Server(start=1_000_000.0)
    clock = server.clock()
    assert clock.now() == 1_000_000.0
    server.pause(12.5)
    assert clock.now() == 1_000_012.5
    assert server.reads == 1


def test_it_looks_again_before_it_drifts() -> None:
    server = Server(start=1_000_000.0, pace=1.1)
    clock = server.clock()
    server.pause(1_000.0)
    assert abs(clock.now() - server.time) <= 1.0
    assert server.reads == 2


def test_advancing_waits_for_a_server_that_lags() -> None:
    server = Server(start=1_000_000.0, pace=20.0)
    clock = server.clock(pace=60.0)
    clock.advance(120.0)
    assert server.time >= 1_000_119.0
    assert abs(clock.now() - server.time) <= 1.0


def test_it_never_goes_back() -> None:
    server = Server(start=1_000_000.0, pace=1.0)
    clock = server.clock(pace=60.0)
    server.pause(0.4)
    before = clock.now()
    server.pause(2.0)
    assert (before, clock.now()) == (1_000_024.0, 1_000_024.0)


def test_waiting_for_a_condition() -> None:
    server = Server(start=1_000_000.0)
    clock = server.clock()
    assert clock.wait_until(lambda: server.time >= 1_000_010.0, 60.0, 4.0) is True
    assert server.time == 1_000_012.0
    assert clock.wait_until(lambda: False, 5.0, 2.0) is False
    assert clock.wait_until(lambda: True, 0.0) is True


def test_a_server_that_does_not_say() -> None:
    wall = [100.0]

    def pause(seconds: float) -> None:
        wall[0] += seconds

    clock = ServerClock(lambda: None, 2.0, lambda: wall[0], pause)
    before = clock.now()
    clock.advance(10.0)
    assert (clock.now() - before, wall[0]) == (10.0, 105.0)
