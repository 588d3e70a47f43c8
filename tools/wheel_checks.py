"""What can be wrong with a wheel and a source distribution, found without installing them."""

from __future__ import annotations

import ast
import hashlib
import io
import re
import sys
from collections.abc import Iterable, Iterator
from configparser import ConfigParser
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from zipfile import ZipFile

from build import Built
from packaging.metadata import Metadata
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename
from packaging.version import Version
from readme_renderer import markdown
from workspace import ROOT

# Of whoever builds: none of it may stand in what others install.
_PLACES = (str(ROOT), sys.prefix)
_TEST = re.compile(r"^[^/]+/tests?/|(^|/)(test_[^/]*|conftest)\.py$")
_MACHINE = re.compile(r"(^|/)(\.[^/]*|__pycache__|[^/]*\.pyc|[^/]*~|[^/]*\.(orig|rej|swp))(/|$)")


@dataclass(frozen=True)
class Figures:
    """What a table tells of one distribution.

    Attributes:
        name: The distribution.
        wheel: Size of its wheel in bytes.
        sdist: Size of its source distribution in bytes.
        files: Files in the wheel.
        requirements: What it requires, extras included.
        links: Relative links of its README, which lead nowhere on an index.
        findings: What is wrong, in words.
    """

    name: str
    wheel: int
    sdist: int
    files: int
    requirements: int
    links: int
    findings: tuple[str, ...]


def look_at(built: Built, version: str) -> Figures:
    """Check one distribution that should have a version."""
    with ZipFile(built.wheel) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    head = next(name for name in files if name.endswith(".dist-info/METADATA"))
    metadata, findings = _read(files[head])
    place = str(PurePosixPath(head).parent)
    requires: list[Requirement] = []
    links = 0
    if metadata is not None:
        requires = metadata.requires_dist or []
        links = _relative_links(metadata.description or "")
        findings += [
            *_names(built, metadata, version),
            *_texts(metadata, files, place),
            *_requirements(requires, version),
        ]
    findings += [
        *_contents(built, files, place),
        *_entry_points(files, place),
        *_reproducible(built),
    ]
    sizes = (built.wheel.stat().st_size, built.sdist.stat().st_size)
    return Figures(
        built.project.name, *sizes, len(files), len(requires), links, tuple(sorted(findings))
    )


def _read(text: bytes) -> tuple[Metadata | None, list[str]]:
    try:
        return Metadata.from_email(text, validate=True), []
    except ExceptionGroup as group:
        return None, [f"metadata: {error}" for error in group.exceptions]


def _names(built: Built, metadata: Metadata, version: str) -> Iterator[str]:
    name, number, _, _ = parse_wheel_filename(built.wheel.name)
    wanted = (canonicalize_name(built.project.name), Version(version))
    for what, found in {
        "the file name of the wheel": (name, number),
        "the metadata": (canonicalize_name(metadata.name), metadata.version),
    }.items():
        if found != wanted:
            yield f"{what}: {found[0]} {found[1]} instead of {wanted[0]} {wanted[1]}"
    stem = f"{built.project.module}-{version}.tar.gz"
    if built.sdist.name != stem:
        yield f"the source distribution is called {built.sdist.name} instead of {stem}"


def _texts(metadata: Metadata, files: dict[str, bytes], place: str) -> Iterator[str]:
    fields = ("summary", "author", "requires_python", "license_expression", "classifiers")
    for field in fields:
        if not getattr(metadata, field):
            yield f"metadata: no {field.replace('_', '-')}"
    licences = metadata.license_files or []
    if not licences:
        yield "metadata: no license-file"
    for licence in licences:
        if not files.get(f"{place}/licenses/{licence}", b"").strip():
            yield f"the licence {licence} is not in the wheel"
    readme = metadata.description or ""
    kind = (metadata.description_content_type or "").partition(";")[0]
    said = io.StringIO()
    if not readme.strip():
        yield "the README is empty"
    elif kind != "text/markdown":
        yield f"the README is {kind or 'of no kind'}, not text/markdown"
    elif markdown.render(readme, stream=said) is None:
        yield f"the README cannot be rendered: {said.getvalue().strip()}"


def _requirements(requires: Iterable[Requirement], version: str) -> Iterator[str]:
    major, minor = Version(version).release[:2]
    sibling = {f">={major}.{minor}", f"<{major}.{minor + 1}"}
    for requirement in requires:
        clauses = {str(clause) for clause in requirement.specifier}
        if requirement.url:
            yield f"{requirement} names an address"
        elif re.match(r"sregym\b", requirement.name):
            if clauses != sibling:
                yield f"{requirement} does not ask for {','.join(sorted(sibling, reverse=True))}"
        elif not any(clause.startswith((">", "~=", "==")) for clause in clauses):
            yield f"{requirement} has no floor"


def _contents(built: Built, files: dict[str, bytes], place: str) -> Iterator[str]:
    module = built.project.module
    whole = built.project.folder != ROOT  # the root has no code of its own
    if whole and f"{module}/py.typed" not in files:
        yield "py.typed is not in the wheel: type checkers would not look into it"
    if whole and f"{module}/__init__.py" not in files:
        yield f"the package {module} is not in the wheel"
    allowed = (f"{module}/", f"{place}/") if whole else (f"{place}/",)
    for name, content in files.items():
        if not name.startswith(allowed):
            yield f"{name} would be installed beside other packages"
        elif _TEST.search(name):
            yield f"{name} is a test"
        elif _MACHINE.search(name):
            yield f"{name} is a file of the machine that built it"
        elif any(path.encode() in content for path in _PLACES):
            yield f"{name} names a folder of the machine that built it"


def _entry_points(files: dict[str, bytes], place: str) -> Iterator[str]:
    parser = ConfigParser(delimiters=("=",), strict=True, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign] # names keep their case
    parser.read_string(files.get(f"{place}/entry_points.txt", b"").decode())
    for group in parser.sections():
        for name, target in parser[group].items():
            module, _, attribute = target.partition(":")
            path = module.replace(".", "/")
            source = files.get(f"{path}.py", files.get(f"{path}/__init__.py"))
            if source is None:
                yield f"entry point {name} of {group}: {module} is not in the wheel"
            elif attribute and attribute.partition(".")[0] not in _defined(source):
                yield f"entry point {name} of {group}: {module} defines no {attribute}"


def _defined(source: bytes) -> set[str]:
    """Names at the top of a module."""
    names: set[str] = set()
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}
        else:
            names |= {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    return names


def _reproducible(built: Built) -> Iterator[str]:
    wheel, sdist = built.again
    if _digest(built.wheel) != _digest(wheel):
        with ZipFile(built.wheel) as one, ZipFile(wheel) as other:
            mine, theirs = set(one.namelist()), set(other.namelist())
        if mine != theirs:
            differing = ", ".join(sorted(mine ^ theirs)[:3])
            yield f"the wheel from the source distribution has other files: {differing}"
        else:
            yield "the wheel from the source distribution has the same files and other bytes"
    if _digest(built.sdist) != _digest(sdist):
        yield "two builds of the source distribution differ"


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _relative_links(text: str) -> int:
    return len(re.findall(r"\]\((?!https?:|#|mailto:)[^)\s]+\)", text))
