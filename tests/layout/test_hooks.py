"""Each hook is documented in all parts, is on its page, has a test, and has a real user."""

from __future__ import annotations

import re

import hooks_page
import pytest
from workspace import ROOT

HOOKS = list(hooks_page.hooks())
NAMES = [hook.__name__ for hook in HOOKS]
TEST_FILES = [*ROOT.glob("tests/**/test_*.py"), *ROOT.glob("sregym_*/tests/**/test_*.py")]


@pytest.mark.parametrize("hook", HOOKS, ids=NAMES)
def test_docstring_has_all_parts(hook) -> None:
    parts = hooks_page.parts(hook)
    takes_arguments = "(self" not in str(hook) and hook.__code__.co_argcount > 0
    expected = {"Summary", *hooks_page.SECTIONS, "Added"} - (set() if takes_arguments else {"Args"})
    assert set(parts) == expected
    assert [name for name, text in parts.items() if not text] == []


@pytest.mark.parametrize("hook", HOOKS, ids=NAMES)
def test_each_argument_is_described(hook) -> None:
    arguments = hook.__code__.co_varnames[: hook.__code__.co_argcount]
    described = re.findall(r"(?m)^(\w+): ", hooks_page.parts(hook).get("Args", ""))
    assert tuple(described) == arguments


@pytest.mark.parametrize("hook", HOOKS, ids=NAMES)
def test_is_on_the_page_with_its_exact_signature(hook) -> None:
    headings = re.findall(r"(?m)^## `(sregym_.*)`$", hooks_page.PAGE.read_text(encoding="utf-8"))
    assert hooks_page.signature(hook) in headings


def test_page_has_no_other_hooks() -> None:
    headings = re.findall(r"(?m)^## `(sregym_\w+)", hooks_page.PAGE.read_text(encoding="utf-8"))
    assert headings == NAMES


def test_page_is_up_to_date() -> None:
    assert hooks_page.main(["--check"]) == 0


@pytest.mark.parametrize("name", NAMES)
def test_has_a_test_named_for_it(name: str) -> None:
    pattern = re.compile(rf"def test_{name}\b|def test_{name}_")
    assert any(pattern.search(file.read_text(encoding="utf-8")) for file in TEST_FILES)


@pytest.mark.parametrize("hook", HOOKS, ids=NAMES)
def test_example_is_a_plugin_that_implements_it(hook) -> None:
    path = hooks_page.parts(hook)["Example"].strip("`")
    assert f"def {hook.__name__}(" in (ROOT / path).read_text(encoding="utf-8")
