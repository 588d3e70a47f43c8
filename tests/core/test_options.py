"""Values of options: what they mean, and what is said of those that mean nothing."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sregym_core.cli.options import (
    chosen_problems,
    cluster_choice,
    named_values,
    positive,
    seconds,
)
from sregym_core.cluster_choice import application_choice
from sregym_core.errors import UsageError
from sregym_testing.memory import Shop


def test_an_application_with_options() -> None:
    assert application_choice("shop") == ("shop", {})
    assert application_choice("shop:size=2,seed=7") == ("shop", {"size": "2", "seed": "7"})


def test_what_is_understood() -> None:
    assert (seconds("0.5"), positive("1")) == (0.5, 1)
    assert cluster_choice("embedded") == ("embedded", {})
    assert cluster_choice("kubeconfig:kind-a") == ("kubeconfig", {"context": "kind-a"})
    assert cluster_choice("embedded:pace=2,port=") == ("embedded", {"pace": "2", "port": ""})
    assert named_values(["a=1", "b=c=d", "e="], "--x") == {"a": "1", "b": "c=d", "e": ""}


@pytest.mark.parametrize("text", ["0", "-1", "soon", "inf", "nan"])
def test_no_number_of_seconds(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError) as refused:
        seconds(text)
    assert str(refused.value) == f"a number of seconds above 0 is needed, not {text!r}"


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "many"])
def test_no_whole_number(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError) as refused:
        positive(text)
    assert str(refused.value) == f"a whole number from 1 is needed, not {text!r}"


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (
            lambda: named_values(["command"], "--agent-option"),
            "--agent-option 'command' is not of the form name=value",
        ),
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


def test_a_problem_file_in_place_of_an_id(tmp_path: Path) -> None:
    file = tmp_path / "one.yaml"
    factory: Any = None  # nothing of it is asked where files cannot be read
    with pytest.raises(UsageError) as caught:
        chosen_problems(factory, argparse.Namespace(problems=[str(file)], suite=""))
    assert str(caught.value) == (
        f"problem file {str(file)!r} cannot be read: No such file or directory"
    )
    file.write_bytes(b"\xff")
    with pytest.raises(UsageError) as caught:
        chosen_problems(factory, argparse.Namespace(problems=[str(file)], suite=""))
    assert str(caught.value) == f"problem file {str(file)!r} cannot be read: it is not UTF-8"
