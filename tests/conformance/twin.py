"""Runs the commands of all recordings in process and by the binary, and compares the answers.

python tests/conformance/twin.py                    the folder recordings beside this file
python tests/conformance/twin.py FOLDER --show      any folder of recordings, differences in full

Ends with 1 when an answer differs; what the twin leaves to the binary is counted, not blamed.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from harness import recordings
from harness.recordings import FolderError
from harness.twins import both_ways, differing, told
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
    different = differing(replayed, paths, folder.rules)
    if options.show:
        left = Counter(
            (" ".join(one.step["run"].split()[1:3]), one.reason)
            for one in everything
            if one.twin is None
        )
        for (command, reason), count in left.most_common():
            sys.stdout.write(f"left to the binary {count:3}: {command} ({reason})\n")
    sys.stdout.write(told(everything, different, options.show) + "\n")
    return 1 if different else 0


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
