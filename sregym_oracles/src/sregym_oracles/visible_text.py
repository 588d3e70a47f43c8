"""Texts without what is not seen: letters that look like others, characters without a width."""

from __future__ import annotations

import re
import unicodedata

# Letters of other scripts that look like Latin ones.
_LOOKS = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u04bb\u043a\u043c\u0442\u0432\u043d"
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0406\u0408\u0405"
    "\u03bf\u03b1\u03bd\u03c1\u03c4\u03b9\u03ba\u039f\u0391\u0392\u0395\u0397\u0399\u039a\u039c\u039d\u03a1\u03a4\u03a7",
    "aeopcyxijsdhkmtbhABEKMHOPCTXIJSoavptikOABEHIKMNPTX",
)
_WORD = re.compile(r"\w+")
_LATIN = re.compile(r"[A-Za-z]")


def plain(text: str) -> str:
    """A text as its reader sees it.

    Compatible forms become usual ones, characters without a width go, accents leave their letters, and letters
    of other scripts in a word of Latin ones become those that they look like. Other scripts stay as they are.
    """
    if text.isascii():
        return text
    usual = unicodedata.normalize("NFKC", text)
    seen = "".join(map(_bare, usual))
    return _WORD.sub(lambda m: m[0].translate(_LOOKS) if _LATIN.search(m[0]) else m[0], seen)


def _bare(letter: str) -> str:
    if letter.isascii():
        return letter
    kind = unicodedata.category(letter)
    if kind in {"Cf", "Mn"}:
        return ""
    if kind == "Zs":
        return " "
    base = unicodedata.normalize("NFD", letter)[0]
    return base if base.isascii() else letter
