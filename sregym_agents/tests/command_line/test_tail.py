"""Files of JSON lines, read while they are written."""

from __future__ import annotations

from pathlib import Path

from sregym_agents.command_line.tail import LINE_CAP, Tail, last_line


def test_lines_come_when_they_are_whole(tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    tail = Tail(file)
    assert list(tail.new()) == []
    with file.open("a") as output:
        output.write('{"a": 1}\n\n{"a"')
        output.flush()
        assert list(tail.new()) == [{"a": 1}]
        output.write(': 2}\n{"a": 3}')
        output.flush()
        assert list(tail.new()) == [{"a": 2}]
    assert list(tail.new(ended=True)) == [{"a": 3}]
    assert (tail.unread, tail.first_unread) == (0, "")


def test_what_is_no_object_is_counted(tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    file.write_bytes(b'Warning: \xff\n{"a": 1}\n[1, 2]\n{"cut')
    tail = Tail(file)
    assert list(tail.new(ended=True)) == [{"a": 1}]
    assert (tail.unread, tail.first_unread) == (3, "Warning: \ufffd")


def test_a_line_without_an_end_is_let_go(tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    with file.open("wb") as output:
        output.truncate(LINE_CAP + (2 << 20))
    tail = Tail(file)
    assert list(tail.new()) == []
    assert tail.unread == 1


def test_links_are_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "record.json"
    secret.write_text('{"problem": "wrong_port"}\n')
    link = tmp_path / "events.jsonl"
    link.symlink_to(secret)
    assert list(Tail(link).new()) == []


def test_what_is_nested_too_deeply_is_no_event(tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    file.write_bytes(b"[" * 200_000 + b'\n{"a": 1}\n')
    tail = Tail(file)
    assert list(tail.new()) == [{"a": 1}]
    assert (tail.unread, tail.first_unread) == (1, "[" * 200)


def test_the_last_line_of_what_may_be_endless(tmp_path: Path) -> None:
    file, link = tmp_path / "agent.log", tmp_path / "link"
    assert last_line(file) == ""
    file.write_text("first\nno \ufffd licence \n\n  \n")
    assert last_line(file) == "no \ufffd licence"
    file.write_text("x" * 600)
    assert last_line(file) == "x" * 500
    with file.open("wb") as output:
        output.write(b"early\n")
        output.seek(64 << 20)
        output.write(b"\nlate\n" + b"\n" * 1000)
    assert last_line(file) == "late"
    link.symlink_to("/dev/zero")
    assert last_line(link) == ""
