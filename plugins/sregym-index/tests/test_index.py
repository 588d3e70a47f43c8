"""Index files: what is read from where, and what is wrong with them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
import yaml
from sregym_core.errors import UsageError
from sregym_index.form import Contract, Entry, Index, schema
from sregym_index.index_reader import SHIPPED, Reader, parsed

ENTRY = """\
format: 1
plugins:
- distribution: acme-sregym-dns
  summary: Faults of name resolution
  kinds: [fault]
  adds: [fault acme-dns]
  core: '>=0.1,<0.2'
  home: https://example.org/acme
  contract: {outcome: pass, contracts: [InjectorContract, PluginContract], passed: 20, failed: 0, version: 0.3.0, core: 0.1.0, date: 2026-11-02}
"""
DAY = 24 * 3600.0


class Serving(HTTPServer):
    """An index on loopback.

    Attributes:
        text: What is answered; empty answers 404.
        asked: How often it was asked.
    """

    text = ENTRY
    asked = 0


class Answering(BaseHTTPRequestHandler):
    server: Serving

    def do_GET(self) -> None:
        self.server.asked += 1
        self.send_response(200 if self.server.text else 404, None if self.server.text else "Gone")
        self.end_headers()
        self.wfile.write(self.server.text.encode())

    def log_message(self, *words: object) -> None:
        pass


@pytest.fixture
def serving() -> Iterator[Serving]:
    server = Serving(("127.0.0.1", 0), Answering)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def refused(text: str) -> str:
    with pytest.raises(UsageError) as caught:
        parsed(text, "acme.yaml")
    return str(caught.value)


def test_an_entry_is_read_whole() -> None:
    (entry,) = parsed(ENTRY, "acme.yaml").plugins
    assert entry == Entry(
        distribution="acme-sregym-dns",
        summary="Faults of name resolution",
        kinds=("fault",),
        adds=("fault acme-dns",),
        core=">=0.1,<0.2",
        home="https://example.org/acme",
        contract=Contract(
            outcome="pass",
            contracts=("InjectorContract", "PluginContract"),
            passed=20,
            failed=0,
            version="0.3.0",
            core="0.1.0",
            date="2026-11-02",
        ),
    )
    assert [entry.fits(version) for version in ("0.1.0", "0.1.9", "0.2.0")] == [True, True, False]


def test_the_shipped_index_agrees_with_form_and_schema() -> None:
    text = (files("sregym_index") / "index.yaml").read_text(encoding="utf-8")
    index, called = Reader(None, print).read("")
    assert (called, index) == (SHIPPED, parsed(text, SHIPPED))
    # Dates are texts in JSON.
    content = yaml.load(text, yaml.BaseLoader)
    numbers = {"format": int(content["format"]), "plugins": content["plugins"]}
    for entry in numbers["plugins"]:
        for field in ("passed", "failed") if "contract" in entry else ():
            entry["contract"][field] = int(entry["contract"][field])
    jsonschema.validate(numbers, schema())
    assert len(index.plugins) > 20


def test_all_words_have_to_occur() -> None:
    (entry,) = parsed(ENTRY, "acme.yaml").plugins
    assert entry.has(())
    assert entry.has(("DNS", "name resolution", "fault acme"))
    assert not entry.has(("dns", "kafka"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "plugins: [",
            "acme.yaml, line 1 is not YAML: expected the node content, but found '<stream end>'",
        ),
        (
            "[]",
            "acme.yaml is no index of plugins: an index must be a mapping, not a list",
        ),
        ("plugins: []", "acme.yaml is no index of plugins: format: missing"),
        (
            ENTRY.replace("distribution: acme-sregym-dns", "name: acme"),
            "acme.yaml is no index of plugins: entry 1 distribution: missing; entry 1 name: unknown; there are: adds, contract, core, "
            "distribution, home, kinds, summary",
        ),
        (
            ENTRY.replace("'>=0.1,<0.2'", "0.1 or so"),
            "acme.yaml is no index of plugins: acme-sregym-dns core: '0.1 or so' is no range of versions; write it as >=0.1,<0.2",
        ),
        (
            ENTRY.replace("failed: 0", "failed: 2"),
            "acme.yaml is no index of plugins: acme-sregym-dns contract: outcome 'pass' does not agree with 20 passed and 2 failed tests",
        ),
        (
            ENTRY.replace("https:", "ftp:"),
            "acme.yaml is no index of plugins: acme-sregym-dns home: must match the pattern ^(https?://.+)?$, not 'ftp://example.org/acme'",
        ),
        (
            ENTRY + ENTRY.partition("plugins:\n")[2],
            "acme.yaml is no index of plugins: acme-sregym-dns is listed twice",
        ),
        (
            ENTRY + ENTRY.partition("plugins:\n")[2].replace("acme-sregym", "acme-earlier"),
            "acme.yaml is no index of plugins: acme-earlier-dns stands behind acme-sregym-dns; entries are sorted by distribution",
        ),
    ],
)
def test_what_is_wrong_is_told_with_entry_and_field(text: str, told: str) -> None:
    assert refused(text) == told


def test_a_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "acme.yaml"
    file.write_text(ENTRY)
    assert Reader(None, print).read(str(file)) == (parsed(ENTRY, ""), str(file))


def test_a_file_that_is_not_there_or_no_text_is_told(tmp_path: Path) -> None:
    (tmp_path / "bytes.yaml").write_bytes(b"\xff\xfe")
    advice = "name a YAML file or an address, or leave --index out"
    for name, why in (
        ("none.yaml", "No such file or directory"),
        ("bytes.yaml", "it is not UTF-8"),
    ):
        with pytest.raises(UsageError) as caught:
            Reader(None, print).read(str(tmp_path / name))
        assert str(caught.value) == f"cannot read the index {tmp_path / name}: {why}; {advice}"


def test_an_address_is_asked_once_a_day(serving: Serving, tmp_path: Path) -> None:
    address = f"http://127.0.0.1:{serving.server_port}/index.yaml"
    notes: list[str] = []
    begin = Reader(tmp_path, notes.append)
    assert begin.read(address) == (parsed(ENTRY, ""), address)
    (kept,) = (tmp_path / "index").iterdir()
    at = kept.stat().st_mtime

    def later(days: float) -> Reader:
        return Reader(tmp_path, notes.append, lambda: at + days * DAY)

    serving.text = "format: 1\nplugins: []\n"
    assert later(0.9).read(address)[0] == parsed(ENTRY, "")
    assert serving.asked == 1
    assert later(0.9).read(address, refresh=True)[0] == Index(format=1, plugins=())
    assert later(1.1).read(address)[0] == Index(format=1, plugins=())
    assert (serving.asked, notes) == (3, [])


def test_a_copy_is_used_where_nobody_answers(serving: Serving, tmp_path: Path) -> None:
    address = f"http://127.0.0.1:{serving.server_port}/index.yaml"
    Reader(tmp_path, print).read(address)
    (kept,) = (tmp_path / "index").iterdir()
    serving.text = ""
    notes: list[str] = []
    reader = Reader(tmp_path, notes.append, lambda: kept.stat().st_mtime + 3 * DAY)
    assert reader.read(address)[0] == parsed(ENTRY, "")
    assert notes == [f"cannot fetch {address}: Gone; its copy of 3 days ago is used"]


def test_an_address_that_does_not_answer_is_told(serving: Serving, tmp_path: Path) -> None:
    address = f"http://127.0.0.1:{serving.server_port}/index.yaml"
    serving.text = ""
    with pytest.raises(UsageError) as caught:
        Reader(tmp_path, print).read(address)
    assert str(caught.value) == (
        f"cannot fetch the index {address}: Gone; "
        "name a file with --index, or leave it out for the one that is installed"
    )
    assert not (tmp_path / "index").exists()


def test_an_index_that_is_too_large_is_refused(serving: Serving, tmp_path: Path) -> None:
    serving.text = "x" * 8_000_001
    address = f"http://127.0.0.1:{serving.server_port}/index.yaml"
    with pytest.raises(UsageError) as caught:
        Reader(tmp_path, print).read(address)
    assert str(caught.value) == (
        f"cannot fetch the index {address}: it has more than 8,000,000 bytes; "
        "name a file with --index, or leave it out for the one that is installed"
    )
