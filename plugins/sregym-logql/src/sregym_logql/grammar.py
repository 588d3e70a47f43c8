"""The grammar of LogQL as a table: what may follow what, for messages about what does not.

Queries are read by hand-written code; this table is walked only once a query is known to be wrong.
Terminals are written in capitals; the order of `TERMINALS` is that in which messages list them.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_IN_ORDER = """
    BYTES IDENTIFIER STRING NUMBER PARSER_FLAG DURATION RANGE MATCHERS LABELS EQ RE NRE NPA
    OPEN_BRACE CLOSE_BRACE OPEN_BRACKET CLOSE_BRACKET COMMA DOT PIPE_MATCH PIPE_EXACT PIPE_PATTERN
    OPEN_PARENTHESIS CLOSE_PARENTHESIS BY WITHOUT COUNT_OVER_TIME RATE RATE_COUNTER SUM SORT
    SORT_DESC AVG MAX MIN COUNT STDDEV STDVAR BOTTOMK TOPK APPROX_TOPK BYTES_OVER_TIME BYTES_RATE
    BOOL JSON REGEXP LOGFMT PIPE LINE_FMT LABEL_FMT UNWRAP AVG_OVER_TIME SUM_OVER_TIME
    MIN_OVER_TIME MAX_OVER_TIME STDVAR_OVER_TIME STDDEV_OVER_TIME QUANTILE_OVER_TIME BYTES_CONV
    DURATION_CONV DURATION_SECONDS_CONV FIRST_OVER_TIME LAST_OVER_TIME ABSENT_OVER_TIME VECTOR
    LABEL_REPLACE UNPACK OFFSET PATTERN IP ON IGNORING GROUP_LEFT GROUP_RIGHT DECOLORIZE DROP KEEP
    OR AND UNLESS CMP_EQ NEQ LT LTE GT GTE ADD SUB MUL DIV MOD POW
"""
TERMINALS: tuple[str, ...] = tuple(_IN_ORDER.split())

# Words that are words of the language wherever they stand.
KEYWORDS: Mapping[str, str] = MappingProxyType(
    {
        **{",": "COMMA", ".": "DOT", "{": "OPEN_BRACE", "}": "CLOSE_BRACE", "=": "EQ"},
        **{"!=": "NEQ", "=~": "RE", "!~": "NRE", "!>": "NPA", "|=": "PIPE_EXACT"},
        **{"|~": "PIPE_MATCH", "|>": "PIPE_PATTERN", "|": "PIPE", "unwrap": "UNWRAP"},
        **{"(": "OPEN_PARENTHESIS", ")": "CLOSE_PARENTHESIS", "by": "BY", "without": "WITHOUT"},
        **{"bool": "BOOL", "[": "OPEN_BRACKET", "]": "CLOSE_BRACKET", "offset": "OFFSET"},
        **{"label_replace": "LABEL_REPLACE", "on": "ON", "ignoring": "IGNORING"},
        **{"group_left": "GROUP_LEFT", "group_right": "GROUP_RIGHT", "or": "OR", "and": "AND"},
        **{"unless": "UNLESS", "+": "ADD", "-": "SUB", "*": "MUL", "/": "DIV", "%": "MOD"},
        **{"^": "POW", "==": "CMP_EQ", ">": "GT", ">=": "GTE", "<": "LT", "<=": "LTE"},
        **{"json": "JSON", "regexp": "REGEXP", "logfmt": "LOGFMT", "unpack": "UNPACK"},
        **{"pattern": "PATTERN", "label_format": "LABEL_FMT", "line_format": "LINE_FMT"},
        **{"ip": "IP", "decolorize": "DECOLORIZE", "drop": "DROP", "keep": "KEEP"},
    }
)
# Words that are functions before a parenthesis or a grouping, and names elsewhere.
FUNCTIONS: Mapping[str, str] = MappingProxyType(
    {
        **{
            name: name.upper()
            for name in (
                *("rate", "rate_counter", "count_over_time", "bytes_rate", "bytes_over_time"),
                *("avg_over_time", "sum_over_time", "min_over_time", "max_over_time"),
                *("stdvar_over_time", "stddev_over_time", "quantile_over_time"),
                *("first_over_time", "last_over_time", "absent_over_time", "vector", "sum", "avg"),
                *("max", "min", "count", "stddev", "stdvar", "bottomk", "topk", "sort"),
                *("sort_desc", "label_replace", "approx_topk", "ip"),
            )
        },
        "bytes": "BYTES_CONV",
        "duration": "DURATION_CONV",
        "duration_seconds": "DURATION_SECONDS_CONV",
    }
)

_RANGE_OPS = """COUNT_OVER_TIME RATE RATE_COUNTER BYTES_OVER_TIME BYTES_RATE AVG_OVER_TIME
    SUM_OVER_TIME MIN_OVER_TIME MAX_OVER_TIME STDVAR_OVER_TIME STDDEV_OVER_TIME QUANTILE_OVER_TIME
    FIRST_OVER_TIME LAST_OVER_TIME ABSENT_OVER_TIME"""
_VECTOR_OPS = "SUM AVG COUNT MAX MIN STDDEV STDVAR BOTTOMK TOPK SORT SORT_DESC APPROX_TOPK"
_OPERATORS = "OR AND UNLESS ADD SUB MUL DIV MOD POW CMP_EQ NEQ GT GTE LT LTE"
_ORDERS = "GT GTE LT LTE NEQ EQ CMP_EQ"
# Selector, and what stands between it and the range, or between the range and the end.
_BEFORE = ("", "unwrap", "pipeline", "pipeline unwrap")
_SELECTED = tuple(
    form
    for before in _BEFORE
    for form in (f"selector {before} RANGE", f"OPEN_PARENTHESIS selector {before} CLOSE_PARENTHESIS RANGE")
)  # fmt: skip
_RANGED = (
    *_SELECTED,
    *(f"{form} offset" for form in _SELECTED),
    *("selector RANGE unwrap", "selector RANGE offset unwrap"),
    "OPEN_PARENTHESIS selector CLOSE_PARENTHESIS RANGE unwrap",
    "OPEN_PARENTHESIS selector CLOSE_PARENTHESIS RANGE offset unwrap",
    *("selector RANGE pipeline", "selector RANGE offset pipeline"),
    *("selector RANGE pipeline unwrap", "selector RANGE offset pipeline unwrap"),
    "OPEN_PARENTHESIS ranged CLOSE_PARENTHESIS",
)
_MODIFIED = tuple(
    f"on GROUP_{side}{rest}"
    for side in ("LEFT", "RIGHT")
    for rest in (
        "",
        " OPEN_PARENTHESIS CLOSE_PARENTHESIS",
        " OPEN_PARENTHESIS labels CLOSE_PARENTHESIS",
    )
)

# By the name of what is made: the ways to make it.
RULES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "expr": ("logs", "metric"),
        "logs": ("selector", "selector pipeline", "OPEN_PARENTHESIS logs CLOSE_PARENTHESIS"),
        "metric": (
            *("over_range", "over_vector", "binary", "literal", "replace", "constant"),
            "OPEN_PARENTHESIS metric CLOSE_PARENTHESIS",
        ),
        "ranged": _RANGED,
        "unwrap": (
            "PIPE UNWRAP IDENTIFIER",
            "PIPE UNWRAP conversion OPEN_PARENTHESIS IDENTIFIER CLOSE_PARENTHESIS",
            "unwrap PIPE condition",
        ),
        "conversion": ("BYTES_CONV", "DURATION_CONV", "DURATION_SECONDS_CONV"),
        "over_range": (
            "range_op OPEN_PARENTHESIS ranged CLOSE_PARENTHESIS",
            "range_op OPEN_PARENTHESIS NUMBER COMMA ranged CLOSE_PARENTHESIS",
            "range_op OPEN_PARENTHESIS ranged CLOSE_PARENTHESIS grouping",
            "range_op OPEN_PARENTHESIS NUMBER COMMA ranged CLOSE_PARENTHESIS grouping",
        ),
        "over_vector": (
            "vector_op OPEN_PARENTHESIS metric CLOSE_PARENTHESIS",
            "vector_op grouping OPEN_PARENTHESIS metric CLOSE_PARENTHESIS",
            "vector_op OPEN_PARENTHESIS metric CLOSE_PARENTHESIS grouping",
            "vector_op OPEN_PARENTHESIS NUMBER COMMA metric CLOSE_PARENTHESIS",
            "vector_op OPEN_PARENTHESIS NUMBER COMMA metric CLOSE_PARENTHESIS grouping",
            "vector_op grouping OPEN_PARENTHESIS NUMBER COMMA metric CLOSE_PARENTHESIS",
        ),
        "replace": (
            "LABEL_REPLACE OPEN_PARENTHESIS metric COMMA STRING COMMA STRING COMMA STRING COMMA "
            "STRING CLOSE_PARENTHESIS",
        ),
        "selector": ("OPEN_BRACE matchers CLOSE_BRACE", "OPEN_BRACE CLOSE_BRACE"),
        "matchers": ("matcher", "matchers COMMA matcher"),
        "matcher": tuple(f"IDENTIFIER {op} STRING" for op in ("EQ", "NEQ", "RE", "NRE")),
        "pipeline": ("stage", "pipeline stage"),
        "stage": (
            *("filters", "PIPE logfmt", "PIPE parser", "PIPE JSON wanted", "PIPE condition"),
            *("PIPE LINE_FMT STRING", "PIPE DECOLORIZE", "PIPE LABEL_FMT formats"),
            *("PIPE DROP named", "PIPE KEEP named"),
        ),
        "filter_op": ("PIPE_MATCH", "PIPE_EXACT", "PIPE_PATTERN", "NRE", "NEQ", "NPA"),
        "alternative": (
            *("STRING", "STRING OR alternative"),
            "IP OPEN_PARENTHESIS STRING CLOSE_PARENTHESIS",
        ),
        "filter": (
            "filter_op STRING",
            "filter_op IP OPEN_PARENTHESIS STRING CLOSE_PARENTHESIS",
            "filter OR alternative",
        ),
        "filters": ("filter", "filters filter"),
        "flags": ("PARSER_FLAG", "flags PARSER_FLAG"),
        "logfmt": ("LOGFMT", "LOGFMT flags", "LOGFMT flags wanted", "LOGFMT wanted"),
        "parser": ("JSON", "REGEXP STRING", "UNPACK", "PATTERN STRING"),
        "format": ("IDENTIFIER EQ IDENTIFIER", "IDENTIFIER EQ STRING"),
        "formats": ("format", "formats COMMA format"),
        "condition": (
            *("matcher", "comparison", "OPEN_PARENTHESIS condition CLOSE_PARENTHESIS"),
            *("condition condition", "condition AND condition", "condition COMMA condition"),
            "condition OR condition",
        ),
        "comparison": (
            "IDENTIFIER EQ IP OPEN_PARENTHESIS STRING CLOSE_PARENTHESIS",
            "IDENTIFIER NEQ IP OPEN_PARENTHESIS STRING CLOSE_PARENTHESIS",
            *(
                f"IDENTIFIER {op} {value}"
                for op in _ORDERS.split()
                for value in ("DURATION", "BYTES", "literal")
            ),
        ),
        "extraction": ("IDENTIFIER EQ STRING", "IDENTIFIER"),
        "wanted": ("extraction", "wanted COMMA extraction"),
        "name": ("IDENTIFIER", "matcher"),
        "named": ("name", "named COMMA name"),
        "binary": tuple(f"expr {op} modifier expr" for op in _OPERATORS.split()),
        "bool": ("", "BOOL"),
        "on": tuple(
            f"bool {word} OPEN_PARENTHESIS {labels} CLOSE_PARENTHESIS"
            for word in ("ON", "IGNORING")
            for labels in ("labels", "")
        ),
        "modifier": ("bool", "on", *_MODIFIED),
        "literal": ("NUMBER", "ADD NUMBER", "SUB NUMBER"),
        "constant": ("VECTOR OPEN_PARENTHESIS NUMBER CLOSE_PARENTHESIS",),
        "vector_op": tuple(_VECTOR_OPS.split()),
        "range_op": tuple(_RANGE_OPS.split()),
        "offset": ("OFFSET DURATION",),
        "labels": ("IDENTIFIER", "labels COMMA IDENTIFIER"),
        "grouping": (
            *("BY OPEN_PARENTHESIS labels CLOSE_PARENTHESIS",),
            *("WITHOUT OPEN_PARENTHESIS labels CLOSE_PARENTHESIS",),
            *("BY OPEN_PARENTHESIS CLOSE_PARENTHESIS", "WITHOUT OPEN_PARENTHESIS CLOSE_PARENTHESIS"),
        ),
    }
)  # fmt: skip
