"""`larderctl [-h HOST] WORDS`, or statements on standard input."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.commands import WORDS, Output, ask, connect, wait_for

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.commands import Session

_USAGE = "usage: larderctl [-h host] get NAME | put NAME SECONDS JSON | count | limit [NUMBER | default]\n"


def larderctl(session: Session, words: list[str], stdin: str) -> Output:
    """The client."""
    host, rest = "127.0.0.1", words[1:]
    if rest[:1] == ["--help"]:
        return Output(0, _USAGE)
    if rest[:1] == ["-h"] and len(rest) > 1:
        host, rest = rest[1], rest[2:]
    text = " ".join(rest) if rest else stdin
    if not text.strip() or text.startswith("-"):
        return Output(64, "", _USAGE)
    target = connect(session, host, 7333, "larder")
    if target.kind == "timeout":
        wait_for(session, 10.0)
    if target.kind:
        return Output(69, "", f"larderctl: {host}: {WORDS.get(target.kind, target.kind)}\n")
    answer = ask(session, target, text)
    failed = any(line.startswith("-") for line in answer.splitlines())
    return Output(1, "", answer) if failed else Output(0, answer)
