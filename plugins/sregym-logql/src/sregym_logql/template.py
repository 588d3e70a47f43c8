"""The templates of line_format and label_format: Go's, with Loki's functions on labels."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

from sregym_gotemplate import Access, Function, FunctionError, Template, function, parse
from sregym_gotemplate.functions import AND, OR
from sregym_gotemplate.nodes import Action, Field, Text
from sregym_regex.budget import cached
from sregym_regex.go_text import readable

from sregym_logql.template_functions import FUNCTIONS, Moment

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sregym_gotemplate.nodes import Node

    Write: TypeAlias = Callable[[Mapping[str, str], str, int], str]


class _Line(NamedTuple):
    """What a template is carried out for.

    Attributes:
        text: The line.
        at_ns: Its time.
        now_ns: When the question was asked.
    """

    text: str
    at_ns: int
    now_ns: int


class _Labels(Access):
    """Labels, and values of JSON: what has no such field has an empty one."""

    failures: ClassVar[tuple[type[Exception], ...]] = (
        *(FunctionError, TypeError, ValueError, IndexError),
        *(ZeroDivisionError, OverflowError),
    )

    def field(self, value: Any, name: str) -> Any:
        """A field, or an empty text."""
        return value.get(name, "") if hasattr(value, "get") else ""

    def reader(self, names: tuple[str, ...]) -> Callable[[Any], Any]:
        """What gives the field at a path."""
        if len(names) > 1:
            return super().reader(names)
        (name,) = names
        return lambda value: value.get(name, "") if hasattr(value, "get") else ""


_ONE = ("ToLower", "ToUpper", "TrimSpace", "lower", "trim", "upper", "urldecode", "urlencode")
# Where it is not as many as the function here can do with: how many at least, whether more.
_OTHERS: Mapping[str, tuple[int, bool]] = MappingProxyType(
    {
        **dict.fromkeys(_ONE, (1, False)),
        **dict.fromkeys(("max", "maxf", "min", "minf", "mul"), (1, True)),
        "len": (1, False),
        "slice": (1, True),
    }
)
CALLABLE: Mapping[str, Function] = MappingProxyType(
    {
        **{
            name: Function(run, *_OTHERS[name]) if name in _OTHERS else function(run)
            for name, run in FUNCTIONS.items()
        },
        "and": AND,
        "or": OR,
        "__line__": Function(lambda line: line.text, 0, of_context=True),
        "__timestamp__": Function(lambda line: Moment(line.at_ns), 0, of_context=True),
        "now": Function(lambda line: Moment(line.now_ns), 0, of_context=True),
    }
)


@cached(256)
def writer(template: str, now_ns: int = 0, name: str = "line") -> Write:
    """What makes the text of a template from labels, line and time.

    Args:
        template: Its text.
        now_ns: What it takes for the present.
        name: What messages call it.

    It raises `TemplateError` where the template cannot be carried out.

    Raises:
        TemplateError: It cannot be read.
    """
    tree = parse(readable(template), name, CALLABLE)
    simple = [_simple(node) for node in tree.nodes]
    if all(part is not None for part in simple):
        return _labels_between([part for part in simple if part is not None])
    render = Template(tree, CALLABLE, _Labels()).render
    if "\\" in template:
        # Escapes may stand for bytes that are no characters.
        return lambda labels, line, at_ns: readable(
            render(labels, context=_Line(line, at_ns, now_ns))
        )
    return lambda labels, line, at_ns: render(labels, context=_Line(line, at_ns, now_ns))


def check_template(name: str, template: str) -> None:
    """Refuse a template that cannot be read.

    Args:
        name: What messages call it.
        template: Its text.

    Raises:
        TemplateError: In Go's words.
    """
    parse(readable(template), name, CALLABLE)


def _simple(node: Node) -> tuple[str, str] | None:
    """A text, or a label, as `(text, "")` and `("", label)`; None for anything else."""
    if isinstance(node, Text):
        return node.text, ""
    if not isinstance(node, Action) or node.pipe.variables or len(node.pipe.commands) > 1:
        return None
    part, *others = node.pipe.commands[0].parts
    if others or not isinstance(part, Field) or len(part.names) > 1:
        return None
    return "", part.names[0]


def _labels_between(parts: Sequence[tuple[str, str]]) -> Write:
    """Labels between texts, as most templates are."""
    if len(parts) == 1 and parts[0][1]:
        name = parts[0][1]
        return lambda labels, _, __: labels.get(name, "")
    text = "".join(text.replace("%", "%%") or f"%({label})s" for text, label in parts)
    none = dict.fromkeys([label for _, label in parts if label], "")

    def write(labels: Mapping[str, str], _: str, __: int) -> str:
        try:
            return text % labels
        except KeyError:
            return text % {**none, **labels}

    return write
