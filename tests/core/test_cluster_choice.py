"""How clusters and applications are named, with options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sregym_core.cluster_choice import application_choice, cluster_choice
from sregym_core.errors import UsageError
from sregym_testing.memory import Shop


def test_an_application_with_options() -> None:
    assert application_choice("shop") == ("shop", {})
    assert application_choice("shop:size=2,seed=7") == ("shop", {"size": "2", "seed": "7"})


def test_what_is_understood() -> None:
    assert cluster_choice("embedded") == ("embedded", {})
    assert cluster_choice("kubeconfig:kind-a") == ("kubeconfig", {"context": "kind-a"})
    assert cluster_choice("embedded:pace=2,port=") == ("embedded", {"pace": "2", "port": ""})


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (
            lambda: cluster_choice("embedded:=1"),
            "--cluster 'embedded:=1': '=1' is not of the form key=value",
        ),
        (
            lambda: application_choice("shop:large"),
            "application 'shop:large': 'large' is not of the form key=value",
        ),
        (
            lambda: Shop().with_options({"size": "2", "seed": "7"}),
            "application 'shop' takes no options, and size, seed was given; name it alone: shop",
        ),
    ],
)
def test_no_pair(read: Callable[[], Any], message: str) -> None:
    with pytest.raises(UsageError) as refused:
        read()
    assert str(refused.value) == message
