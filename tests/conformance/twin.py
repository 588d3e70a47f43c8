"""Runs the commands of all recordings in process and by the binary, and compares the answers.

python tests/conformance/twin.py                    the folder recordings beside this file
python tests/conformance/twin.py FOLDER --show      any folder of recordings, differences in full

Ends with 1 when an answer differs; what the twin leaves to the binary is counted, not blamed.
"""

from __future__ import annotations

import argparse
import difflib
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from harness import recordings
from harness.recordings import FolderError, Rules
from harness.twins import Comparison, both_ways
from run import DEFAULT


def main() -> int:
    options = parse(sys.argv[1:])
    try:
        folder = recordings.find(options.folder)
    except FolderError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    paths = [
        path
        for path in folder.scenarios
        if (not options.area or path.parent.name in options.area)
        and (not options.scenario or path.stem in options.scenario)
    ]
    with ProcessPoolExecutor(options.jobs, mp_context=get_context("spawn")) as pool:
        replayed = list(pool.map(both_ways, paths))
    everything = [one for _, found in replayed for one in found]
    suspected = differing(replayed, folder.rules)
    # A busy machine lets the binary meet another moment: only what differs again counts.
    names = {one.scenario for one in suspected}
    again = differing([both_ways(path) for path in paths if path.stem in names], folder.rules)
    commands = {(one.scenario, one.step["run"]) for one in again}
    different = [one for one in suspected if (one.scenario, one.step["run"]) in commands]
    for one in different:
        sys.stdout.write(f"{one.scenario}: $ {one.step['run']}\n{difference(one, options.show)}\n")
    if options.show:
        left = Counter(
            (" ".join(one.step["run"].split()[1:3]), one.reason)
            for one in everything
            if one.twin is None
        )
        for (command, reason), count in left.most_common():
            sys.stdout.write(f"left to the binary {count:3}: {command} ({reason})\n")
    sys.stdout.write(summary(everything, different) + "\n")
    return 1 if different else 0


def differing(
    replayed: list[tuple[dict[str, Any], list[Comparison]]], rules: Rules
) -> list[Comparison]:
    """Commands whose two answers are not the same."""
    return [one for recording, found in replayed for one in found if not one.same(rules, recording)]


def difference(one: Comparison, full: bool) -> str:
    """How the answers differ: `-` binary, `+` twin."""
    assert one.twin is not None
    texts = [
        [
            f"exit code {given.exit_code}",
            *given.stdout.splitlines(),
            "---",
            *given.stderr.splitlines(),
        ]
        for given in (one.binary, one.twin)
    ]
    lines = list(difflib.unified_diff(*texts, lineterm="", n=1))[2:]
    return "\n".join(f"    {line}" for line in (lines if full else lines[:12]))


def summary(everything: list[Comparison], different: list[Comparison]) -> str:
    """Counts, and CPU of both ways over all commands and over those that the twin serves."""
    served = [one for one in everything if one.twin is not None]
    exact = sum(one.twin == one.binary for one in served)
    twin_s = sum(one.twin_cpu_s for one in served)
    binary_s = sum(one.binary_cpu_s for one in served)
    whole_s = sum(one.binary_cpu_s for one in everything)
    fallen_s = whole_s - binary_s
    return (
        f"{len(everything)} plain commands, {len(served)} served in process "
        f"({len(served) / len(everything):.1%}), {exact} byte for byte, "
        f"{len(served) - exact - len(different)} but for the second, {len(different)} different\n"
        f"CPU of those served: {twin_s / len(served) * 1000:.2f} ms in process, "
        f"{binary_s / len(served) * 1000:.1f} ms by the binary: {binary_s / twin_s:.0f} times\n"
        f"CPU of all, those left to the binary included: {whole_s / (twin_s + fallen_s):.1f} times"
    )


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="twin", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("folder", nargs="?", type=Path, default=DEFAULT)
    parser.add_argument("--area", action="append", default=[], help="only this area; repeatable")
    parser.add_argument("--scenario", action="append", default=[], help="only this id; repeatable")
    parser.add_argument("--show", action="store_true", help="every difference, and what is left")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
