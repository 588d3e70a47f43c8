"""`table.yaml`: templates of workloads and their programs, and a row for each that there is."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sregym_lint import Defect, Document, documents

from sregym_apps.table.derived import DERIVED
from sregym_apps.table.filling import FillingError, filled, names_used

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sregym_lint import Location

# What a table and its templates hold.
_TABLE: Mapping[str, type] = MappingProxyType(
    {"templates": dict, "rows": list, "include": list, "vocabulary": dict, "derive": list}
)
_SECTIONS: Mapping[str, type] = MappingProxyType(
    {"objects": list, "components": dict, "programs": dict, "images": list}
)
_KINDS: Mapping[type, str] = MappingProxyType({list: "list", dict: "mapping"})
_TEMPLATE_FIELDS = ("defaults", *_SECTIONS)


@dataclass
class Expanded:
    """What the rows of a table make.

    Attributes:
        objects: Name of a row -> its manifests.
        components: Entries of `components.yaml`.
        programs: Programs of the service model.
        images: Images of the service model.
        derive: What notes that do not say it take from the programs: `callers`, `operations`.
        runners: Name of a program -> components of the rows that made it.
        defects: What is wrong with the table.
    """

    objects: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    components: dict[str, Any] = field(default_factory=dict)
    programs: dict[str, Any] = field(default_factory=dict)
    images: list[Any] = field(default_factory=list)
    derive: tuple[str, ...] = ()
    runners: dict[str, list[str]] = field(default_factory=dict)
    defects: list[Defect] = field(default_factory=list)


def expanded(text: str, name: str) -> Expanded:
    """All that a table makes, and everything that is wrong with it.

    Args:
        text: The file.
        name: Its name, for the defects.
    """
    made = Expanded()
    read, made.defects = documents(text, name)
    for document in read[:1]:
        made.defects += document.own
        table = document.data
        wrong = list(_wrong_table(table)) or list(_wrong_templates(table["templates"]))
        made.defects += document.defects(wrong)
        if not made.defects:
            made.defects += _included(document)
        if not made.defects:
            made.derive = tuple(table.get("derive", ()))
            _expand(document, made)
    return made


def _wrong_table(table: Any) -> Iterator[tuple[Location, str]]:
    if not isinstance(table, dict) or not {"templates", "rows"} <= set(table):
        yield (), "a table has 'templates' and 'rows'"
        return
    for key, value in table.items():
        if key not in _TABLE:
            yield (key,), _nearest("field", key, _TABLE)
        elif not isinstance(value, _TABLE[key]):
            yield (key,), f"is {value!r}, not a {_KINDS[_TABLE[key]]}"
    derive = table.get("derive", ())
    for index, name in enumerate(derive if isinstance(derive, list) else ()):
        if name not in DERIVED:
            yield ("derive", index), _nearest("note to derive", name, DERIVED)


def _included(document: Document) -> Iterator[Defect]:
    """Add the templates of other tables; those of the same name here count before."""
    for index, place in enumerate(document.data.get("include", ())):
        package, _, file = str(place).partition(":")
        here = ("include", index)
        try:
            text = (files(package) / file).read_text(encoding="utf-8")
        except (ImportError, OSError, ValueError, TypeError) as error:
            yield document.defect(
                here, f"{place!r} cannot be read: {type(error).__name__}: {error}"
            )
            continue
        read, unreadable = documents(text, str(place))
        yield from unreadable
        for other in read[:1]:
            wrong = list(_wrong_table({"rows": [], **(other.data or {})})) or list(
                _wrong_templates(other.data["templates"])
            )
            yield from (*other.own, *other.defects(wrong))
            if not wrong:
                given = document.data["templates"]
                document.data["templates"] = {**other.data["templates"], **given}


def _wrong_templates(templates: dict[str, Any]) -> Iterator[tuple[Location, str]]:
    for name, template in templates.items():
        here = ("templates", name)
        if not isinstance(template, dict) or not set(template) & set(_SECTIONS):
            yield here, f"a template has some of: {', '.join(_SECTIONS)}"
            continue
        for key, content in template.items():
            wanted = {**_SECTIONS, "defaults": dict}.get(key)
            if wanted is None:
                yield (*here, key), _nearest("field", key, _TEMPLATE_FIELDS)
            elif not isinstance(content, wanted):
                yield (*here, key), f"is {content!r}, not a {_KINDS[wanted]}"


def _expand(document: Document, made: Expanded) -> None:
    table = document.data
    seen: dict[str, int] = {}
    known = {name: _values_of(template) for name, template in table["templates"].items()}
    for index, row in enumerate(table["rows"]):
        here = ("rows", index)
        wrong = list(_wrong_row(row, known, seen, here))
        made.defects += document.defects(wrong)
        if not wrong:
            seen[row["name"]] = index
            _add(document, made, row, here)


def _values_of(template: dict[str, Any]) -> set[str]:
    """What a row of a template may hold."""
    return {"name", "template", *template.get("defaults", {}), *names_used(template)}


def _wrong_row(
    row: Any, templates: dict[str, set[str]], seen: dict[str, int], here: Location
) -> Iterator[tuple[Location, str]]:
    if not isinstance(row, dict) or not {"name", "template"} <= set(row):
        yield here, "a row has a 'name' and a 'template'"
        return
    if row["name"] in seen:
        yield (*here, "name"), f"{row['name']!r} is the name of row {seen[row['name']] + 1}, too"
    if row["template"] not in templates:
        yield (*here, "template"), _nearest("template", row["template"], templates)
        return
    known = templates[row["template"]]
    for key in row:
        if key not in known:
            what = f"value of template {row['template']!r}"
            yield (*here, key), _nearest(what, key, known - {"name", "template"})


def _add(document: Document, made: Expanded, row: dict[str, Any], here: Location) -> None:
    template = document.data["templates"][row["template"]]
    try:
        # Defaults may refer to the row.
        defaults = filled(
            {key: value for key, value in template.get("defaults", {}).items() if key not in row},
            row,
            ("templates", row["template"], "defaults"),
        )
        values = {**defaults, **row}
        parts = {
            section: filled(template[section], values, ("templates", row["template"], section))
            for section in _SECTIONS
            if section in template
        }
    except FillingError as error:
        what = f"for row {row['name']!r}: {error.text}"
        made.defects.append(document.defect(error.location, what))
        return
    if "objects" in parts:
        made.objects[row["name"]] = parts["objects"]
    for section, whole in (("components", made.components), ("programs", made.programs)):
        for name, entry in parts.get(section, {}).items():
            if name in whole and whole[name] != entry:
                what = f"{section}: {name!r} comes from an earlier row with other content, too"
                made.defects.append(document.defect(here, what))
            whole[name] = entry
    for name in parts.get("programs", {}):
        made.runners.setdefault(name, []).extend(parts.get("components", {}))
    made.images += [image for image in parts.get("images", ()) if image not in made.images]


def _nearest(what: str, name: Any, there: Any) -> str:
    names = sorted(map(str, there))
    close = difflib.get_close_matches(str(name), names, 1)
    meant = f"; meant: {close[0]!r}" if close else ""
    return f"there is no {what} {name!r}{meant}; there is: {', '.join(names)}"
