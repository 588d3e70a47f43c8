"""date: moments as they are given and shown."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from sregym_cluster_embedded.userland.shell.options import options
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session

_FORMS = (
    "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d", "%Y%m%d", "%Y-%m-%dT%H:%M:%S",
    "%Y-%m-%dT%H:%M:%S.%f", "%H:%M:%S", "%H:%M",
)  # fmt: skip
# What only GNU understands: mails, and names of months.
_GNU_FORMS = (
    "%a, %d %b %Y %H:%M:%S", "%d %b %Y %H:%M:%S", "%d %b %Y", "%b %d %Y", "%a %b %d %H:%M:%S %Y",
)  # fmt: skip
# A moment before which or behind which another is named.
_ABSOLUTE = re.compile(
    r"(?:\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?)?(?:\s*(?:UTC|GMT|Z))?)(?=\s)"
)
_WEEKDAY = r"(?:\b(?:next|last|this)\s+)?\b(?:mon(?!th)|tue|wed|thu|fri|sat|sun)[a-z]*\b"
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_UNITS = ("seconds", "minutes", "hours", "days", "weeks")
_SHORT = {"sec": "seconds", "min": "minutes"}
_STEP = re.compile(r"([+-]?\d+)\s*([a-z]+?)s?(?![a-z])(\s+ago)?")
_NAMES = {"now": 0, "today": 0, "yesterday": -1, "tomorrow": 1}
_ISO = {
    "": "%Y-%m-%d", "date": "%Y-%m-%d", "hours": "%Y-%m-%dT%H+00:00",
    "minutes": "%Y-%m-%dT%H:%M+00:00", "seconds": "%Y-%m-%dT%H:%M:%S+00:00",
    "ns": "%Y-%m-%dT%H:%M:%S,%f000+00:00",
}  # fmt: skip


def _date(session: Session, words: list[str], _stdin: str) -> Output:
    when = datetime.fromtimestamp(session.files.now, UTC)
    iso = next((found.group(1) for word in words[1:] if (found := _iso(word))), None)
    plain = [word for word in words if _iso(word) is None or word == words[0]]
    flags, operands = options(plain, "dDr", {"utc": "u", "date": "d", "rfc-email": "R"})
    if "d" in flags:
        moment = _given(session, when, flags["d"])
        if moment is None:
            return Output(1, "", f"date: invalid date '{flags['d']}'\n")
        when = moment
    elif "r" in flags:
        inode = session.files.stat(session.path(flags["r"]))
        if inode is None:
            head = (
                f"date: {flags['r']}" if not session.busybox else f"date: can't stat '{flags['r']}'"
            )
            return Output(1, "", f"{head}: No such file or directory\n")
        when = datetime.fromtimestamp(inode.mtime, UTC)
    if "s" in flags:
        asked = _given(session, when, operands[0]) if operands else None
        can = "can't" if session.busybox else "cannot"
        text = f"date: {can} set date: Operation not permitted\n"
        return Output(int(not session.busybox), _shown(asked or when), text)
    wrong = next((word for word in operands if not word.startswith("+")), None)
    if wrong is not None:
        return Output(1, "", f"date: invalid date '{wrong}'\n")
    form = next((word[1:] for word in operands if word.startswith("+")), None)
    if form is not None:
        return Output(0, _formatted(when, form) + "\n")
    if iso is not None:
        return Output(0, when.strftime(_ISO.get(iso, _ISO[""])) + "\n")
    if "R" in flags:
        return Output(0, when.strftime("%a, %d %b %Y %H:%M:%S +0000\n"))
    return Output(0, _shown(when))


def _iso(word: str) -> re.Match[str] | None:
    return re.fullmatch(r"(?:-I|--iso-8601=?)(\w*)", word)


def _shown(when: datetime) -> str:
    return when.strftime("%a %b %e %H:%M:%S UTC %Y\n")


def _formatted(when: datetime, form: str) -> str:
    nanoseconds = f"{when.microsecond * 1000:09d}"
    exact = re.sub(r"%(\d?)N", lambda m: nanoseconds[: int(m.group(1) or 9)], form)
    exact = exact.replace("%s", str(int(when.timestamp()))).replace("%:z", "+00:00")
    return when.strftime(exact)


def moment_of(session: Session, text: str) -> datetime | None:
    """The moment that a text names for the clock that the session sees; None when it names none."""
    return _given(session, datetime.fromtimestamp(session.files.now, UTC), text)


def _given(session: Session, now: datetime, text: str) -> datetime | None:
    """The moment that a text names; None when it names none in this image's program."""
    text = text.strip()
    if re.fullmatch(r"@-?\d+(\.\d+)?", text):
        return datetime.fromtimestamp(float(text[1:]), UTC)
    bare = re.sub(r"\s*(Z|UTC|GMT|[+-]00:?00)$", "", text)
    for form in _FORMS if session.busybox else (*_FORMS, *_GNU_FORMS):
        try:
            found = datetime.strptime(bare, form).replace(tzinfo=UTC)
        except ValueError:
            continue
        if "%Y" in form:
            return found
        return now.replace(hour=found.hour, minute=found.minute, second=found.second, microsecond=0)
    if session.busybox:
        return None
    start = re.match(_ABSOLUTE, text)
    if start is not None and start.end() < len(text):
        first = _given(session, now, start.group())
        # Beside a date, the day of the week says nothing.
        rest = re.sub(_WEEKDAY, "", text[start.end() :].lower()).strip()
        return first if first is None or not rest else _relative(first, rest)
    return _relative(now, text.lower())


def _relative(now: datetime, text: str) -> datetime | None:
    if not text:
        return now.replace(hour=0, minute=0, second=0, microsecond=0)
    name, _, rest = text.partition(" ")
    if name in _NAMES:
        now, text = now + timedelta(days=_NAMES[name]), rest.strip()
    while text:
        if (day := re.match(r"(next|last|this)?\s*(?!month)([a-z]{3})[a-z]*\b", text)) and (
            day.group(2) in _WEEKDAYS
        ):
            now, text = _weekday(now, day.group(1) or "", day.group(2)), text[day.end() :].strip()
            continue
        text = re.sub(r"^next (?=[a-z])", "1 ", re.sub(r"^last (?=[a-z])", "-1 ", text))
        text = re.sub(r"^([+-])\s+(?=\d)", r"\1", text)
        found = _STEP.match(text)
        if found is None:
            return None
        if found.group(2) in ("month", "year"):
            count = int(found.group(1)) * (-1 if found.group(3) else 1)
            now = _months_later(now, count * (12 if found.group(2) == "year" else 1))
            text = text[found.end() :].strip()
            continue
        unit = _SHORT.get(found.group(2), f"{found.group(2)}s")
        if unit not in _UNITS:
            return None
        step = int(found.group(1)) * (-1 if found.group(3) else 1)
        now, text = now + timedelta(**{unit: step}), text[found.end() :].strip()
    return now


def _weekday(now: datetime, which: str, name: str) -> datetime:
    """The beginning of a day of the week: the coming one, the one after it, or the last."""
    ahead = (_WEEKDAYS.index(name) - now.weekday()) % 7
    if which == "last":
        ahead -= 7
    elif which == "next" and ahead == 0:
        ahead = 7
    return now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=ahead)


def _months_later(now: datetime, count: int) -> datetime:
    """So many months later; days that a month lacks run over into the next."""
    years, month = divmod(now.month - 1 + count, 12)
    first = now.replace(year=now.year + years, month=month + 1, day=1)
    return first + timedelta(days=now.day - 1)


DATE_COMMANDS: dict[str, Command] = {"date": _date}
