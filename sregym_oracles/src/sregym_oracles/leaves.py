"""Objects as leaves: the value at the end of each path, so that two of them can be compared."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.interfaces.cluster import KubeObject

Leaves: TypeAlias = "dict[str, Any]"

# Where the place in a list says nothing: by which of their fields its entries are known.
_IDENTITIES = ("name", "key", "containerPort", "port", "ip")
# What people decide of the metadata, and what works: annotations tell people something.
_METADATA = ("labels", "finalizers", "ownerReferences")
_WORDS = ("command", "args")
# What tables a dump of a relational database makes, and the rows that it puts in.
_MADE = re.compile(r"^CREATE TABLE \"?(\w+)", re.MULTILINE)
_ROW = re.compile(r"^INSERT INTO \"?(\w+)\"?(.*)", re.MULTILINE)
# Below it datastores list what each of their records looks like.
_CONTENTS = "contents/"
_LINE = re.compile(r"^(.+?)(?:: | = )(.*)$")


class Records(Counter[str]):
    """What the records of one table or collection look like, and how often."""

    def unchanged_in(self, other: object) -> int:
        """How many of them are there still, as they were."""
        return (self & other).total() if isinstance(other, Records) else 0


def leaves_of(obj: KubeObject | None) -> Leaves:
    """What people decide of an object; nothing for none.

    Steps of a path are joined by `/`. The words of a container's `command` and `args` stand
    together below `words`, and an entry of a list of values is its own last step.
    """
    if obj is None:
        return {}
    kept = {key: value for key, value in obj.items() if key not in ("metadata", "status")}
    metadata = obj.get("metadata") or {}
    kept["metadata"] = {field: metadata[field] for field in _METADATA if metadata.get(field)}
    return _leaves(kept, "")


def leaves_of_text(text: str) -> Leaves:
    """The same for what a datastore holds, as `Cluster.stored` returns it."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        rows = (_LINE.match(line) for line in text.splitlines())
        return {row[1]: _number(row[2]) for row in rows if row is not None}
    return _leaves(content, "")


def _leaves(value: Any, path: str) -> Leaves:
    found: Leaves = {}
    _gather(found, value, path)
    return found


def _gather(found: Leaves, value: Any, path: str) -> None:
    """Put in the leaves of a value; what is deeper than any object is is one, without recursion."""
    if path.count("/") > 40:
        found[path] = str(type(value))
    elif isinstance(value, dict):
        _gather_fields(found, value, path)
    elif isinstance(value, list) and path.startswith(_CONTENTS):
        found[path] = Records(map(str, value))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            if isinstance(inner, dict):
                known = next((inner[name] for name in _IDENTITIES if name in inner), index)
                _gather(found, inner, f"{path}/{known}")
            elif isinstance(inner, list):
                _gather(found, inner, f"{path}/{index}")
            else:
                found[f"{path}/{inner}"] = inner
                if not isinstance(inner, str):
                    found[f"{path}/{index}"] = inner
    elif isinstance(value, str) and value.startswith("BEGIN TRANSACTION;"):
        rows = {name: Records() for name in _MADE.findall(value)}
        for name, row in _ROW.findall(value):
            if name in rows:
                rows[name][row] += 1
        for name, records in rows.items():
            found[f"{path}/{name}"] = records.total()
            found[f"{_CONTENTS}{path}/{name}"] = records
    else:
        found[path] = value


def _gather_fields(found: Leaves, value: Mapping[str, Any], path: str) -> None:
    start = f"{path}/" if path else ""
    for key, inner in value.items():
        if key in _WORDS and isinstance(inner, list):
            for word in " ".join(map(str, inner)).split():
                found[f"{start}words/{word}"] = word
        else:
            _gather(found, inner, f"{start}{key}")


def _number(text: str) -> Any:
    return int(text) if text.isdecimal() and len(text) < 20 else text
