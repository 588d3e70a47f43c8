"""Hints on what to install name what this repository offers, all of it."""

from __future__ import annotations

import packages


def test_the_file_is_up_to_date() -> None:
    assert packages.main(["--check"]) == 0
