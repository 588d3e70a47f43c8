"""What is wrong with a stage that cannot be carried out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_gotemplate import TemplateError
from sregym_regex.go import PatternError, anywhere
from sregym_regex.go_text import quoted

from sregym_logql.extraction import ERROR
from sregym_logql.filtering import network
from sregym_logql.json_lines import path_of
from sregym_logql.logfmt_lines import key_of
from sregym_logql.nodes import (
    Both,
    LabelFilter,
    LabelFormat,
    LineFilter,
    LineFormat,
    Parser,
)
from sregym_logql.patterns import check_captures, check_filter
from sregym_logql.template import check_template

if TYPE_CHECKING:
    from sregym_logql.nodes import Condition, Stage


_GROUP = re.compile(r"(?<!\\)\(\?P?<([A-Za-z_]\w*)>")


def check_stage(stage: Stage) -> None:
    """Refuse a stage that cannot be carried out.

    Raises:
        ValueError: In Loki's words.
    """
    if isinstance(stage, LineFilter):
        _check_line_filter(stage)
    elif isinstance(stage, Parser):
        _check_parser(stage)
    elif isinstance(stage, LineFormat):
        try:
            check_template("line", stage.template)
        except TemplateError as error:
            message = f"invalid line template: {error}"
            raise ValueError(message) from None
    elif isinstance(stage, LabelFormat):
        _check_label_format(stage)
    elif isinstance(stage, LabelFilter):
        _check_addresses(stage.condition)


def _check_line_filter(stage: LineFilter) -> None:
    if stage.ip:
        if stage.op not in ("|=", "!="):
            message = "ip: invalid operation"
            raise ValueError(message)
        _address(stage.texts[0])
    for text in stage.texts[1 if stage.ip else 0 :]:
        if stage.op in ("|>", "!>"):
            check_filter(text)
        elif stage.op in ("|~", "!~"):
            _regexp(text)


def _check_parser(parser: Parser) -> None:
    if parser.kind == "regexp":
        if not _regexp(parser.text):
            message = "at least one named capture must be supplied"
            raise ValueError(message)
        names = _GROUP.findall(parser.text)
        twice = next((name for index, name in enumerate(names) if name in names[:index]), None)
        if twice is not None:
            message = f"duplicate extracted label name '{twice}'"
            raise ValueError(message)
    elif parser.kind == "json":
        for _, path in parser.wanted:
            try:
                path_of(path)
            except ValueError as error:
                message = f"cannot parse expression [{path}]: {error}"
                raise ValueError(message) from None
        _check_names(parser)
    elif parser.kind == "logfmt":
        for _, source in parser.wanted:
            try:
                key_of(source)
            except ValueError as error:
                message = f"cannot parse expression [{source}]: {error}"
                raise ValueError(message) from None
        _check_names(parser)
    elif parser.kind == "pattern":
        check_captures(parser.text)


def _check_names(parser: Parser) -> None:
    for label, _ in parser.wanted:
        if not label.isascii():
            message = f"invalid extracted label name '{label}'"
            raise ValueError(message)


def _regexp(text: str) -> bool:
    """Whether an expression has named groups."""
    try:
        return bool(anywhere(text).groupindex)
    except PatternError as error:
        message = f"error parsing regexp: {error}"
        raise ValueError(message) from None


def _check_label_format(stage: LabelFormat) -> None:
    seen: set[str] = set()
    for target, source, is_template in stage.changes:
        if target == ERROR:
            message = f"{target} cannot be formatted"
            raise ValueError(message)
        if target in seen:
            message = f"multiple label name '{target}' not allowed in a single format operation"
            raise ValueError(message)
        seen.add(target)
        if is_template:
            try:
                check_template("label", source)
            except TemplateError as error:
                message = f"invalid template for label '{target}': {error}"
                raise ValueError(message) from None


def _check_addresses(condition: Condition) -> None:
    if isinstance(condition, Both):
        _check_addresses(condition.left)
        _check_addresses(condition.right)
    elif condition.kind == "ip":
        _address(condition.text)


def _address(text: str) -> None:
    try:
        network(text)
    except ValueError:
        message = f"ip: invalid pattern: {quoted(text)}"
        raise ValueError(message) from None
