"""Base64 as Go's decoder takes it, and what that says of a text that is none."""

from __future__ import annotations

import pytest
from sregym_cel import base64_text


@pytest.mark.parametrize(
    ("text", "decoded"),
    [
        ("", b""),
        ("aGk=", b"hi"),
        ("aGk=\r\n", b"hi"),
        ("a\nGk\n=\n", b"hi"),
        ("YQ=\n=", b"a"),
        ("YWJjZA==", b"abcd"),
        ("YWJj", b"abc"),
        # The last bits of a group that is cut short do not count.
        ("aGl=", b"hi"),
    ],
)
def test_what_is_base64(text, decoded):
    assert base64_text.decode(text) == decoded


@pytest.mark.parametrize(
    ("text", "byte"),
    [
        ("a", 0),
        ("abc", 0),
        ("hunter2", 4),
        ("s3cret!", 6),
        ("pass word", 4),
        ("é", 0),
        ("YQ=", 3),
        ("YQ=x", 2),
        ("Y===", 1),
        ("=", 0),
        ("aGk=x", 4),
        ("aGk==", 4),
        ("YWJj-w==", 4),
    ],
)
def test_what_is_none(text, byte):
    with pytest.raises(base64_text.Base64Error) as caught:
        base64_text.decode(text)
    assert str(caught.value) == f"illegal base64 data at input byte {byte}"


def test_addresses_have_their_own_alphabet_and_no_padding():
    assert base64_text.decode("-_8", url=True) == b"\xfb\xff"
    for text, byte in (("+", 0), ("YQ==", 2), ("YWJjZ", 4)):
        with pytest.raises(base64_text.Base64Error) as caught:
            base64_text.decode(text, url=True)
        assert str(caught.value) == f"illegal base64 data at input byte {byte}"
