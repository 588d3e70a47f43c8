"""Truth values in the queries of requests: clients write them in several ways."""

from __future__ import annotations

import pytest
from sregym_cluster_embedded.api.request import Request, Watch
from sregym_cluster_embedded.api.server import handle

MAPS = "/api/v1/namespaces/shop/configmaps"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("true", True),
        ("True", True),
        ("1", True),
        ("", True),
        ("yes", True),
        ("0", False),
        ("false", False),
        ("FALSE", False),
        (None, False),
    ],
)
def test_all_but_no_and_nothing_is_true(text, expected):
    query = () if text is None else (("follow", text),)
    assert Request("GET", "/", query).flag("follow") is expected


@pytest.mark.parametrize("text", ["true", "True", "1", ""])
def test_a_watch_is_asked_for_in_any_way(world, text):
    assert isinstance(handle(world, Request("GET", MAPS, (("watch", text),))), Watch)
