"""Pages about promised Python modules, from their docstrings, read without importing them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import griffe

if TYPE_CHECKING:
    from collections.abc import Iterator

# Of a docstring in Google's style, with the words that stand above them.
_TABLES = {
    "parameters": "Arguments",
    "other parameters": "Further arguments",
    "attributes": "Attributes",
    "returns": "Returns",
    "yields": "Yields",
    "raises": "Raises",
}
_PROMISE = re.compile(r"(?s)^Promises are carried by (.*?); everything else", re.MULTILINE)


class Interfaces:
    """The promised modules of a repository.

    Args:
        architecture: Text of `ARCHITECTURE.md`, whose sentence on promises names them.
        paths: Folders in which packages are looked for.

    Raises:
        ValueError: There is no such sentence, or a module that it names is not there.
    """

    def __init__(self, architecture: str, paths: list[str]) -> None:
        self._loader = griffe.GriffeLoader(
            search_paths=paths, docstring_parser=griffe.Parser.google
        )
        sentence = _PROMISE.search(architecture)
        if sentence is None:
            message = (
                "ARCHITECTURE.md has no sentence 'Promises are carried by ...; everything else ...'"
            )
            raise ValueError(message)
        names = re.findall(r"`([\w.]+)`", sentence[1])
        names = [f"sregym_core{name}" if name.startswith(".") else name for name in names]
        for package in dict.fromkeys(name.partition(".")[0] for name in names):
            self._load(package)
        self._loader.resolve_aliases(implicit=True, external=False)
        self.names = tuple(part for name in names for part in self._parts(name))

    def index(self) -> str:
        """The page that lists them."""
        rows = "".join(
            f"| [{n}](python/{n}.md) | {_summary(self._module(n))} |\n" for n in self.names
        )
        return (
            "# Python interfaces\n\nThe modules that carry promises, from their docstrings. "
            "[The interface for programs](api.md) tells how they are used.\n\n"
            f"| module | is |\n|---|---|\n{rows}"
        )

    def page(self, name: str) -> str:
        """The page of one module."""
        module = self._module(name)
        blocks = [f"# {name}", *_docstring(module)]
        for member in _public(module):
            blocks += _member(member)
        return "\n\n".join(blocks) + "\n"

    def _load(self, package: str) -> None:
        try:
            self._loader.load(package)
        except ImportError as error:
            message = f"ARCHITECTURE.md promises {package}, which is not there"
            raise ValueError(message) from error

    def _module(self, name: str) -> Any:
        try:
            return self._loader.modules_collection[name]
        except KeyError as error:
            message = f"ARCHITECTURE.md promises {name}, which is not there"
            raise ValueError(message) from error

    def _parts(self, name: str) -> list[str]:
        """A package that exports nothing itself only holds modules together."""
        module = self._module(name)
        if module.exports or not module.is_package:
            return [name]
        parts = [part for part in module.modules if not part.startswith("_")]
        return [f"{name}.{part}" for part in sorted(parts)] or [name]


def _public(module: Any) -> Iterator[Any]:
    """What a module exports; without `__all__`, what is defined in it."""
    exported = module.exports
    for name, member in sorted(module.members.items(), key=lambda one: one[0].lower()):
        own = not member.is_alias and not name.startswith("_") and not member.is_module
        if name in {str(one) for one in exported} if exported is not None else own:
            yield member


def _member(member: Any) -> list[str]:
    """A function, class, attribute or module that is exported; heading, signature, docstring."""
    name = member.name
    try:
        target = member.final_target if member.is_alias else member
    except (griffe.AliasResolutionError, griffe.CyclicAliasError):
        return [f"## `{name}`", f"`{member.target_path}`"]
    blocks = [f"## `{name}`"]
    if target.is_module:
        return [*blocks, _summary(target)]
    blocks += [_code(_signature(target)), *_docstring(target)]
    if target.is_class:
        for inner in target.members.values():
            if not inner.name.startswith("_") and not inner.is_alias and inner.docstring:
                blocks += [
                    f"### `{name}.{inner.name}`",
                    _code(_signature(inner)),
                    *_docstring(inner),
                ]
    return blocks


def _signature(one: Any) -> str:
    if one.is_class:
        bases = ", ".join(str(base) for base in one.bases)
        return f"class {one.name}({bases})" if bases else f"class {one.name}"
    if one.is_function:
        return _call(one)
    kind = f": {one.annotation}" if one.annotation is not None else ""
    return f"{one.name}{kind}"


def _call(function: Any) -> str:
    """`def` with its arguments; one a line where they are many."""
    words, seen_star = [], False
    for one in function.parameters:
        if one.name in ("self", "cls"):
            continue
        kind = one.kind.value
        stars = {"variadic positional": "*", "variadic keyword": "**"}.get(kind, "")
        if kind == "keyword-only" and not seen_star:
            words.append("*")
        seen_star = seen_star or kind in ("keyword-only", "variadic positional")
        default = "" if one.default is None or stars else f" = {one.default}"
        kept = f": {one.annotation}" if one.annotation is not None else ""
        words.append(f"{stars}{one.name}{kept}{default}")
    gives = f" -> {function.returns}" if function.returns is not None else ""
    line = f"def {function.name}({', '.join(words)}){gives}"
    if len(line) <= 90:
        return line
    return f"def {function.name}(\n" + "".join(f"    {word},\n" for word in words) + f"){gives}"


def _code(text: str) -> str:
    return f"```python\n{text}\n```"


def _summary(one: Any) -> str:
    return " ".join(one.docstring.value.partition("\n\n")[0].split()) if one.docstring else ""


def _docstring(one: Any) -> list[str]:
    """Its text and tables in Markdown."""
    blocks = []
    for section in one.docstring.parsed if one.docstring else ():
        kind = section.kind.value
        if kind in _TABLES:
            blocks += [f"**{_TABLES[kind]}**", "\n".join(_entry(entry) for entry in section.value)]
        elif kind == "text":
            blocks.append(section.value)
        elif kind == "examples":
            texts = [
                f"```pycon\n{text}\n```" if str(how.value) == "examples" else text
                for how, text in section.value
            ]
            blocks += ["**Examples**", *texts]
        else:
            title = section.title or kind.capitalize()
            blocks += [f"**{title}**", str(getattr(section.value, "description", section.value))]
    return blocks


def _entry(entry: Any) -> str:
    name = getattr(entry, "name", "") or str(entry.annotation or "")
    text = " ".join(str(entry.description).split())
    return f"- `{name}`: {text}" if name else f"- {text}"
