"""Replays recordings of a real Kubernetes cluster against the embedded one.

tox -e conformance                              the folder recordings, 98 of 100 answers must match
tox -e conformance -- FOLDER --json             any folder of recordings, only measured, as JSON
tox -e conformance -- --area storage --show     one area, all differences in full
"""

from __future__ import annotations

import argparse
import gc
import sys
import traceback
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path

from harness import recordings
from harness.recordings import Folder, FolderError
from harness.results import Failure, Result, as_json, as_text, share

DEFAULT = Path(__file__).resolve().parent / "recordings"
NO_RULES = (
    "{path} has no normalise.py: texts are compared as they are, so that generated names, times "
    "and addresses count as differences"
)


def main() -> int:
    options = parse(sys.argv[1:])
    try:
        folder = recordings.find(options.folder)
    except FolderError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    if folder.scenarios and folder.normaliser is None:
        sys.stderr.write(NO_RULES.format(path=folder.path) + "\n")
    tasks = chosen(folder, options)
    if not tasks:
        sys.stderr.write(f"no recording in {folder.path} is named by --area or --scenario\n")
        return 2
    results = played(tasks, options)
    sys.stdout.write((as_json(results) if options.json else as_text(results, options.show)) + "\n")
    different = twins(folder, results, options.show) if options.twins else False
    return 0 if share(results) * 100 >= options.at_least and not different else 1


def twins(folder: Folder, results: list[Result], show: bool) -> bool:
    """Tell how answers in process and by the binary compare; whether any differs."""
    from harness.twins import differing, told

    paths = {path.stem: path for path in folder.scenarios}
    replayed = [(recordings.load(paths[one.name]), one.both) for one in results if one.both]
    everything = [one for _, found in replayed for one in found]
    different = differing(replayed, folder.scenarios, folder.rules)
    sys.stdout.write(told(everything, different, show) + "\n")
    return bool(different)


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="conformance", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("folder", nargs="?", type=Path, default=DEFAULT)
    parser.add_argument("--json", action="store_true", help="only the counts, as JSON")
    parser.add_argument("--area", action="append", default=[], help="only this area; repeatable")
    parser.add_argument("--scenario", action="append", default=[], help="only this id; repeatable")
    parser.add_argument("--show", action="store_true", help="every difference in full")
    parser.add_argument(
        "--at-least", type=float, default=0, metavar="PERCENT", help="exit with 1 if fewer match"
    )
    parser.add_argument(
        "--twins",
        type=int,
        default=0,
        metavar="N",
        help="the commands of every N-th recording in process, too; exit with 1 if any differs",
    )
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    return parser.parse_args(arguments)


def chosen(folder: Folder, options: argparse.Namespace) -> list[tuple[str, Path, Path]]:
    """(kind, file, folder) of what is to be replayed, what takes longest first."""
    files = [("sequences", path, "sequences") for path in folder.sequences]
    files += [("scenarios", path, path.parent.name) for path in folder.scenarios]
    for area, paths in folder.documents.items():
        files += [("documents", path, area) for path in paths]
    return [
        (kind, path, folder.path)
        for kind, path, area in files
        if (not options.area or area in options.area)
        and (not options.scenario or path.stem in options.scenario)
    ]


def played(tasks: list[tuple[str, Path, Path]], options: argparse.Namespace) -> list[Result]:
    """The results, by area and name."""
    jobs = min(options.jobs, len(tasks))
    twice = [options.twins > 0 and number % options.twins == 0 for number in range(len(tasks))]
    if jobs == 1:
        results = [play(task, both) for task, both in zip(tasks, twice, strict=True)]
    else:
        spawned = get_context("spawn")
        # Worlds live long: cycles of references are looked for rarely, as in tests.
        rarely = {"initializer": gc.set_threshold, "initargs": (500_000, 20, 100)}
        with ProcessPoolExecutor(jobs, spawned, **rarely) as pool:
            results = list(pool.map(play, tasks, twice))
    return sorted(results, key=lambda result: (result.area, result.name))


def play(task: tuple[str, Path, Path], twins: bool) -> Result:
    # A cluster takes a while to import: who only misspelt a folder does not wait for it.
    from harness import documents, scenarios, sequences
    from harness.twins import Twins

    kind, path, root = task
    try:
        if kind == "scenarios":
            beside = Twins(path.stem) if twins else None
            result = scenarios.replay(path, rules_of(root), beside)
            result.both = [] if beside is None else beside.found
            return result
        if kind == "sequences":
            return sequences.replay(path)
        return documents.replay(path, path.relative_to(root).parts[0])
    except Exception:  # one recording must not take the others down
        return broken(kind, path, root, traceback.format_exc())


def broken(kind: str, path: Path, root: Path, trace: str) -> Result:
    """A recording whose replay raised: none of its answers match."""
    area = path.parent.name if kind == "scenarios" else path.relative_to(root).parts[0]
    total = 1
    if kind == "scenarios":
        total = sum("run" in step for step in recordings.load(path)["steps"])
    failure = Failure(0, "the replay raised", tuple(trace.splitlines()))
    return Result(area, path.stem, 0, total, [failure])


@lru_cache(maxsize=1)
def rules_of(root: Path) -> recordings.Rules:
    return recordings.find(root).rules


if __name__ == "__main__":
    sys.exit(main())
