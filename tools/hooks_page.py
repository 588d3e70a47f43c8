"""Write `docs/reference/hooks.md` from the docstrings of the hook specifications.

With `--check`, write nothing and exit with 1 when the page is not what would be written.
"""

from __future__ import annotations

import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

from workspace import ROOT

from sregym_core import hookspecs

PAGE = ROOT / "docs" / "reference" / "hooks.md"
HEAD = """\
# Hooks

Every hook a plugin can implement. This page is made from `sregym_core/hookspecs.py` by `tox -e fix`;
`tox -e docs` compares them.

Implementations are functions in the module of the plugin's entry point, decorated with
`sregym_core.hookimpl`. They take any subset of the hook's arguments, by name and without defaults.

## When they are called

```mermaid
sequenceDiagram
    participant user as sregym
    participant core as core
    participant plugin as plugins
    user->>core: a command
    core->>plugin: import each entry point, sorted by name
    core->>plugin: sregym_register_... of the kinds that the command needs
    plugin-->>core: offers (names, classes are imported on first use)
    core->>plugin: sregym_register_problems
    plugin-->>core: folders of YAML files
    loop each episode
        Note over core: provision, deploy, warm up, baseline, inject,<br/>agent, judge, recover, compare
        core->>plugin: sregym_episode_event, for each event of the timeline
    end
```

"""
SECTIONS = ("Args", "Returns", "Errors", "Called", "Example")


def main(arguments: list[str]) -> int:
    page = HEAD + "\n".join(render(hook) for hook in hooks())
    if "--check" not in arguments:
        PAGE.parent.mkdir(parents=True, exist_ok=True)
        PAGE.write_text(page, encoding="utf-8")
        return 0
    if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page:
        print(f"{PAGE.relative_to(ROOT)} is out of date; run: tox -e fix")
        return 1
    return 0


def hooks() -> Iterator[Callable[..., Any]]:
    """The specifications, in the order of the module."""
    for name, value in vars(hookspecs).items():
        if name.startswith("sregym_") and inspect.isfunction(value):
            yield value


def signature(hook: Callable[..., Any]) -> str:
    """Name, arguments and result as the module writes them."""
    return f"{hook.__name__}{inspect.signature(hook)}".replace("'", "")


def parts(hook: Callable[..., Any]) -> dict[str, str]:
    """Sections of the docstring: `Summary`, those in `SECTIONS` that it has, and `Added`.

    Hooks that register something have those of the module where they say nothing else.
    """
    shared = sections_of(hookspecs) if hook.__name__.startswith("sregym_register_") else {}
    return {
        **{name: text for name, text in shared.items() if name in SECTIONS},
        **sections_of(hook),
    }


def sections_of(documented: object) -> dict[str, str]:
    """Sections of a docstring, by heading."""
    found: dict[str, list[str]] = {"Summary": []}
    current = "Summary"
    for line in (inspect.getdoc(documented) or "").splitlines():
        heading = line.removesuffix(":")
        if line.endswith(":") and heading in SECTIONS:
            current = heading
            found[current] = []
        elif re.match(r"Added in \d+\.\d+\.$", line):
            found["Added"] = [line]
        else:
            found[current].append(line)
    return {name: textwrap.dedent("\n".join(lines)).strip() for name, lines in found.items()}


def render(hook: Callable[..., Any]) -> str:
    """The section of the page about one hook."""
    sections = parts(hook)
    text = f"## `{signature(hook)}`\n\n{sections['Summary']}\n"
    for name in SECTIONS:
        if name == "Args" and name in sections:
            text += f"\n**Arguments**\n\n{_arguments(sections[name])}\n"
        elif name == "Example":
            text += f"\n**Example**: {sections[name]}\n"
        elif name in sections:
            text += f"\n**{name}**: {_flat(sections[name])}\n"
    return f"{text}\n{sections['Added']}\n"


def _arguments(text: str) -> str:
    lines = []
    for entry in re.split(r"\n(?=\w+: )", text):
        name, _, meaning = entry.partition(": ")
        lines.append(f"- `{name}`: {_flat(meaning)}")
    return "\n".join(lines)


def _flat(text: str) -> str:
    return " ".join(text.split())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
