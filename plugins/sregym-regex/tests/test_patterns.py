"""Expressions and globs that somebody outside has written."""

from __future__ import annotations

import pytest
from sregym_regex import globs, go, perl, posix
from sregym_regex.budget import Budget, OutOfStepsError, under

# Refusals of Go 1.21's regexp, the part behind `error parsing regexp: `.
REFUSED = [
    ("(", "missing closing ): `(`"),
    ("a)", "unexpected ): `a)`"),
    ("[a", "missing closing ]: `[a`"),
    ("[z-a]", "invalid character class range: `z-a`"),
    ("[[:no:]]", "invalid character class range: `[:no:]`"),
    (r"\p{No such}", r"invalid character class range: `\p{No such}`"),
    ("a**", "invalid nested repetition operator: `**`"),
    ("*", "missing argument to repetition operator: `*`"),
    ("a{1001}", "invalid repeat count: `{1001}`"),
    ("(a{100}){100}", "invalid repeat count: `{100}`"),
    ("(?=a)", "invalid or unsupported Perl syntax: `(?=`"),
    ("(?<n>a)", "invalid or unsupported Perl syntax: `(?<`"),
    ("(?P<é>a)", "invalid named capture: `(?P<é>`"),
    ("(?P<a", "invalid named capture: `(?P<a`"),
    (r"\1", r"invalid escape sequence: `\1`"),
    (r"\C", r"invalid escape sequence: `\C`"),
    ("a\\", "trailing backslash at end of expression: ``"),
    ("(" * 1001 + ")" * 1001, f"expression nests too deeply: `{'(' * 1001 + ')' * 1001}`"),
    (r"\pL{999}\pN{999}\pL{999}\pN{999}", r"expression too large: `\pL{999}\pN{999}\pL{999}\pN{999}`"),
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "words"), REFUSED, ids=range(len(REFUSED)))
def test_go_refuses_in_its_own_words(pattern: str, words: str) -> None:
    with pytest.raises(go.PatternError) as refused:
        go.anywhere(pattern)
    assert str(refused.value) == words


def spans(pattern: posix.Searching, text: str) -> list[tuple[int, int]]:
    return [match.span() for match in pattern.finditer(text)]


def test_places_are_characters_and_empty_matches_do_not_follow_others() -> None:
    assert spans(go.anywhere("b*"), "aéb€") == [(0, 0), (1, 1), (2, 3), (4, 4)]
    assert spans(go.anywhere("é|€"), "aéb€") == [(1, 2), (3, 4)]
    found = go.anywhere("(?P<x>é)(b)?").search("aé€")
    assert found is not None
    assert (found.groupdict(), found.groups(), found.span("x")) == ({"x": "é"}, ("é", None), (1, 2))
    assert go.anywhere("a").search("\udc80a") is not None


def test_posix_takes_the_longest_match_and_perl_the_first() -> None:
    assert spans(posix.compiled("a|ab|abc", extended=True), "abcd") == [(0, 3)]
    assert spans(perl.compiled("a|ab|abc"), "abcd") == [(0, 1)]


@pytest.mark.parametrize(
    ("pattern", "extended", "text", "found"),
    [
        (r"\(a*\)b\1", False, "xaabaay", "aabaa"),
        (r"(.)\1", True, "abccd", "cc"),
        ("a{,2}b", True, "aaab", "aab"),
        ("a{1500}", True, "a" * 1600, "a" * 1500),
        (r"a\{2\}", False, "aaa", "aa"),
        ("*a", False, "b*a", "*a"),
        ("[[:digit:]x-]+", True, "a1-x2", "1-x2"),
        ("[]^]+", True, "a^]b", "^]"),
        ("a.b", False, "a\nb", "a\nb"),
        (r"\<b", False, "ab b", "b"),
        ("a{x", True, "a{x", "a{x"),
    ],
)
def test_posix(pattern: str, extended: bool, text: str, found: str) -> None:
    match = posix.compiled(pattern, extended=extended).search(text)
    assert match is not None
    assert match.group() == found


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"(?<=x)a+(?!b)", "aaxaaab", "aa"),
        (r"(?P<q>['\"]).*?(?P=q)", "a 'b' c", "'b'"),
        (r"(?>a+)ab|aab", "aaab", "aab"),
        (r"^(a)?(?(1)b|c)$", "ab", "ab"),
        (r"(a|b|(c))*\Z", "xabc", "abc"),
        (r"(?i)Å(?=b)", "åB", "å"),
        (r"(?:(a*)*)*\1$", "aaaa", "aaaa"),
    ],
)
def test_perl(pattern: str, text: str, found: str) -> None:
    match = perl.found(pattern, text)
    assert match is not None
    assert match.group() == found


@pytest.mark.parametrize(
    ("name", "pattern", "fits"),
    [
        ("a.py", "*.py", True), ("a.py", "?.p[x-z]", True), ("a.py", "*.P?", False),
        ("a]b", "a[]]b", True), ("ab", "a[!b]", False), ("a[", "a[", True), ("a\nb", "a*b", True),
        ("é", "?", True), ("ab", "a[z-a]*", False), ("a1", "a[[:digit:]]", True),
        ("*", r"\*", False), ("a" * 5000 + "b", "*a" * 500, False),
    ],
)  # fmt: skip
def test_globs(name: str, pattern: str, fits: bool) -> None:
    assert globs.matches(name, pattern) is fits


def test_an_escape_in_a_glob_counts_where_it_is_told() -> None:
    assert globs.matches("*", r"\*", escapes=True)
    assert not globs.matches("a", r"\*", escapes=True)


def test_references_back_are_paid_for() -> None:
    with under(Budget(100_000, 1 << 20)), pytest.raises(OutOfStepsError):
        posix.compiled(r"^(a*)*\1b$", extended=True).search("a" * 40)
    # PCRE has a limit of its own, where nothing else has one.
    assert perl.found(r"^(a|aa)+(?=b)$", "a" * 60) is None


def test_a_pattern_with_many_states_is_paid_for_by_its_size() -> None:
    with under(Budget(1_000_000, 1 << 26)) as budget:
        assert go.anywhere("(x.{500}){2}").search("x" * 900) is None
        assert budget.spent > 1000
        with pytest.raises(OutOfStepsError):
            go.anywhere("(x.{500}){2}y").search("x" * 2_000_000)


def test_a_group_that_is_not_there_is_refused() -> None:
    found = go.anywhere("(a)").search("a")
    assert found is not None
    with pytest.raises(IndexError) as refused:
        found.group(2)
    assert str(refused.value) == "no such group"


@pytest.mark.parametrize("pattern", ["a" * 70_000, "(?=a)" + "(" * 5000 + ")" * 5000])
def test_a_pattern_that_is_too_large_is_refused(pattern: str) -> None:
    with pytest.raises(perl.PatternError) as refused:
        perl.compiled(pattern)
    assert str(refused.value) == "regular expression is too large"
