"""Timestamps for clients on the wall clock while the world has virtual time.

kubectl computes ages from its own clock. When virtual time is elsewhere, all timestamps that leave
are moved to where the client's clock is, those that arrive are moved back, and so is what the
client prints; its ages then are those of the world.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

_IN_JSON = re.compile(rb'"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)((?:\.\d+)?Z)"')
_STAMP = re.compile(r"\b(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)((?:\.\d+)?Z)")
_RFC_1123 = re.compile(
    r"\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d \+0000"
)
_RFC_1123_FORM = "%a, %d %b %Y %H:%M:%S +0000"


def shifted_json(body: bytes, seconds: int) -> bytes:
    """A JSON body with each string that is a timestamp moved."""
    if not seconds:
        return body

    def move(found: re.Match[bytes]) -> bytes:
        return b'"' + _moved(found[1].decode(), seconds).encode() + found[2] + b'"'

    return _IN_JSON.sub(move, body)


def shifted_text(text: str, seconds: int) -> str:
    """What a client printed with the timestamps in it moved, in both forms that kubectl prints."""
    if not seconds:
        return text
    text = _STAMP.sub(lambda found: _moved(found[1], seconds) + found[2], text)
    return _RFC_1123.sub(lambda found: _moved_rfc_1123(found[0], seconds), text)


def _moved(stamp: str, seconds: int) -> str:
    moment = datetime.fromisoformat(stamp) + timedelta(seconds=seconds)
    return moment.isoformat(timespec="seconds")


def _moved_rfc_1123(stamp: str, seconds: int) -> str:
    moment = datetime.strptime(stamp, _RFC_1123_FORM).replace(tzinfo=UTC)
    if moment.year == 1:
        # The zero time, which is how kubectl prints that there is none.
        return stamp
    return (moment + timedelta(seconds=seconds)).strftime(_RFC_1123_FORM)
