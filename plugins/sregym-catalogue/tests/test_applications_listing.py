"""`sregym applications`: sizes from manifests, and one that cannot be used beside one that can."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from sregym_core.cli import Console, first_of
from sregym_core.cli.entry import run

# As written before applications could say which kinds of servers they need.
PLUGIN = """\
from sregym_core import Registration, hookimpl
from sregym_core.errors import UsageError
from sregym_testing.memory import Shop

class Mart(Shop):
    name = "mart"

class Bazaar(Shop):
    name = "bazaar"

    def components(self):
        raise UsageError("component 'stall': no notes on this workload")

class Fair(Shop):
    name = "fair"

    def manifests(self):
        return [{}["kind"]]

class Kiosk(Shop):
    name = "stand"

@hookimpl
def sregym_register_applications():
    return [Registration("mart", Mart), Registration("bazaar", Bazaar), Registration("fair", Fair), Registration("kiosk", Kiosk)]
"""


def test_what_works_is_listed_and_what_does_not_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "acme_market.py").write_text(PLUGIN)
    info = tmp_path / "acme_market-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-market\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[sregym]\nmarket = acme_market\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("SREGYM_PLUGINS", "catalogue,market")
    out, err = io.StringIO(), io.StringIO()
    assert run(("applications", "--json"), Console(out, err)) == 0
    assert json.loads(out.getvalue()) == [
        {
            "name": "mart",
            "distribution": "acme-market",
            "workloads": 2,
            "services": 2,
            "operations": ["browse", "buy"],
            "server_kinds": [],
        }
    ]
    assert err.getvalue() == (
        "left out: application 'bazaar' of acme-market 1.0: component 'stall': no notes on this workload\n"
        "left out: application 'fair' of acme-market 1.0: KeyError: 'kind' (acme_market.py:18)\n"
        "left out: application 'kiosk' of acme-market 1.0 calls itself 'stand'; "
        "the registration and the class must agree on the name\n"
    )
    table = io.StringIO()
    assert run(("applications",), Console(table, io.StringIO())) == 0
    assert table.getvalue().split() == [
        *("APPLICATION", "DISTRIBUTION", "WORKLOADS", "SERVICES", "OPERATIONS", "SERVER", "KINDS"),
        *("mart", "acme-market", "2", "2", "browse,", "buy", "-"),
    ]


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ([], ""),
        (["buy", "browse"], "buy, browse"),
        (["a", "b", "c", "d"], "a, b, c, d"),
        (["a", "b", "c", "d", "e", "f"], "a, b, c, d and 2 more"),
    ],
)
def test_a_cell_names_the_first_few(names: list[str], text: str) -> None:
    assert first_of(names) == text
