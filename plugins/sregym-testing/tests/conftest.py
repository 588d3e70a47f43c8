"""How tests of the contract kit run single checks of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sregym_testing import MemoryProvider, Provision
from sregym_testing.clusters import open_clusters


@pytest.fixture
def memory() -> Iterator[Provision]:
    """Memory clusters, closed at the end."""
    with open_clusters(MemoryProvider()) as provision:
        yield provision


@pytest.fixture
def run_check() -> Callable[..., None]:
    """Run one check of a contract with these values for its fixtures and parameters."""

    def run(contract: type[Any], name: str, **values: Any) -> None:
        function = getattr(contract, name)
        wanted = list(inspect.signature(function).parameters)[1:]
        function(contract(), **{argument: values[argument] for argument in wanted})

    return run


@pytest.fixture
def checks_of() -> Callable[[type[Any]], set[str]]:
    """Names of all checks of a contract."""

    def names(contract: type[Any]) -> set[str]:
        return {name for name in dir(contract) if name.startswith("test_")}

    return names
