"""Copies share nothing that can be changed."""

from __future__ import annotations

from typing import Any

from sregym_kubernetes.copying import copied


def test_a_copy_is_equal_and_shares_no_dict_and_no_list() -> None:
    shared = {"port": 80}
    original: dict[str, Any] = {"ports": [shared, shared], "name": "x", "on": True, "none": None}
    copy = copied(original)
    assert copy == original
    copy["ports"][0]["port"] = 81
    copy["ports"].append(1)
    assert original == {"ports": [shared, shared], "name": "x", "on": True, "none": None}
    assert (shared, copy["ports"][1]) == ({"port": 80}, {"port": 80})
