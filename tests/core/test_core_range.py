"""Which versions of the core a distribution says it needs."""

from __future__ import annotations

import pytest
from sregym_core.core_range import core_mismatch


@pytest.mark.parametrize(
    ("needed", "installed"),
    [
        ("", "0.1.0"),
        (">=0.1,<0.2", "0.1.0"),
        ("<0.2,>=0.1", "0.1.9"),
        ("~=0.1.3", "0.1.7"),
        ("==0.1.*", "0.1.7"),
        ("==0.1", "0.1.0"),
        ("!=0.1.1, >0.1", "0.1.2"),
        ("@ https://example.org/core.whl", "0.1.0"),
    ],
)
def test_fits(needed: str, installed: str) -> None:
    assert core_mismatch(needed, installed) == ""


@pytest.mark.parametrize(
    ("needed", "installed"),
    [
        (">=0.2", "0.1.0"),
        (">=0.1,<0.2", "0.2.0"),
        ("~=0.1.3", "0.2.0"),
        ("==0.1.*", "0.2.0"),
        ("==0.1.1", "0.1.0"),
        ("!=0.1.*", "0.1.7"),
        ("<=0.0.9", "0.1.0"),
        (">0.1.0", "0.1.0"),
    ],
)
def test_does_not_fit(needed: str, installed: str) -> None:
    assert core_mismatch(needed, installed) == (
        f"it needs sregym-core {needed}, and {installed} is installed; "
        "install a version of it that fits"
    )
