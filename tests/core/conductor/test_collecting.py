"""What an episode leaves behind for the collector of reference cycles, and when that is asked."""

from __future__ import annotations

import gc
import weakref
from typing import TYPE_CHECKING, Any

import pytest
from sregym_core.conductor.collecting import nothing_collected

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


class Ring:
    """Holds itself."""

    def __init__(self) -> None:
        self.own = self


@pytest.mark.usefixtures("no_collector")
def test_an_episode_that_was_let_go_goes_at_once(theatre: Any) -> None:
    theatre.play(lambda session: session.submit("Nothing."))
    gone = weakref.ref(theatre.player)
    theatre.player.release()
    theatre.player = None
    assert gone() is None


def test_nothing_is_collected_meanwhile() -> None:
    with nothing_collected():
        ring = weakref.ref(Ring())
        assert not gc.isenabled()
    assert gc.isenabled()
    gc.collect()
    assert ring() is None
