from __future__ import annotations

import pytest
from sregym_cel.quantity import canonical, parse


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("1", "1"),
        ("0.5", "500m"),
        ("1000m", "1"),
        ("1.5Gi", "1536Mi"),
        ("1024Ki", "1Mi"),
        ("1000k", "1M"),
        ("1024", "1024"),
        ("0", "0"),
        ("1e3", "1e3"),
        ("0.1m", "100u"),
        (2, "2"),
    ],
)
def test_a_quantity_has_one_form(given, expected):
    assert canonical(given) == expected


def test_what_is_no_quantity_is_refused():
    text = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
    with pytest.raises(ValueError) as caught:
        parse("lots")
    assert str(caught.value) == text
