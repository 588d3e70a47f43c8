"""What `tox -e wheels` looks at in a distribution: real ones are well, and each defect is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import pytest
from build import Built, build_all, distributions
from wheel_checks import look_at
from wheels import WheelError, expect_the_same, table
from workspace import ROOT, Project

import sregym_core

NAMES = ("sregym", "sregym-noise-load", "sregym-gymnasium")
GOOD = """[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "sregym-acme"
version = "0.1.0"
description = "Acme"
readme = "README.md"
requires-python = ">=3.11"
license = "Apache-2.0"
license-files = ["LICENSE"]
authors = [{ name = "Acme" }]
classifiers = ["Typing :: Typed"]
dependencies = ["pyyaml>=6.0", "sregym-core>=0.1,<0.2"]

[project.entry-points.sregym]
acme = "sregym_acme.plugin:OFFERS"

[tool.hatch.build.targets.wheel]
packages = ["src/sregym_acme"]
"""
FILES = {
    "pyproject.toml": GOOD,
    "README.md": "# sregym-acme\n\nSee [this](docs/page.md).\n",
    "LICENSE": "Do what you like.\n",
    "src/sregym_acme/__init__.py": "",
    "src/sregym_acme/plugin.py": "OFFERS = []\n",
    "src/sregym_acme/py.typed": "",
}


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> list[Built]:
    chosen = [project for project in distributions() if project.name in NAMES]
    return build_all(chosen, tmp_path_factory.mktemp("dist"))


def make(place: Path, changes: dict[str, str | None]) -> Built:
    """Build a package with some files otherwise, or left out."""
    folder = place / "sregym-acme"
    for name, text in {**FILES, **changes}.items():
        if text is not None:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
    [built] = build_all([Project(folder)], place / "dist")
    return built


def findings(built: Built, version: str = "0.1.0") -> list[str]:
    return list(look_at(built, version).findings)


def test_real_distributions_are_well(real: list[Built]) -> None:
    looked = [look_at(one, sregym_core.__version__) for one in real]
    assert {one.name: one.findings for one in looked} == dict.fromkeys(NAMES, ())


def test_a_table_tells_sizes_and_findings(tmp_path: Path) -> None:
    looked = look_at(make(tmp_path, {"src/sregym_acme/py.typed": None}), "0.1.0")
    assert table([replace(looked, wheel=2048, sdist=3072)]).splitlines() == [
        "distribution                         wheel     sdist  files  needs",
        "sregym-acme                          2 KiB     3 KiB      7      2  1 findings",
        "    py.typed is not in the wheel: type checkers would not look into it",
        "1 distributions, 0.0 MiB of wheels, 0.0 MiB of sources; 1 with findings; 1 relative links in READMEs lead nowhere on an index",
    ]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, []),
        (
            {"pyproject.toml": GOOD.replace(">=6.0", "<7").replace(",<0.2", "")},
            [
                "pyyaml<7 has no floor",
                "sregym-core>=0.1 does not ask for >=0.1,<0.2",
            ],
        ),
        (
            {"pyproject.toml": GOOD.replace(':OFFERS"', ':OTHERS"\nlost = "sregym_acme.lost"')},
            [
                "entry point acme of sregym: sregym_acme.plugin defines no OTHERS",
                "entry point lost of sregym: sregym_acme.lost is not in the wheel",
            ],
        ),
        (
            {
                "pyproject.toml": "\n".join(
                    line
                    for line in GOOD.splitlines()
                    if not line.startswith(("description", "license", "authors", "classifiers"))
                ),
                "LICENSE": None,
                "README.md": "",
            },
            [
                *("metadata: no author", "metadata: no classifiers"),
                *("metadata: no license-expression", "metadata: no license-file"),
                *("metadata: no summary", "the README is empty"),
            ],
        ),
        (
            {"pyproject.toml": GOOD.replace("README.md", "README.rst"), "README.rst": "Hm\n"},
            ["the README is text/x-rst, not text/markdown"],
        ),
        (
            {
                "src/sregym_acme/tests/test_it.py": "",
                "src/sregym_acme/plugin.py~": "",
                "src/sregym_acme/where.txt": f"{ROOT}\n",
            },
            [
                "sregym_acme/plugin.py~ is a file of the machine that built it",
                "sregym_acme/tests/test_it.py is a test",
                "sregym_acme/where.txt names a folder of the machine that built it",
            ],
        ),
        (
            {
                "pyproject.toml": f'{GOOD}\n[tool.hatch.build.targets.wheel.force-include]\n"LICENSE" = "NOTES"\n'
                '[tool.hatch.build.targets.sdist]\nexclude = ["*.yaml"]\n',
                "src/sregym_acme/data.yaml": "a: 1\n",
            },
            [
                "NOTES would be installed beside other packages",
                "the wheel from the source distribution has other files: sregym_acme/data.yaml",
            ],
        ),
    ],
    ids=["well", "ranges", "entry points", "metadata", "readme", "files", "places"],
)
def test_each_defect_is_told(
    changes: dict[str, str | None], told: list[str], tmp_path: Path
) -> None:
    assert findings(make(tmp_path, changes)) == told


def test_another_version_is_told(tmp_path: Path) -> None:
    assert findings(make(tmp_path, {}), "0.2.0") == [
        "sregym-core<0.2,>=0.1 does not ask for >=0.2,<0.3",
        "the file name of the wheel: sregym-acme 0.1.0 instead of sregym-acme 0.2.0",
        "the metadata: sregym-acme 0.1.0 instead of sregym-acme 0.2.0",
        "the source distribution is called sregym_acme-0.1.0.tar.gz instead of sregym_acme-0.2.0.tar.gz",
    ]


def test_builds_that_differ_are_told(tmp_path: Path) -> None:
    built = make(tmp_path, {})
    wheel, sdist = built.again
    with ZipFile(wheel, "a") as archive:
        archive.comment = b"built at noon"
    sdist.write_bytes(sdist.read_bytes() + b"\0")
    assert findings(built) == [
        "the wheel from the source distribution has the same files and other bytes",
        "two builds of the source distribution differ",
    ]


def test_what_was_installed_from_elsewhere_is_told(tmp_path: Path) -> None:
    built = make(tmp_path, {})
    packages = tmp_path / "environment" / "lib" / "python3.11" / "site-packages"
    packages.mkdir(parents=True)
    with pytest.raises(WheelError) as none:
        expect_the_same([built], tmp_path / "environment")
    assert str(none.value) == "the README's block installed none of 1 distributions"
    with ZipFile(built.wheel) as archive:
        archive.extractall(packages)
    assert expect_the_same([built], tmp_path / "environment") == 1
    record = packages / "sregym_acme-0.1.0.dist-info" / "RECORD"
    lines = record.read_text(encoding="utf-8").splitlines()
    record.write_text("\n".join(line for line in lines if "plugin.py" not in line), "utf-8")
    [lost] = [line for line in lines if "plugin.py" in line]
    with pytest.raises(WheelError) as other:
        expect_the_same([built], tmp_path / "environment")
    assert str(other.value) == (
        f"sregym-acme is installed otherwise than it was built: {lost}; "
        "was it found in an index instead of the folder of wheels?"
    )
