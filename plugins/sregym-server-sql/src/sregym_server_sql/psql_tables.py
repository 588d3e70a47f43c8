"""Rows as psql writes them: aligned, one below the other, unaligned, as CSV."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sregym_server_sql.select_columns import is_number

if TYPE_CHECKING:
    from sregym_server_sql.engine import Result


@dataclass(frozen=True)
class TableStyle:
    """How rows are written.

    Attributes:
        form: `aligned`, `unaligned` or `csv`.
        bare: Without names and number of rows.
        expanded: One value below the other.
        separator: Between values that are not aligned.
        null: What stands for NULL.
        title: Above the table.
        footer: Below it, instead of the number of rows; None for that number.
    """

    form: str = "aligned"
    bare: bool = False
    expanded: bool = False
    separator: str = "|"
    null: str = ""
    title: str = ""
    footer: str | None = None

    def named(self, title: str, footer: str | None = None) -> TableStyle:
        """It with a title."""
        return replace(self, title=title, footer=footer)


def text_of(value: Any, kind: str, null: str = "") -> str:
    """A value as it is shown."""
    if value is None:
        return null
    if isinstance(value, bool):
        return "t" if value else "f"
    base = kind.partition("(")[0].strip()
    if base in ("boolean", "bool") and value in (0, 1, "true", "false", "t", "f"):
        return "t" if value in (1, "true", "t") else "f"
    if base in ("numeric", "decimal") and isinstance(value, int | float):
        scale = kind.partition("(")[2].rstrip(")").partition(",")[2].strip()
        if scale.isdecimal():
            return f"{value:.{int(scale)}f}"
        if kind == "numeric" and isinstance(value, float):
            return f"{value:.16f}"
    return str(value)


def table(result: Result, look: TableStyle) -> str:
    """A table."""
    kinds = result.types or tuple("" for _ in result.columns)
    rows = [
        [text_of(value, kind, look.null) for value, kind in zip(row, kinds, strict=True)]
        for row in result.rows
    ]
    if look.form == "csv":
        lines = rows if look.bare else [list(result.columns), *rows]
        return "".join(",".join(map(_comma, line)) + "\n" for line in lines)
    count = f"({len(rows)} row{'' if len(rows) == 1 else 's'})"
    if look.expanded:
        return _expanded(result, rows, look, count)
    if look.form == "unaligned":
        lines = rows if look.bare else [list(result.columns), *rows]
        title = f"{look.title}\n" if look.title and not look.bare else ""
        footer = "" if look.bare else f"{count if look.footer is None else look.footer}\n"
        footer = "" if footer == "\n" else footer
        return title + "".join(look.separator.join(line) + "\n" for line in lines) + footer
    numbers = [_right(result, place, kind) for place, kind in enumerate(kinds)]
    return _aligned(result, rows, look, count, numbers)


def _right(result: Result, place: int, kind: str) -> bool:
    if kind:
        return is_number(kind)
    values = [row[place] for row in result.rows if row[place] is not None]
    return bool(values) and all(
        isinstance(value, int | float) and not isinstance(value, bool) for value in values
    )


def _comma(text: str) -> str:
    quoted = any(char in text for char in ',"\n\r')
    return '"' + text.replace('"', '""') + '"' if quoted else text


def _aligned(
    result: Result, rows: list[list[str]], look: TableStyle, count: str, numbers: list[bool]
) -> str:
    if not result.columns:
        return f"--\n{count}\n\n"
    wide = [
        max([len(name), *(len(line) for row in rows for line in row[place].split("\n"))])
        for place, name in enumerate(result.columns)
    ]
    out = "".join(_row(row, wide, numbers) for row in rows)
    if look.bare:
        return f"{out}\n"
    head = "|".join(f" {name:^{width}} " for name, width in zip(result.columns, wide, strict=True))
    rule = "+".join("-" * (width + 2) for width in wide)
    title = ""
    if look.title:
        title = " " * max(0, (len(rule) - len(look.title)) // 2) + look.title + "\n"
    footer = f"{count}\n" if look.footer is None else look.footer
    return f"{title}{head}\n{rule}\n{out}{footer}\n"


def _row(row: list[str], wide: list[int], numbers: list[bool]) -> str:
    """One row; cells of several lines go on below."""
    cells = [cell.split("\n") for cell in row]
    last = len(cells) - 1
    out = ""
    for line in range(max(map(len, cells))):
        for place, parts in enumerate(cells):
            text = parts[line] if line < len(parts) else ""
            goes_on = line + 1 < len(parts)
            pad = f"{text:>{wide[place]}}" if numbers[place] else f"{text:<{wide[place]}}"
            if place == last and not goes_on and not numbers[place]:
                pad = text
            out += f" {pad}"
            if place < last:
                out += "+|" if goes_on else " |"
            elif goes_on:
                out += "+"
        out += "\n"
    return out


def _expanded(result: Result, rows: list[list[str]], look: TableStyle, count: str) -> str:
    if look.form == "unaligned":
        found = (
            "".join(f"{name}{look.separator}{cell}\n" for name, cell in zip(result.columns, row, strict=True))
            for row in rows
        )  # fmt: skip
        return "\n".join(found)
    if not rows:
        return "" if look.bare else f"{count}\n\n"
    names = max(map(len, result.columns))
    cells = max(len(line) for row in rows for cell in row for line in cell.split("\n"))
    out = f"{look.title}\n" if look.title and not look.bare else ""
    for number, row in enumerate(rows, start=1):
        if not look.bare:
            out += _record(number, names, cells)
        elif number > 1:
            out += _record(0, names, cells)
        for name, cell in zip(result.columns, row, strict=True):
            first, *more = cell.split("\n")
            out += (
                f"{name:<{names}} | {first:<{cells}}+\n" if more else f"{name:<{names}} | {first}\n"
            )
            for place, line in enumerate(more):
                end = f"{line:<{cells}}+" if place + 1 < len(more) else line
                out += f"{'':<{names}} | {end}\n"
    return f"{out}\n"


def _record(number: int, names: int, cells: int) -> str:
    """The line above a record."""
    label = f"[ RECORD {number} ]" if number else ""
    out, taken = f"-{label}", len(label) + 1
    out += "-" * max(0, names - taken)
    taken -= names
    for mark in "-+-":
        if taken <= 0:
            out += mark
        taken -= 1
    return out + "-" * max(0, cells - max(0, taken)) + "\n"
