"""Parts of the agent that need no machine: tables, shares, scopes, the journal."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from sregym_nodes.agent import facts, files, mapper, registry, strace, tables
from sregym_nodes.agent.journal import Entry, Journal
from sregym_nodes.agent.refusal import Refusal
from sregym_nodes.agent.scope import Scope
from sregym_nodes.agent.tables import Segment
from sregym_nodes.bundle import bundle

TABLE = "0 80 linear 7:0 16\n80 80 linear 7:1 0\n"


def bad(segment: Segment) -> Segment:
    return Segment(segment.start, segment.length, "error", ())


@pytest.mark.parametrize(
    ("blocks", "cut"),
    [
        ([(0, 0)], "0 8 error|8 72 linear 7:0 24|80 80 linear 7:1 0"),
        ([(9, 10)], "0 72 linear 7:0 16|72 8 error|80 8 error|88 72 linear 7:1 8"),
        ([(19, 19)], "0 80 linear 7:0 16|80 72 linear 7:1 0|152 8 error"),
        (
            [(1, 1), (3, 4)],
            "0 8 linear 7:0 16|8 8 error|16 8 linear 7:0 32|24 16 error|40 40 linear 7:0 56|80 80 linear 7:1 0",
        ),
        (
            [(1, 2), (2, 3)],
            "0 8 linear 7:0 16|8 16 error|24 8 error|32 48 linear 7:0 48|80 80 linear 7:1 0",
        ),
    ],
)
def test_blocks_are_cut_out(blocks: list[tuple[int, int]], cut: str) -> None:
    found = tables.cut(tables.parse(TABLE), blocks, bad)
    assert "|".join(map(str, found)) == cut
    assert sum(segment.length for segment in found) == 160


@pytest.mark.parametrize(
    ("now", "ours"),
    [
        (TABLE, True),
        ("0 80 linear 7:0 16 \n80 80 linear 7:1 0 0\n", True),
        ("0 80 linear 7:0 16\n", False),
        ("0 80 linear 7:0 24\n80 80 linear 7:1 0\n", False),
        ("", False),
    ],
)
def test_a_table_is_ours_whatever_the_kernel_adds(now: str, ours: bool) -> None:
    assert tables.is_of(now, TABLE) is ours


@pytest.mark.parametrize(
    ("share", "seconds"),
    [(0.5, (1, 1)), (0.3, (7, 3)), (0.25, (3, 1)), (1.0, (0, 1)), (0.9, (1, 9))],
)
def test_shares_of_time(share: float, seconds: tuple[int, int]) -> None:
    assert mapper.seconds(share) == seconds


@pytest.mark.parametrize(("share", "step"), [(1.0, 1), (0.5, 2), (0.3, 3), (0.01, 100)])
def test_shares_of_calls(share: float, step: int) -> None:
    assert strace._step({"share": share}) == step


def test_back_ends_are_found_by_what_the_table_says_of_them() -> None:
    """It tells names and kinds, so that nothing has to be loaded for those that are not meant."""
    for kind, lines in registry.BACKENDS.items():
        for name, _, _ in lines:
            assert (registry.named(name).name, kind in registry.named(name).kinds) == (name, True)


def test_what_is_not_meant_is_not_loaded(tmp_path: Path) -> None:
    """Each command on a node is a start of the agent: relays and disks are for whoever asks for them."""
    (tmp_path / "agent.zip").write_bytes(bundle().content)
    look = (
        "import sys; sys.path.insert(0, sys.argv.pop()); from nodectl import main, registry; "
        "registry.fitting({'kind': 'calls', 'call': 'read'}); "
        "print(*sorted(set(sys.modules) & {'asyncio', 'tempfile', 'nodectl.prepared', 'nodectl.strace'}))"
    )
    words = [sys.executable, "-I", "-S", "-c", look, str(tmp_path / "agent.zip")]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["nodectl.strace"]


def test_back_ends_are_in_order_of_preference() -> None:
    asks = [
        {"kind": "calls"},
        {"kind": "disk", "mode": "bad"},
        {"kind": "disk", "mode": "corrupt"},
        {"kind": "load", "what": "cpu"},
        {"kind": "load", "what": "network"},
        {"kind": "link", "delay_ms": 1},
        {"kind": "link", "rate_mbit": 1},
        {"kind": "link", "duplicated": 0.1},
    ]
    assert [[one.name for one in registry.fitting(ask)] for ask in asks] == [
        ["strace"],
        ["dm-dust", "dm-error", "fuse-disk"],
        ["dm-copy", "fuse-disk"],
        ["stress-ng", "processes"],
        ["processes"],
        ["netem", "relay"],
        ["netem", "tbf", "relay"],
        ["netem"],
    ]


@pytest.mark.parametrize(
    ("ask", "backend", "message"),
    [
        ({"kind": "magic"}, "auto", "no back end is for magic"),
        ({"kind": "calls"}, "dm-dust", "no back end is for calls by 'dm-dust'"),
    ],
)
def test_what_no_back_end_is_for(ask: dict[str, str], backend: str, message: str) -> None:
    with pytest.raises(Refusal) as caught:
        registry.fitting(ask, backend)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("pid", "path", "message"),
    [
        (0, "/no/such", "process 1 has no file /no/such; name one that it sees"),
        (2**22 + 1, "", "process 4194305 has no file on a volume; name one that it sees"),
    ],
)
def test_a_file_that_there_is_not(pid: int, path: str, message: str) -> None:
    with pytest.raises(Refusal) as caught:
        files.file_seen_by_process(pid, path)
    assert str(caught.value) == message


def test_the_journal(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    with journal.locked():
        entry = Entry(
            ident=journal.next_ident(), ask={"key": "a"}, owner="me", backend="strace", until=9.0
        )
        journal.write(entry)
        journal.write(
            Entry(
                ident=journal.next_ident(),
                ask={"key": "b"},
                owner="me",
                backend="strace",
                until=9.0,
            )
        )
    assert [(one.ident, one.key, one.phase) for one in journal.entries()] == [
        ("1", "a", "intent"),
        ("2", "b", "intent"),
    ]
    assert journal.change("1", phase="applied", state={"x": 1}).state == {"x": 1}
    journal.remove("1")
    journal.remove("1")
    assert [one.key for one in journal.entries()] == ["b"]
    assert not entry.is_held
    with pytest.raises(LookupError) as caught:
        journal.change("1", phase="applied")
    assert str(caught.value) == "change 1 is not in the journal"


def test_processes_that_are_gone_have_no_start() -> None:
    assert facts.started(2**22 + 1) == 0


def test_a_folder_that_goes_away_is_empty(tmp_path: Path) -> None:
    """Those of processes and control groups do, between a look at what is above and one inside."""
    (tmp_path / "here").mkdir()
    assert facts.inside(tmp_path) == [tmp_path / "here"]
    assert facts.inside(tmp_path / "gone") == []


def test_children_that_come_and_go_are_found() -> None:
    busy = "while :; do true & true & wait; done"
    with subprocess.Popen(["sh", "-c", busy]) as process:
        try:
            looks = [Scope({"pids": [process.pid]}).pids() for _ in range(600)]
        finally:
            process.kill()
    assert all(process.pid in look for look in looks)
    assert max(map(len, looks)) > 1
