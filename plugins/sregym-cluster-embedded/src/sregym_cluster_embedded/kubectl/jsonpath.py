"""kubectl's dialect of JSONPath: templates with `{.items[*].metadata.name}`, `range`, filters."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from sregym_regex.budget import allocate, spend

from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered
from sregym_cluster_embedded.kubectl.yaml_text import compact_json, go_float, json_text

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME = re.compile(r"(?:\\.|[^\s.\[\]{}()'\"|,=!<>?@$*\\])+")
_INDEX = re.compile(r"(-?\d*)(?::(-?\d*))?(?::(-?\d*))?$")
_FILTER = re.compile(r"\?\(\s*(.+?)\s*(?:(==|!=|<=|>=|<|>)\s*(.+?)\s*)?\)$", re.DOTALL)
_ACTION = re.compile(r"\{((?:[^{}\"']|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')*)\}")
_RESULT_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", '"': '"', "'": "'"}


@dataclass(frozen=True)
class Step:
    """One step of a path.

    Attributes:
        kind: `field`, `wildcard`, `descend`, `slice`, `union` or `filter`.
        argument: The field's name, the slice, the parts of the union, the filter's text.
    """

    kind: str
    argument: Any = None


Path: TypeAlias = tuple[Step, ...]


@dataclass(frozen=True)
class _Node:
    kind: str
    text: str = ""
    path: Path = ()
    body: tuple[_Node, ...] = ()


class Template:
    """A parsed `-o jsonpath` template.

    Raises:
        NotCovered: It uses what is not understood, or is malformed.
    """

    def __init__(self, text: str) -> None:
        _refuse_open(text)
        nodes = list(_tokens(text))
        self._nodes = _nest(iter(nodes), top=True)

    def render(self, value: Any) -> str:
        """The text for one object."""
        return "".join(_render(self._nodes, value, value))

    def render_json(self, value: Any) -> str:
        """What each path finds, as a JSON list of its own."""
        if any(node.kind != "path" for node in self._nodes):
            raise NotCovered("jsonpath-as-json of more than paths")
        return "".join(json_text(find(node.path, value)) for node in self._nodes)


def _refuse_open(text: str) -> None:
    """Refuse a template whose last action or bracket does not end."""
    action = text.rpartition("{")[2] if "{" in text else ""
    plain = re.sub(r"'[^']*'|\"[^\"]*\"", "", action)
    if "[" in plain and "]" not in plain.rpartition("[")[2]:
        raise CommandError(f"error: error parsing jsonpath {text}, unterminated array")
    if "{" in text and "}" not in plain and "'" not in action and '"' not in action:
        raise CommandError(f"error: error parsing jsonpath {text}, unclosed action")


def relaxed(text: str) -> Path:
    """A path as `--sort-by`, `custom-columns` and `wait` take it: with or without braces and dot."""
    inner = text.strip()
    if inner.startswith("{") and inner.endswith("}"):
        inner = inner[1:-1]
    inner = inner.strip()
    # A dot alone is everything below, in the order of Go's maps, which is none.
    if inner in ("", ".") or "{" in inner or "}" in inner:
        raise NotCovered(f"path {text}")
    return parse_path(inner if inner[0] in ".[$@" else f".{inner}")


def find(path: Path, value: Any) -> list[Any]:
    """All values at `path`, missing ones left out."""
    values = [value]
    for step in path:
        parts = step.argument if step.kind == "union" else (step,)
        values = [found for part in parts for each in values for found in _step(part, each)]
        spend(1 + len(parts) + len(values))
    return values


def result_text(value: Any) -> str:
    """A value as a template prints it."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return ""
    if isinstance(value, float):
        return go_float(value)
    return compact_json(value) if isinstance(value, dict | list) else str(value)


def parse_path(text: str) -> Path:
    """Parse `.a.b[0]['c']..d[?(@.e=="f")].*`."""
    steps: list[Step] = []
    rest = text.strip()
    if rest[:1] in ("$", "@"):
        rest = rest[1:]
    while rest:
        if rest.startswith(".."):
            steps.append(Step("descend"))
            rest = rest[2:] if rest[2:3] == "[" else rest[1:]
        elif rest == ".":
            break
        elif rest.startswith(".["):
            rest = rest[1:]
        elif rest.startswith(".*"):
            steps.append(Step("wildcard"))
            rest = rest[2:]
        elif rest.startswith("."):
            name = _NAME.match(rest, 1)
            if name is None:
                raise NotCovered(f"path {text}")
            steps.append(Step("field", re.sub(r"\\(.)", r"\1", name.group())))
            rest = rest[name.end() :]
        elif rest.startswith("["):
            inner, rest = _bracket(rest)
            steps.append(_bracket_step(inner))
        else:
            raise NotCovered(f"path {text}")
    return tuple(steps)


def _bracket(text: str) -> tuple[str, str]:
    depth, quote = 0, ""
    for at, char in enumerate(text):
        if quote:
            quote = "" if char == quote and text[at - 1] != "\\" else quote
        elif char in "'\"":
            quote = char
        elif char == "[":
            depth += 1
        elif char == "]":
            depth -= 1
            if depth == 0:
                return text[1:at].strip(), text[at + 1 :]
    raise NotCovered(f"path {text}")


def _bracket_step(inner: str) -> Step:
    if inner == "*":
        return Step("wildcard")
    if inner.startswith("?"):
        return Step("filter", _filter(inner))
    if inner[:1] in ("'", '"'):
        names = re.findall(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"", inner)
        steps = tuple(Step("field", re.sub(r"\\(.)", r"\1", one or two)) for one, two in names)
        return steps[0] if len(steps) == 1 else Step("union", steps)
    if "," in inner:
        return Step("union", tuple(_bracket_step(part.strip()) for part in inner.split(",")))
    found = _INDEX.match(inner)
    if found is None or not inner:
        raise NotCovered(f"path [{inner}]")
    start, end, stride = found.groups()
    if ":" not in inner:
        return Step("index", int(start))
    if any(part and int(part) < 0 for part in (stride,)) or stride == "0":
        raise NotCovered(f"path [{inner}]")
    return Step("slice", slice(*(int(part) if part else None for part in (start, end, stride))))


def _filter(inner: str) -> tuple[Path, str, Any]:
    found = _FILTER.match(inner)
    if found is None or "&&" in inner or "||" in inner:
        raise NotCovered(f"filter {inner}")
    left, operator, right = found.groups()
    if not left.startswith("@"):
        raise NotCovered(f"filter {inner}")
    return parse_path(left), operator or "", _operand(right) if right else None


def _operand(text: str) -> Any:
    if text[0] in "'\"" and text[-1] == text[0]:
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    if text in ("true", "false"):
        return text == "true"
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    if re.fullmatch(r"-?\d+\.\d+", text):
        return float(text)
    raise NotCovered(f"operand {text}")


def _step(step: Step, value: Any) -> list[Any]:
    match step.kind, value:
        case "field", dict():
            return [value[step.argument]] if value.get(step.argument) is not None else []
        case "wildcard", dict():
            return [value[key] for key in sorted(value)]
        case "wildcard", list():
            return list(value)
        case "index", list():
            index: int = step.argument
            if not -len(value) <= index < len(value):
                raise NotCovered("array index out of bounds")
            return [value[index]]
        case "slice", list():
            begin, end, _ = step.argument.indices(len(value))
            if begin > end:
                raise NotCovered("a slice that ends before it begins")
            return list(value[step.argument])
        case "descend", _:
            return list(_descend(value))
        case "filter", list():
            return [entry for entry in value if _passes(step.argument, entry)]
        case (("index" | "slice" | "filter" | "wildcard"), _) if value is not None:
            raise NotCovered("an index of what is no list")
    return []


def _descend(value: Any) -> Iterator[Any]:
    spend()
    yield value
    if isinstance(value, dict):
        for key in sorted(value):
            if isinstance(value[key], dict | list):
                yield from _descend(value[key])
    elif isinstance(value, list):
        for entry in value:
            if isinstance(entry, dict | list):
                yield from _descend(entry)


def _passes(condition: tuple[Path, str, Any], entry: Any) -> bool:
    path, operator, right = condition
    found = find(path, entry)
    if not operator:
        return bool(found)
    if not found:
        return False
    left = found[0]
    if isinstance(left, dict | list):
        raise NotCovered("a comparison of what is no scalar")
    if isinstance(left, bool) is not isinstance(right, bool) or isinstance(
        left, str
    ) is not isinstance(right, str):
        raise NotCovered("a comparison of different types")
    match operator:
        case "==":
            return bool(left == right)
        case "!=":
            return bool(left != right)
        case "<":
            return bool(left < right)
        case "<=":
            return bool(left <= right)
        case ">":
            return bool(left > right)
        case _:
            return bool(left >= right)


def _tokens(text: str) -> Iterator[_Node]:
    at = 0
    for action in _ACTION.finditer(text):
        between = text[at : action.start()]
        if "{" in between or "}" in between:
            raise NotCovered(f"template {text}")
        if between:
            yield _Node("text", between)
        at = action.end()
        yield _action(action.group(1).strip())
    if "{" in text[at:] or "}" in text[at:]:
        raise NotCovered(f"template {text}")
    if text[at:]:
        yield _Node("text", text[at:])


def _action(inner: str) -> _Node:
    if inner == "end":
        return _Node("end")
    if inner.startswith("range "):
        return _Node("range", path=parse_path(inner[6:]))
    if inner[:1] in ("'", '"') and inner[-1:] == inner[:1]:
        body = inner[1:-1]
        return _Node("text", re.sub(r"\\(.)", lambda m: _RESULT_ESCAPES.get(m[1], m[0]), body))
    if inner[:1] in (".", "[", "$", "@"):
        return _Node("path", path=parse_path(inner), text="$" if inner[0] == "$" else "")
    raise NotCovered(f"template {{{inner}}}")


def _nest(nodes: Iterator[_Node], top: bool) -> tuple[_Node, ...]:
    found: list[_Node] = []
    for node in nodes:
        if node.kind == "range":
            found.append(_Node("range", path=node.path, body=_nest(nodes, top=False)))
        elif node.kind == "end":
            if top:
                raise NotCovered("not in range, nothing to end")
            return tuple(found)
        else:
            found.append(node)
    return tuple(found)


def _render(nodes: tuple[_Node, ...], value: Any, root: Any) -> Iterator[str]:
    for node in nodes:
        spend(2)
        if node.kind == "text":
            yield node.text
        elif node.kind == "path":
            start = root if node.text == "$" else value
            texts = []
            for found in find(node.path, start):
                texts.append(result_text(found))
                allocate(2 * len(texts[-1]) + 60)
                spend(len(texts[-1]) >> 6)
            yield " ".join(texts)
        else:
            for entry in find(node.path, value):
                yield from _render(node.body, entry, root)
