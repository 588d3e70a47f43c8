"""What an expression says when it fails or does not compile, word for word."""

from __future__ import annotations

import pytest
from sregym_cel import CelError, CompileError, compile_expression

VARIABLES = {"object": {"n": 3, "d": 1.5, "big": 2**63 - 1, "l": ["a", "b"], "e": [], "s": "abc"}}


def value(text: str) -> object:
    return compile_expression(text, tuple(VARIABLES)).evaluate(VARIABLES)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("18446744073709551615u + 1u", "unsigned integer overflow"),
        ("0u - 1u", "unsigned integer overflow"),
        ("uint(-1)", "unsigned integer overflow"),
        ("object.big + 1", "integer overflow"),
        ("-object.big - 2", "integer overflow"),
        ("int('99999999999999999999')", "integer overflow"),
        ("5 / 0", "division by zero"),
        ("5 % 0", "modulus by zero"),
        (r"string(b'\377')", "invalid UTF-8 in bytes, cannot convert to string"),
        ("optional.none().value()", "optional.none() dereference"),
        ("ip('x')", 'IP Address "x" parse error during conversion from string: ParseAddr("x"): unable to parse IP'),
        ("cidr('10.0.0.0')", 'network address parse error during conversion from string: netip.ParsePrefix("10.0.0.0"): no \'/\''),
        ("url('nope')", 'URL parse error during conversion from string: parse "nope": invalid URI for request'),
        ("semver('1.2')", "No Major.Minor.Patch elements found"),
        ("quantity('1.5').asInteger()", "cannot convert value to integer"),
        ("object.e.min()", "min called on empty list"),
        ("object.e.max()", "max called on empty list"),
        ("object.l['a']", "unsupported index type 'string' in list"),
        ("object.l[7]", "index out of bounds: 7"),
        ("object.nope", "no such key: nope"),
        ("object.n.x", "no such key: x"),
        ("{[1]: 2}", "unsupported key type"),
        ("object.s.charAt(9)", "index out of range: 9"),
        ("object.s.indexOf('a', 9)", "index out of range: 9"),
        ("object.s.substring(9)", "index out of range: 9"),
        ("object.s.substring(2, 1)", "invalid substring range. start: 2, end: 1"),
        ("timestamp('yesterday')", 'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"'),
        ("timestamp('9999-12-31T23:59:59Z') + duration('1h')", "timestamp overflow"),
        ("duration('1x')", 'time: invalid duration "1x"'),
    ],
)  # fmt: skip
def test_failures(text: str, said: str) -> None:
    with pytest.raises(CelError) as failure:
        value(text)
    assert str(failure.value) == said


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("'%d %x %X %o %b'.format([10, 'a/', 255, 8, true])", "10 612f FF 10 1"),
        ("'%f %.1f %e %%'.format([object.d, 2.25, 1500.0])", "1.500000 2.2 1.500000e+03 %"),
        ("'%f %e'.format([1.0 / 0.0, 'NaN'])", "Infinity NaN"),
        ("'%s %s'.format([b'x', [null, 1]])", "x [null, 1]"),
    ],
)
def test_formats(text: str, expected: str) -> None:
    assert value(text) == expected


PARSING = "could not parse formatting clause:"
FORMATTING = "error during formatting:"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("'%s %s'.format([1])", "index 1 out of range"),
        ("'%'.format([1])", "unexpected end of string"),
        ("'%q'.format([1])", f'{PARSING} unrecognized formatting clause "q"'),
        ("'%.3'.format([1])", f"{PARSING} error while parsing precision: could not find end of precision specifier"),
        ("'%.f'.format([1.0])", f'{PARSING} error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax'),
        ("'%d'.format(['a'])", f"{FORMATTING} decimal clause can only be used on integers, was given string"),
        ("'%d'.format([true])", f"{FORMATTING} decimal clause can only be used on integers, was given bool"),
        ("'%f'.format([1])", f"{FORMATTING} fixed-point clause can only be used on doubles, was given int"),
        ("'%e'.format(['a'])", f"{FORMATTING} scientific clause can only be used on doubles, was given string"),
        ("'%b'.format([1.5])", f"{FORMATTING} only integers and bools can be formatted as binary, was given double"),
        ("'%x'.format([[]])", f"{FORMATTING} only integers, byte buffers, and strings can be formatted as hex, was given list"),
        ("'%o'.format([1.5])", f"{FORMATTING} octal clause can only be used on integers, was given double"),
    ],
)  # fmt: skip
def test_formats_that_fail(text: str, said: str) -> None:
    with pytest.raises(CelError) as failure:
        value(text)
    assert str(failure.value) == said


@pytest.mark.parametrize(
    ("text", "column", "said"),
    [
        ("has(object)", 4, "invalid argument to has() macro"),
        ("[1].all(a.b, true)", 10, "argument must be a simple name"),
        ("object # 1", 8, "Syntax error: token recognition error at: '#'"),
        ("for == 1", 1, "reserved identifier: for"),
        ("18446744073709551616u", 1, "invalid uint literal"),
        ("9223372036854775808", 1, "invalid int literal"),
        (r"'\q'", 1, "invalid string literal"),
        (r"'\uD800'", 1, "invalid string literal"),
        (r"'\U001FFFFF'", 1, "invalid string literal"),
        (r"b'\u00e9'", 1, "invalid string literal"),
    ],
)
def test_what_does_not_compile(text: str, column: int, said: str) -> None:
    with pytest.raises(CompileError) as failure:
        value(text)
    place = f" | {text}\n | {'.' * (column - 1)}^"
    assert str(failure.value) == f"ERROR: <input>:1:{column}: {said}\n{place}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"b'\xff\101é\n' == b'\377A\303\251\x0a'", True),
        (r"br'\n'.size()", 2),
        (r"'\u00e9\U0001F600\x41\101'", "é😀AA"),
    ],
)
def test_escapes(text: str, expected: object) -> None:
    assert value(text) == expected
