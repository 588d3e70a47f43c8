"""The syntax of CronJob schedules, as the scheduler's parser judges it."""

from __future__ import annotations

from zoneinfo import available_timezones

FIELDS = (("minute", 0, 59), ("hour", 0, 23), ("dom", 1, 31), ("month", 1, 12), ("dow", 0, 6))
_MACROS = ("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
NAMES = {
    "month": {name: index for index, name in enumerate(_MONTHS, start=1)},
    "dow": {name: index for index, name in enumerate(_DAYS)},
}


def known_zone(name: str) -> bool:
    """Whether a time zone exists."""
    return name in available_timezones()


def problem(schedule: str) -> str:
    """What is wrong with a schedule; empty when nothing is."""
    head, _, rest = schedule.partition(" ")
    if head.startswith(("TZ=", "CRON_TZ=")):
        zone = head.partition("=")[2]
        if zone and not known_zone(zone):
            return f"provided bad location {zone}: unknown time zone {zone}"
        schedule = rest.strip()
    if schedule.startswith("@"):
        if schedule in _MACROS or schedule.startswith("@every "):
            return ""
        return f"unrecognized descriptor: {schedule}"
    fields = schedule.split()
    if len(fields) != len(FIELDS):
        return f"expected exactly 5 fields, found {len(fields)}: [{' '.join(fields)}]"
    for text, (name, low, high) in zip(fields, FIELDS, strict=True):
        for part in text.split(","):
            found = _part(part, NAMES.get(name, {}), low, high)
            if found:
                return found
    return ""


def _part(part: str, names: dict[str, int], low: int, high: int) -> str:
    bounds, slash, step = part.partition("/")
    if slash and (not step.isdecimal() or int(step) == 0):
        return (
            f"step of range should be a positive number: {part}"
            if step.isdecimal()
            else f'failed to parse int from {step}: strconv.Atoi: parsing "{step}": invalid syntax'
        )
    if bounds in ("*", "?"):
        return ""
    first, dash, last = bounds.partition("-")
    numbers = []
    for text in (first, last) if dash else (first,):
        number = names.get(text.lower())
        if number is None:
            if not text.isdecimal():
                return f'failed to parse int from {text}: strconv.Atoi: parsing "{text}": invalid syntax'
            number = int(text)
        numbers.append(number)
    start, end = numbers[0], numbers[-1]
    if start < low:
        return f"beginning of range ({start}) below minimum ({low}): {part}"
    if end > high:
        return f"end of range ({end}) above maximum ({high}): {part}"
    if start > end:
        return f"beginning of range ({start}) beyond end of range ({end}): {part}"
    return ""
