"""Which test files look at what changed, the nearest first.

Near is what changed itself, then what imports it directly or is named after it, then what names it, stands in
the folder of the same name, or imports it by way of others; last come folders that only declare the changed
distribution, whose tests meet it through its plugin.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath

import grimp
from workspace import ROOT, Project, projects

# Where tests stand that belong to no folder of a distribution, each with what it covers.
_SHARED = ("tests/core", "tests/integration", "tests/layout")
_IMPORT = re.compile(
    r"(?m)^\s*(?:from\s+(sregym_[\w.]+)\s+import\s+(\([^)]*\)|[^\n]*)|import\s+(sregym_[\w.]+))"
)
# A word that more of the tests have than this says nothing about which are near.
_OFTEN = 0.1
FAR = 1_000


@dataclass(frozen=True, order=True)
class Choice:
    """A test file, how near it is (1 the nearest), and why it was chosen."""

    rank: int
    distance: int
    path: str
    why: str = field(compare=False)


@dataclass(frozen=True)
class Selection:
    """What to run for a change.

    Attributes:
        tests: Test files, the nearest first.
        sources: Changed Python files.
        callers: Files of the same distributions that import a changed module directly.
        notes: What else there is to run, in words.
    """

    tests: list[Choice]
    sources: list[str]
    callers: list[str]
    notes: list[str]


class Chooser:
    """Chooses for changed files, given by their paths from the root."""

    def __init__(self, changed: Iterable[str]) -> None:
        self.changed = sorted(changed)
        self.owners = {path: _owner(path) for path in self.changed}

    def select(self) -> Selection:
        """All that looks at the change."""
        tests = [choice for path in self.texts if (choice := self._choice(path)) is not None]
        sources = [p for p in self.changed if p.endswith((".py", ".pyi")) and (ROOT / p).exists()]
        return Selection(sorted(tests), sources, self._callers(), list(self._notes()))

    @cached_property
    def texts(self) -> dict[str, str]:
        """Every test file that can run here, with its text."""
        places = [f"{p.relative}/tests" for p in projects() if not p.stands_alone] + list(_SHARED)
        return {
            file.relative_to(ROOT).as_posix(): file.read_text(encoding="utf-8")
            for place in places
            for file in sorted((ROOT / place).rglob("test_*.py"))
        }

    @cached_property
    def modules(self) -> set[str]:
        """Modules of which a file changed; for a file of data the package that it lies in."""
        found = set()
        for path, owner in self.owners.items():
            if owner is None or not Path(ROOT / path).is_relative_to(owner.source):
                continue
            place = (ROOT / path).relative_to(owner.source.parent)
            name = ".".join(place.with_suffix("").parts).removesuffix(".__init__")
            if place.suffix != ".py" or name not in self.graph.modules:
                parents = [".".join(parent.parts) for parent in place.parents]
                name = next((one for one in parents if one in self.graph.modules), "")
            found.add(name)
        return found - {""}

    @cached_property
    def graph(self) -> grimp.ImportGraph:
        """Who imports whom, in all distributions that share an environment."""
        names = [project.module for project in projects() if not project.stands_alone]
        return grimp.build_graph(*names, cache_dir=str(ROOT / ".import_linter_cache"))

    @cached_property
    def distances(self) -> Mapping[str, int]:
        """Over how many imports a module knows a changed one; 0 for these themselves."""
        found = dict.fromkeys(self.modules, 0)
        last, distance = set(found), 0
        while last:
            distance += 1
            up = self.graph.find_modules_that_directly_import
            last = {name for below in last for name in up(below)} - set(found)
            found |= dict.fromkeys(last, distance)
        return found

    @cached_property
    def words(self) -> dict[str, re.Pattern[str]]:
        """What each changed file is called by."""
        found = {}
        for path in self.changed:
            pure = PurePosixPath(path)
            word = pure.parent.name if pure.stem == "__init__" else pure.stem
            pattern = re.compile(rf"(?<![\w]){re.escape(word)}(?![\w])|_{re.escape(word)}\b")
            found[path] = pattern
        return found

    @cached_property
    def rare(self) -> set[str]:
        """Changed files whose word stands in few tests."""
        most = _OFTEN * len(self.texts)
        return {
            path
            for path, word in self.words.items()
            if sum(1 for text in self.texts.values() if word.search(text)) <= most
        }

    @cached_property
    def dependents(self) -> dict[str, set[str]]:
        """For each distribution those that it declares, and what these require, itself included."""
        known = {project.name: project for project in projects()}
        direct = {name: _declared(project, known) for name, project in known.items()}
        needed = {name: _declared(project, known, tests=False) for name, project in known.items()}
        whole: dict[str, set[str]] = {}
        for name in known:
            seen, waiting = {name}, list(direct[name])
            while waiting:
                one = waiting.pop()
                if one not in seen:
                    seen.add(one)
                    waiting += needed[one]
            whole[name] = seen
        return whole

    def _choice(self, path: str) -> Choice | None:
        owner = _owner(path)
        mine = {p for p, o in self.owners.items() if o is not None and o == owner}
        reasons = list(self._reasons(path, owner, mine))
        if not reasons:
            return None
        rank, distance, why = min(reasons)
        return Choice(rank, distance, path, why)

    def _reasons(
        self, path: str, owner: Project | None, mine: set[str]
    ) -> Iterator[tuple[int, int, str]]:
        text = self.texts[path]
        rooms = {room for changed in mine for room in _rooms(changed)}
        if path in self.changed:
            yield 1, 0, "changed"
        for changed in self.changed:
            place = PurePosixPath(changed)
            beside = PurePosixPath(path).is_relative_to(place.parent) and "tests" in place.parts
            if beside and (place.name == "conftest.py" or place.name in text):
                yield 1, 1, f"uses {place.name}"
            elif beside and not place.name.startswith("test_"):
                yield 3, 0, f"stands beside {place.name}"
            if not _is_test(changed):
                word, here = self.words[changed], changed in mine
                rare = changed in self.rare or rooms & _rooms(path)
                if here and rare and word.search(PurePosixPath(path).stem.removeprefix("test_")):
                    yield 2, 0, f"is named after {place.name}"
                elif rooms & _rooms(path) and word.search(text):
                    yield 3, 1, f"names {place.name}"
                elif (here or owner is None) and changed in self.rare and word.search(text):
                    yield 4, 1, f"names {place.name}"
        distance = min((self.distances.get(name, FAR) for name in _imports(text)), default=FAR)
        if distance < FAR:
            far = "" if distance == 0 else f" by way of {distance}"
            near = {0: 2, 1: 3}.get(distance, 6) if mine else {0: 5}.get(distance, 7)
            yield near, distance, f"imports it{far}"
        if mine:
            yield (4 if rooms & _rooms(path) else 6), FAR, "stands in its folder"
        elif owner is not None:
            changed_names = {
                o.name for p, o in self.owners.items() if o is not None and not _is_test(p)
            }
            if changed_names & self.dependents[owner.name]:
                yield 8, FAR, "declares it"
        elif path.startswith("tests/layout"):
            yield 9, FAR, "looks at all files"

    def _callers(self) -> list[str]:
        found = set()
        for name in self.modules:
            for caller in self.graph.find_modules_that_directly_import(name):
                if caller.partition(".")[0] == name.partition(".")[0]:
                    found |= set(_files(caller))
        return sorted(found - set(self.changed))

    def _notes(self) -> Iterator[str]:
        alone = sorted({o.name for o in self.owners.values() if o is not None and o.stands_alone})
        for name in alone:
            yield f"{name} stands alone: tox -e adapters -- {name}"
        pages = [
            path for path in self.changed if path.endswith(".md") and "changelog.d" not in path
        ]
        if pages:
            yield f"{', '.join(pages[:3])}{' and others' if len(pages) > 3 else ''}: tox -e docs"


def _owner(path: str) -> Project | None:
    for project in projects():
        if path.startswith(f"{project.relative}/"):
            return project
    core = next(project for project in projects() if project.name == "sregym-core")
    return core if path.startswith("tests/core/") else None


def _rooms(path: str) -> set[str]:
    """Names of the folders below a package or below tests, and what a file of tests is about."""
    pure = PurePosixPath(path)
    top = "tests" if _is_test(path) else "src"
    below = pure.parts[pure.parts.index(top) + 1 : -1] if top in pure.parts else ()
    named = {pure.stem.removeprefix("test_")} if pure.name.startswith("test_") else set()
    return {*(below if _is_test(path) else below[1:]), *named}


def _is_test(path: str) -> bool:
    return "tests" in PurePosixPath(path).parts


def _imports(text: str) -> set[str]:
    """Modules of this repository that a text imports, with the names that may be modules."""
    found = set()
    for package, names, module in _IMPORT.findall(text):
        found.add(package or module)
        for name in re.findall(r"\w+", names.partition("#")[0]):
            found.add(f"{package}.{name}")
    return found


def _files(module: str) -> Iterator[str]:
    for project in projects():
        if module.partition(".")[0] == project.module:
            base = project.source.parent / Path(*module.split("."))
            for file in (base.with_suffix(".py"), base / "__init__.py"):
                if file.exists():
                    yield file.relative_to(ROOT).as_posix()


def _declared(project: Project, known: Mapping[str, Project], *, tests: bool = True) -> set[str]:
    lines = list(project.settings["project"].get("dependencies", []))
    lines += project.test_group if tests else []
    names = {re.split(r"[^\w-]", line, maxsplit=1)[0] for line in lines}
    return {name for name in names if name in known}
