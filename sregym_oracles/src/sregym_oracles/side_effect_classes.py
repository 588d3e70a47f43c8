"""What a repair changed besides what was broken, in classes: the table `side_effects.yaml`."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml
from pydantic import Field, field_validator
from sregym_core.model import ObjectRef, Severity, SideEffect
from sregym_core.model.base import Value

from sregym_oracles.leaves import Records, leaves_of, leaves_of_text
from sregym_oracles.objects import RELEASE

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from sregym_core.interfaces import Application, SystemState
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import Component

    from sregym_oracles.leaves import Leaves

# libyaml where it is there: ten times faster, same result.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_ANY = "*"
# Kinds of the API that no row names: custom resources, and whatever else a cluster stores.
_OTHERS = "others"
# What is shown of a value: what an agent wrote may be of any length.
_SHOWN, _SHOWN_PATH = 60, 140
_SUFFIXES = {
    "n": 1e-9, "u": 1e-6, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18,
    "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50, "Ei": 2**60,
}  # fmt: skip
_QUANTITY = re.compile(r"(\d{1,24}(?:\.\d{1,9})?)(?:[eE](\d{1,2})|([numkMGTPE]|[KMGTPE]i))?")


class ChangeKind(StrEnum):
    """How a leaf, or an object as a whole, differs from before."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    LOWERED = "lowered"
    EMPTIED = "emptied"
    SHRUNK = "shrunk"
    LOST = "lost"
    REPLACED = "replaced"
    UNBOUNDED = "unbounded"


class Rule(Value):
    """One row of the table.

    Attributes:
        name: The class of side effects, `class` in the table.
        severity: What it comes to.
        of: Kinds of objects; `*` for every kind, `others` for kinds of the Kubernetes API that no
            row of the table names.
        part: Kind of component whose own objects are compared; empty for all.
        at: Regular expression for the whole path of a leaf; empty for the object as a whole.
        change: How it differs. `changed` is any difference, `lost` that `before` finds an item no
            longer, `replaced` that an image is of another repository, `unbounded` that an amount is now
            more than any node has, and was not.
        before: What the value had somewhere; empty for anything.
        after: What it has now.
        share: For `lowered` and `shrunk`: from which share of the value before on.
        new: Whether objects that did not exist before count.
        gone: Whether leaves of objects that do not exist any more count.
        spare: `targets`: only reported of what a fault acts on itself.
        what: Why it matters.
    """

    name: str = Field(alias="class")
    severity: Severity
    of: tuple[str, ...] = Field(min_length=1)
    part: str = ""
    at: str = ""
    change: ChangeKind
    before: str = ""
    after: str = ""
    share: float = Field(default=1.0, gt=0, le=1)
    new: bool = True
    gone: bool = True
    spare: str = Field(default="", pattern="^(targets)?$")
    what: str

    @field_validator("at", "before", "after")
    @classmethod
    def _compiles(cls, text: str) -> str:
        try:
            re.compile(text)
        except re.error as error:
            raise ValueError(f"is no regular expression: {error}") from None
        return text


class Difference(NamedTuple):
    """One leaf, or a whole object, that is not as it was; an object has an empty path.

    `before` and `after` are None for what does not exist, `new` says that the object did not exist
    before, `gone` that it does not exist any more, and `api` that it is one of the Kubernetes API.
    """

    kind: str
    where: str
    path: str
    before: Any
    after: Any
    new: bool = False
    gone: bool = False
    api: bool = False


class Found(NamedTuple):
    """A side effect and the difference that it is about."""

    effect: SideEffect
    difference: Difference


@lru_cache(maxsize=1)
def rules() -> tuple[Rule, ...]:
    """The table of this package."""
    text = files(__package__).joinpath("side_effects.yaml").read_text(encoding="utf-8")
    table = yaml.load(text, _LOADER)  # noqa: S506 - a safe loader, chosen above
    return tuple(Rule.model_validate(row) for row in table["rules"])


def differences(
    before: SystemState, after: SystemState, among: Callable[[str], bool] | None = None
) -> Iterator[Difference]:
    """All leaves that differ, object by object, sorted; first whether there is the object.

    Args:
        before: What they differ from.
        after: What differs.
        among: Of which objects, by `where`; None for all.
    """
    was, now = {**before.observed, **before.objects}, {**after.observed, **after.objects}
    for name in sorted(was.keys() | now.keys()):
        old, new = was.get(name), now.get(name)
        if old is new or (among is not None and not among(name)) or old == new:
            continue
        obj: KubeObject | None = new or old
        assert obj is not None
        if obj.get("type") == RELEASE:
            continue
        where = (obj["kind"], name)
        for one in _between(where, leaves_of(old), leaves_of(new), old is None, new is None):
            yield one._replace(api=True)
    for name in sorted(before.stored.keys() | after.stored.keys()):
        held, text = before.stored.get(name), after.stored.get(name)
        where = (name.partition(" ")[0], name.rstrip(":"))
        if held != text and (among is None or among(where[1])):
            old_leaves, leaves = leaves_of_text(held or ""), leaves_of_text(text or "")
            yield from _between(where, old_leaves, leaves, held is None, text is None)


def _between(
    where: tuple[str, str], before: Leaves, after: Leaves, fresh: bool, gone: bool
) -> Iterator[Difference]:
    if fresh or gone:
        yield Difference(*where, "", None if fresh else True, None if gone else True, fresh, gone)
    for path in sorted(before.keys() | after.keys()):
        old, new = before.get(path), after.get(path)
        if isinstance(old, Records) or isinstance(new, Records):
            # Records that came are no change of those that were; a table that is gone is lost as a whole.
            if isinstance(old, Records) and isinstance(new, Records):
                held, left = old.total(), old.unchanged_in(new)
                if left < held:
                    yield Difference(*where, path, held, left, fresh, gone)
            continue
        if old != new or type(old) is not type(new):
            yield Difference(*where, path, old, new, fresh, gone)


def side_effects(
    found: Iterable[Difference],
    application: Application,
    targets: Sequence[str] = (),
    table: Sequence[Rule] | None = None,
    nodes: Iterable[KubeObject] = (),
) -> Iterator[Found]:
    """What differences come to, by the first row of the table that fits each.

    Args:
        found: What differs.
        application: The application with the components that the rows name.
        targets: `where` of the objects on which faults act.
        table: The rows; those of this package when not given.
        nodes: Those of the cluster, for what is more than any of them has.
    """
    rows = rules() if table is None else table
    parts, most = _parts(application), _greatest(nodes)
    named = {kind for rule in rows for kind in rule.of}
    for one in found:
        for rule in rows:
            if _is_of(rule, one, named) and _fits(rule, one, parts, most):
                spared = rule.spare == "targets" and one.where in targets
                severity = Severity.REPORT if spared else rule.severity
                effect = SideEffect(
                    kind=rule.name, severity=severity, where=one.where, what=_told(rule, one)
                )
                yield Found(effect, one)
                break


def _parts(application: Application) -> dict[str, set[str]]:
    """`where` of the objects of which components consist, by the kind of component."""
    parts: dict[str, set[str]] = {}
    for component in application.components():
        parts.setdefault(component.kind, set()).update(map(str, _own(component)))
    return parts


def _own(component: Component) -> Iterator[ObjectRef]:
    yield from (component.workload, *component.workloads)
    yield from (use.source for use in component.config)


def _greatest(nodes: Iterable[KubeObject]) -> dict[str, float]:
    """By resource, how much the node has that has most of it."""
    most: dict[str, float] = {}
    for node in nodes:
        for resource, text in ((node.get("status") or {}).get("capacity") or {}).items():
            most[resource] = max(most.get(resource, 0.0), _amount(text) or 0.0)
    return most


def _is_of(rule: Rule, one: Difference, named: Collection[str]) -> bool:
    """Whether a row is about objects of this kind; `named` are those that any row names."""
    if _ANY in rule.of or one.kind in rule.of:
        return True
    return _OTHERS in rule.of and one.api and one.kind not in named


def _fits(
    rule: Rule, one: Difference, parts: Mapping[str, set[str]], most: Mapping[str, float]
) -> bool:
    if (one.new and not rule.new) or (one.gone and one.path and not rule.gone):
        return False
    if rule.part and one.where not in parts.get(rule.part, ()):
        return False
    if bool(rule.at) != bool(one.path) or (rule.at and not re.fullmatch(rule.at, one.path)):
        return False
    if rule.change is ChangeKind.UNBOUNDED:
        room = most.get(one.path.rpartition("/")[2])
        return (
            room is not None
            and one.after is not None
            and _within(one.before, room)
            and not _within(one.after, room)
        )
    return _differs(rule, one.before, one.after)


def _within(value: Any, room: float) -> bool:
    """Whether there is an amount, and it is no more than there is room for."""
    amount = _amount(value)
    return amount is not None and amount <= room


def _differs(rule: Rule, before: Any, after: Any) -> bool:
    way = rule.change
    if way is ChangeKind.LOST:
        return bool(re.search(rule.before, _text(before))) and not re.search(
            rule.before, _text(after)
        )
    if rule.before and not re.search(rule.before, _text(before)):
        return False
    if rule.after and not re.search(rule.after, _text(after)):
        return False
    if way is ChangeKind.CHANGED:
        return True
    if way is ChangeKind.ADDED:
        return before is None
    if way is ChangeKind.REMOVED:
        return after is None
    if before is None or after is None:
        return False
    return _lessened(rule, before, after)


def _lessened(rule: Rule, before: Any, after: Any) -> bool:
    if rule.change is ChangeKind.LOWERED:
        old, new = _amount(before), _amount(after)
        return old is not None and new is not None and new < old * rule.share
    if rule.change is ChangeKind.EMPTIED:
        return _filled(before) and not _filled(after)
    if rule.change is ChangeKind.SHRUNK:
        return len(_text(after)) < len(_text(before)) * rule.share
    return _repository(_text(before)) != _repository(_text(after))


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _filled(value: Any) -> bool:
    return bool(re.search(r"\w", _text(value)))


def _amount(value: Any) -> float | None:
    found = _QUANTITY.fullmatch(_text(value))
    if found is None:
        return None
    scale = 10.0 ** int(found[2]) if found[2] else _SUFFIXES.get(found[3] or "", 1.0)
    return float(found[1]) * scale


def _repository(image: str) -> str:
    name = image.partition("@")[0]
    head, slash, tail = name.rpartition("/")
    return head + slash + tail.partition(":")[0]


def _told(rule: Rule, one: Difference) -> str:
    if not one.path:
        return f"it is {'new' if one.new else 'gone'}: {rule.what}"
    path = _short(one.path, _SHOWN_PATH)
    if one.after is None:
        change = f"lost {path}"
    elif one.before is None:
        change = f"has {path} {_short(one.after)}"
    else:
        change = f"has {path} {_short(one.after)}, not {_short(one.before)}"
    return f"{change}: {rule.what}"


def _short(value: Any, most: int = _SHOWN) -> str:
    text = " ".join(_text(value).split()) or "''"
    return text if len(text) <= most else f"{text[: most - 3]}..."
