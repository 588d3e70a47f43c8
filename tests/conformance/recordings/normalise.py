"""Makes two recordings of one scenario comparable: what differs from run to run is masked.

    python normalise.py FILE            prints a recording, masked
    python normalise.py FILE OTHER      prints how two recordings differ; ends with 1 when they do

What is masked stands in README.md beside this file. Addresses, node ports and nodes that a
scenario's own input names are not: it says which ones it expects.
"""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml

# Letters and digits of which Kubernetes makes suffixes and hashes: none that could spell a word.
_RANDOM = "[bcdfghjklmnpqrstvwxz2456789]"
_SPAN = r"(?:<unknown>|<invalid>|(?:\d+(?:ms|[smhdy]))+)"
_ADDRESS = r"(?:\d{1,3}\.){3}\d{1,3}"
_NODE_PORT = r"\b3[0-2]\d{3}"
_CLOCK = r"\d\d:\d\d:\d\d"
_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"

# In this order: a longer form has to go before one that is part of it.
_IDENTIFIERS = (
    (r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "<uid>"),
    (r"\beyJ[\w-]+(?:\.[\w-]+){2}", "<token>"),
    (r"(?<=sha256:)[0-9a-f]{64}", "<digest>"),
    (r"\b(?:[0-9a-f]{64}|[0-9a-f]{32})\b", "<id>"),
    (r"[A-Za-z0-9+/]{100,}={0,2}", "<base64>"),
    (r"-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----", "<certificate>"),
)
_MOMENTS = (
    (rf"\b\d{{4}}-\d\d-\d\d[T ]{_CLOCK}(?:\.\d+)?(?:Z| ?[+-]\d\d:?\d\d)?", "<time>"),
    (rf"\b\w{{3}}, \d\d \w{{3}} \d{{4}} {_CLOCK} (?:[+-]\d{{4}}|GMT)", "<time>"),
    (rf"(?m)^[EWI]\d{{4}} {_CLOCK}\.\d+ +\d+ ", "<klog> "),
    (rf"\b{_MONTH} [ \d]\d (?:\d\d:\d\d| \d{{4}})\b", "<time>"),
    (r"(?<=\.\.)\d{4}(?:_\d\d){5}\.\d+", "<time>"),
)
_REVISIONS = (
    (r'(resourceVersion\\*"?: ?)(?:\\*")?\d+(?:\\*")?', r"\1<rv>"),
    (r"(Resource ?Version: +|ResourceVersion in record \()\d+", r"\1<rv>"),
    (r"(too old resource version: \d+ \()\d+", r"\1<rv>"),
    (r"(Too large resource version: \d+, current: )\d+", r"\1<rv>"),
    (r"(resource version to be \d+, was )\d+", r"\1<rv>"),
)
_AGES = (
    (rf"(?m)(?<=  ){_SPAN}$|^{_SPAN}(?=  )", "<age>"),
    (r"(?<=Terminating \(lasts )[^)]+", "<age>"),
    (rf"(\(x)\d+( over ){_SPAN}", r"\1<n>\2<age>"),
    (rf"\b(\d+) \({_SPAN} ago\)", r"\1 (<age> ago)"),
    (rf"(?m)^( +(?:Normal|Warning) +\S+ +){_SPAN}(?: \(x<n> over <age>\))?( +)", r"\1<age>\2"),
    (r"(?m)^(Duration:\s+)\S+", r"\1<age>"),
    (r"(back-off )(?:\d+m)?\d+s(?= restarting)", r"\1<age>"),
)
_MACHINE = (
    (r"(?m)((?:Kernel Version|OS Image|kernelVersion|osImage)\"?: +)[^\n,]*", r"\1<os>"),
    (r'(\bcount: |"count": ?)\d+', r"\1<n>"),
)
_NAMES = (
    (rf"(?<=-){_RANDOM}{{7,10}}-{_RANDOM}{{5}}(?![a-zA-Z0-9])", "<hash>-<rand>"),
    (rf"(?<=-)\d{{8}}(?:-{_RANDOM}{{5}})?\b", "<minute>"),
    (rf"(?<=-){_RANDOM}{{8,10}}\b", "<hash>"),
    (r"((?:pod-template|controller-revision)-hash[=:] ?\"?)[\w-]+", r"\1<hash>"),
    (rf"(?<=-){_RANDOM}{{5}}(?![a-zA-Z0-9])", "<rand>"),
    (r"(?<=\.)1[89][0-9a-f]{14}\b", "<event>"),
    (r"(/tmp/[A-Za-z-]+?)-?\d{6,}", r"\1-<n>"),
)
_SIZES = (
    (r"\b\d{7,}(?=Ki\b|\b)", "<n>"),
    (r"(?<=:)[0-9.]+[KMGTPE]?i?(?= used| avail)", "<n>"),
)
_LINK_LOCAL = ((r"\bfe80::[0-9a-f:]+", "<ip>"),)


def _compiled(*groups: tuple[tuple[str, str], ...]) -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(pattern), mask) for group in groups for pattern, mask in group]


_BEFORE_PORTS = _compiled(_IDENTIFIERS, _MOMENTS, _REVISIONS, _LINK_LOCAL, _AGES, _MACHINE, _NAMES)
_AFTER_PORTS = _compiled(_SIZES)
_PEER = re.compile(rf"(?<=\[::ffff:){_ADDRESS}\]:\d+")

# Columns whose cells are masked, wherever in a table they stand.
_OF_TIME = {"AGE", "LAST SEEN", "FIRST SEEN", "DURATION", "LAST SCHEDULE", "REQUESTEDDURATION"}
_OF_MACHINE = {"COUNT": "<n>", "OS-IMAGE": "<os>", "KERNEL-VERSION": "<os>"}
_HEADER = re.compile(r"[A-Z][A-Z0-9()/%-]*(?: [A-Z]+)?(?:\s{2,}[A-Z<]|\s*$)")


def steps(recording: dict[str, Any]) -> list[tuple[str, int, str, bool]]:
    """(command, exit code, masked streams, whether the text varies) of each step with a command."""
    given = "\n".join(_inputs(recording))
    return [
        (step["run"], step["rc"], _streams(step, given), bool(step.get("varies")))
        for step in recording["steps"]
        if "run" in step
    ]


def mask(text: str, given: str = "") -> str:
    """A text with what differs from run to run masked, but for what `given` names."""
    text = _columns_masked(text)
    for pattern, replacement in _BEFORE_PORTS:
        text = pattern.sub(replacement, text)
    text = re.sub(
        rf"{_NODE_PORT}\b", _unless_in(re.findall(rf"{_NODE_PORT}\b", given), "<port>"), text
    )
    for pattern, replacement in _AFTER_PORTS:
        text = pattern.sub(replacement, text)
    text = _PEER.sub("<ip>]:<port>", text)
    # Loopback, the unspecified address and the cluster's own two Services are the same everywhere.
    named = _unless_in(re.findall(_ADDRESS, given), "<ip>", ("127.", "0.0", "10.96.0.1"))
    text = re.sub(_ADDRESS, named, text)
    if re.search(r"\bnode[12]\b", given) is None:
        text = re.sub(r"\bnode[12]\b", "<node>", text)
    squeezed = (re.sub(r"(?<=\S)[ \t]{2,}", "  ", line).rstrip() for line in text.split("\n"))
    return _lines_sorted(_parts_sorted("\n".join(_rows_sorted(list(squeezed)))))


def _inputs(recording: dict[str, Any]) -> Iterator[str]:
    for step in recording["steps"]:
        yield step.get("run", "")
        yield step.get("stdin", "")
        yield from step.get("files", {}).values()


def _streams(step: dict[str, Any], given: str) -> str:
    errors = mask(step["stderr"], given)
    return mask(step["stdout"], given) + (f"--- stderr\n{errors}" if errors else "")


def _unless_in(
    named: list[str], replacement: str, beginnings: tuple[str, ...] = ()
) -> Callable[[re.Match[str]], str]:
    """A replacement that leaves what is named, and what begins like one of these."""

    def replaced(match: re.Match[str]) -> str:
        found = match[0]
        kept = found in named or (beginnings and found.startswith(beginnings))
        return found if kept else replacement

    return replaced


def _columns(line: str) -> list[tuple[str, int]]:
    """Name and beginning of each column when this is the header of a table; else nothing."""
    if line != line.upper() or _HEADER.match(line) is None:
        return []
    found = [(cell[0], cell.start()) for cell in re.finditer(r"\S+(?: \S+)*", line)]
    return found if len(found) > 1 else []


def _columns_masked(text: str) -> str:
    """Cells of time and of the machine masked by the header that they stand under."""
    masked: list[str] = []
    columns: list[tuple[str, int]] = []
    for line in text.split("\n"):
        header = _columns(line)
        columns = header or columns
        masked.append(line if header or not line.strip() else _row_masked(line, columns))
    return "\n".join(masked)


def _row_masked(line: str, columns: list[tuple[str, int]]) -> str:
    end = len(line)
    for name, begin in reversed(columns):
        cell = line[begin:end].strip()
        of_time = name in _OF_TIME and re.match(_SPAN, cell)
        replacement = "<age>" if of_time else _OF_MACHINE.get(name)
        if cell and replacement:
            line = f"{line[:begin]}{replacement}  {line[end:]}"
        end = begin
    return line


def _rows_sorted(lines: list[str]) -> Iterator[str]:
    """Rows that stand in the order of generated names or of time, in an order of their own."""
    rows: list[str] = []
    # What the rows are: of a table, of a table of events, of the events in a description.
    kind = ""
    for line in lines:
        header = _columns(line)
        event = re.match(r" +(?:Normal|Warning) ", line) is not None
        if header or not line.strip() or (kind == "described" and not event):
            yield from _in_order(rows, kind)
            rows, kind = [], ""
            if header:
                kind = "events" if any(name == "REASON" for name, _ in header) else "table"
            yield line
        elif event and not kind:
            rows, kind = [line], "described"
        elif kind:
            rows.append(line)
        else:
            yield line
    yield from _in_order(rows, kind)


def _in_order(rows: list[str], kind: str) -> list[str]:
    generated = any(mark in row for row in rows for mark in ("<rand>", "<minute>", "<hash>"))
    return sorted(rows) if generated or kind in ("events", "described") else rows


def _parts_sorted(text: str) -> str:
    """Descriptions, answers of a name server and items of a list in an order of their own."""
    if text.startswith("Name:") and "\n\n\nName:" in text:
        parts = (part.strip("\n") for part in text.split("\n\n\n"))
        return "\n\n\n".join(sorted(parts)) + "\n"
    if re.match(r"Server:\s.*\nAddress:", text):
        server, *answers = re.split(r"\n{2,}", text.strip("\n"))
        return "\n\n".join([server, *sorted(answers)]) + "\n"
    if text.startswith("apiVersion: v1\nitems:\n"):
        head, _, rest = text.partition("\nitems:\n")
        body, _, foot = rest.rpartition("\nkind: ")
        items = sorted(f"{item.rstrip()}\n" for item in re.split(r"(?m)^(?=- )", body) if item)
        return f"{head}\nitems:\n{''.join(items)}kind: {foot}"
    return text


# Lines that kubectl prints in the order of a Go map or of goroutines: another one with every run.
# What such a line looks like; lines that are the same in its group keep their order.
_UNORDERED = (
    re.compile(r"( *(?:Container|Pod|PersistentVolumeClaim)(?:  \S+){6}$)"),
    re.compile(r"(pod/\S+ evicted$)"),
    re.compile(r"(evicting pod \S+$)"),
    re.compile(r"(\[pod/\S+\] )"),
)


def _warning(line: str) -> str:
    return line.removeprefix("Warning: ") if line.startswith("Warning: ") else ""


def _lines_sorted(text: str) -> str:
    """Neighbouring lines that come in no order, and parts of a warning, in an order of their own."""
    lines = [
        "Warning: " + "; ".join(sorted(warning.split("; ")))
        if (warning := _warning(line))
        else line
        for line in text.split("\n")
    ]
    for unordered in _UNORDERED:
        begin = 0
        keys = [found[1] if (found := unordered.match(line)) else "" for line in lines]
        for end in range(len(lines) + 1):
            if end == len(lines) or not keys[end]:
                order = sorted(range(begin, end), key=lambda at: keys[at])
                lines[begin:end] = [lines[at] for at in order]
                begin = end + 1
    return "\n".join(lines)


def compared(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """How two recordings of a scenario differ; the text of a step that varies in either is not looked at."""
    typed = [[step for step in each["steps"] if "run" in step] for each in (one, other)]
    for step, again in zip(*typed, strict=True):
        step["varies"] = again["varies"] = bool(step.get("varies") or again.get("varies"))
    texts = [
        _printed({**each, "steps": found}).splitlines()
        for each, found in zip((one, other), typed, strict=True)
    ]
    return list(difflib.unified_diff(*texts, "one", "other", lineterm="", n=2))


def _printed(recording: dict[str, Any]) -> str:
    given = "\n".join(_inputs(recording))
    return "\n".join(
        f"$ {mask(command, given)}\nexit code {code}\n{'(varies)' if varies else text}"
        for command, code, text, varies in steps(recording)
    )


def main(arguments: list[str]) -> int:
    """Print one recording, or the difference of two."""
    loaded = [yaml.safe_load(Path(name).read_text(encoding="utf-8")) for name in arguments]
    if len(loaded) == 1:
        sys.stdout.write(f"{_printed(loaded[0])}\n")
        return 0
    if len(loaded) == 2:
        found = compared(*loaded)
        sys.stdout.write("\n".join([*found, ""]))
        return 1 if found else 0
    sys.stdout.write(__doc__ or "")
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
