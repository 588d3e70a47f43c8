"""Every name that a promised module lists is there."""

from __future__ import annotations

from importlib import import_module

import pytest


@pytest.mark.parametrize(
    "module",
    [
        *("sregym_core", "sregym_core.api", "sregym_core.cli", "sregym_core.interfaces"),
        *("sregym_core.model", "sregym_core.policy", "sregym_kubernetes.changes", "sregym_lint"),
        *(
            "sregym_oracles",
            "sregym_promql",
            "sregym_regex",
            "sregym_rollouts",
            "sregym_runs",
            "sregym_testing",
        ),
    ],
)
def test_every_name_that_is_listed_can_be_imported(module: str) -> None:
    promised = import_module(module)
    missing = [name for name in promised.__all__ if not hasattr(promised, name)]
    assert missing == []
