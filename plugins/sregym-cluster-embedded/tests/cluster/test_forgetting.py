"""Worlds that nobody has any more are gone at once, without a run of the garbage collector."""

from __future__ import annotations

import gc
import weakref
from typing import TYPE_CHECKING

import pytest
from sregym_cluster_embedded.assembly import Blueprint, build

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _no_collector() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


def test_a_world_and_its_forks() -> None:
    world = build(Blueprint())
    world.run_until(120)
    fork = world.fork(1)
    fork.run_until(240)
    gone = [weakref.ref(world), weakref.ref(fork)]
    del world
    assert [reference() is None for reference in gone] == [True, False]
    del fork
    assert [reference() is None for reference in gone] == [True, True]
