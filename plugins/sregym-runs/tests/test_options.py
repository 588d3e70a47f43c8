"""Values of options: what they mean, and what is said of those that mean nothing."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pytest
from sregym_core.errors import UsageError
from sregym_core.model import FaultRef, Problem
from sregym_core.model.suites import noise_level_of
from sregym_runs.options import (
    chosen_problems,
    named_values,
    noise_levels,
    positive,
    seconds,
    with_noise_options,
)


def test_what_is_understood() -> None:
    assert (seconds("0.5"), positive("1")) == (0.5, 1)
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


def test_no_pair() -> None:
    with pytest.raises(UsageError) as refused:
        named_values(["command"], "--agent-option")
    assert str(refused.value) == "--agent-option 'command' is not of the form name=value"


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


def test_levels_of_a_command_line() -> None:
    assert noise_levels("2") == (2,)
    assert noise_levels("0,3") == (0, 3)
    assert noise_levels("0..3") == (0, 1, 2, 3)
    with pytest.raises(argparse.ArgumentTypeError) as refused:
        noise_levels("2,9")
    assert str(refused.value) == "a level from 0 to 3 is needed, not '9'"
    with pytest.raises(argparse.ArgumentTypeError) as refused:
        noise_levels("3..1")
    assert str(refused.value) == "levels from low to high are needed, not '3..1'"


def test_the_command_line_goes_before_the_suite_and_the_suite_before_the_problem() -> None:
    assert noise_level_of("upstream-noisy") == 2
    assert noise_level_of("hard") is None

    fault = FaultRef(fault="port", target="cart")
    problem = Problem(
        id="p",
        title="P",
        application="shop",
        layer="kubernetes",
        faults=(fault,),
        noise_level=1,
    )

    def noisy(named: list[str], level: int | None, suite: str) -> tuple[tuple[str, ...], int]:
        (found,) = with_noise_options((problem,), named, level, suite)
        return found.noise, found.noise_level

    assert noisy([], None, "") == ((), 1)
    assert noisy([], None, "hard") == ((), 1)
    assert noisy([], None, "upstream-noisy") == ((), 2)
    assert noisy([], 0, "upstream-noisy") == ((), 0)
    assert noisy(["cpu"], None, "upstream-noisy") == (("cpu=1",), 1)
