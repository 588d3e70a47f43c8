"""An application's folder with what its `table.yaml` makes, as if its author had written it all."""

from __future__ import annotations

import io
import posixpath
from functools import cached_property
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any

import yaml
from sregym_core.errors import UsageError

from sregym_apps.table.derived import with_derived
from sregym_apps.table.rows import Expanded, expanded

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

TABLE = "table.yaml"
_MODEL, _NOTES, _MANIFESTS = "service_model.yaml", "components.yaml", "manifests"
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_Dumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def with_table(folder: Traversable) -> Traversable:
    """The folder itself where it has no table; otherwise one that also holds what the table makes.

    Raises:
        UsageError: The table has defects; one line for each.
    """
    file = folder / TABLE
    if not file.is_file():
        return folder
    made = expanded(file.read_text(encoding="utf-8"), TABLE)
    if made.defects:
        raise UsageError("\n".join(map(str, made.defects)))
    return joined(folder, made)


def joined(folder: Traversable, made: Expanded) -> Traversable:
    """A folder with the manifests, notes, programs and images of a table beside its own.

    What stands in its own files counts before what the table makes of the same name.
    """
    texts: dict[str, str | Content] = {}
    for name, objects in made.objects.items():
        texts[f"{_MANIFESTS}/{name}.yaml"] = Content(objects, several=True)
    own = folder / _MANIFESTS
    if own.is_dir():
        for entry in own.iterdir():
            texts[f"{_MANIFESTS}/{entry.name}"] = entry.read_text(encoding="utf-8")
    notes, model = _data(folder / _NOTES), _data(folder / _MODEL)
    notes = {**made.components, **notes}
    programs = {**made.programs, **(model.get("programs") or {})}
    if made.derive:
        notes = with_derived(notes, programs, made.runners, made.derive, made.objects)
    texts[_NOTES] = Content(notes)
    whole = {**model, "programs": programs}
    if made.images:
        own_images = model.get("images") or []
        whole["images"] = [*own_images, *(one for one in made.images if one not in own_images)]
    texts[_MODEL] = Content(whole) if model or programs else ""
    return MemoryFolder(posixpath.basename(str(folder)), {k: v for k, v in texts.items() if v})


class Content:
    """What a file of YAML holds; its text is made when it is read.

    Args:
        data: One document, or a list of several.
        several: Whether it is that list.
    """

    def __init__(self, data: Any, *, several: bool = False) -> None:
        self.data = data
        self._several = several

    @cached_property
    def text(self) -> str:
        """The file."""
        return "---\n".join(map(_dumped, self.data if self._several else (self.data,)))


def content_of(file: Traversable) -> Any:
    """What a file holds that was made of a table, or None: reading its text would take longer."""
    found = file.content if isinstance(file, MemoryFolder) else None
    return found.data if isinstance(found, Content) else None


class MemoryFolder(Traversable):
    """A folder of texts that stand in memory.

    Args:
        name: Its own.
        texts: Path below it -> text.
    """

    def __init__(self, name: str, texts: Mapping[str, str | Content]) -> None:
        self._name = name
        self._texts = texts

    @property
    def name(self) -> str:
        """Its name."""
        return self._name

    @property
    def content(self) -> str | Content | None:
        """What the file is made of; None for a folder."""
        return self._texts.get("")

    def iterdir(self) -> Iterator[Traversable]:
        """What is directly in it, by name."""
        for first in sorted({path.partition("/")[0] for path in self._texts}):
            yield self / first

    def joinpath(self, *descendants: Any) -> Traversable:
        """What stands at a path below it."""
        path = "/".join(map(str, descendants))
        below = {
            name[len(path) + 1 :]: text
            for name, text in self._texts.items()
            if name == path or name.startswith(f"{path}/")
        }
        return MemoryFolder(posixpath.basename(path), below)

    def __truediv__(self, child: Any) -> Traversable:
        """As `joinpath`."""
        return self.joinpath(child)

    def is_dir(self) -> bool:
        """Whether it is not empty."""
        return bool(self._texts) and not self.is_file()

    def is_file(self) -> bool:
        """Whether it is a text."""
        return "" in self._texts

    def open(self, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        """The text as a file."""
        if not self.is_file():
            raise FileNotFoundError(self._name)
        content = self._texts[""]
        text = content.text if isinstance(content, Content) else content
        return io.BytesIO(text.encode()) if "b" in mode else io.StringIO(text)

    def read_text(self, encoding: str | None = None, *_: Any) -> str:
        """The text."""
        return str(self.open().read())

    def read_bytes(self) -> bytes:
        """The text in UTF-8."""
        return self.read_text().encode()

    def __str__(self) -> str:
        """Its name."""
        return self._name


def _data(file: Traversable) -> dict[str, Any]:
    if not file.is_file():
        return {}
    data = yaml.load(file.read_text(encoding="utf-8"), _Loader)  # noqa: S506 - a safe one
    return data if isinstance(data, dict) else {}


def _dumped(data: Any) -> str:
    return str(yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=1000))
