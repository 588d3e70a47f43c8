"""`sregym up --reveal`: what is broken, for the person who asked."""

from __future__ import annotations

import json
import re
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from sregym_up.reveal import Revealed

CONTENT = {"causes": [{"sentence": "Service cart is missing.", "fix": ["kubectl apply -f -"]}]}


def test_only_who_knows_the_address_reads_it() -> None:
    with Revealed(CONTENT) as revealed:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{32}", revealed.url)
        with urlopen(revealed.url) as answer:
            assert json.loads(answer.read()) == CONTENT
            # The page that asks comes from another port.
            assert answer.headers["Access-Control-Allow-Origin"] == "*"
            assert answer.headers["Cache-Control"] == "no-store"
        with pytest.raises(HTTPError) as refused:
            urlopen(revealed.url[:-1])
        assert refused.value.code == 404
        refused.value.close()
    with pytest.raises(OSError, match="Connection refused"):
        urlopen(revealed.url)


def test_the_address_is_behind_the_dashboard_s() -> None:
    with Revealed(CONTENT) as revealed:
        port, path = revealed.url.removeprefix("http://127.0.0.1:").split("/")
        assert revealed.behind("http://127.0.0.1:8000") == (
            f"http://127.0.0.1:8000/#reveal=http%3A%2F%2F127.0.0.1%3A{port}%2F{path}"
        )
