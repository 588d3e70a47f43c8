"""What the rules of a storage give at each evaluation.

Evaluations lie at multiples of a group's interval, counted from the world's beginning. An
evaluation looks as far back as an alert's life may reach: a longer and longer stretch until nothing
was active at its beginning. What was evaluated once can be kept in a `Books`: the past does not
change any more.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

import numpy as np
from sregym_promql import Engine, EvaluationError, parse, selects
from sregym_promql.evaluation import added_labels
from sregym_promql.storage import (
    NAME,
    STALE,
    Labels,
    Matcher,
    Newest,
    Storage,
    StoredSeries,
    is_quick,
    labels_of,
    value_of,
)
from sregym_regex.budget import present

from sregym_cluster_embedded.telemetry.rules.alerts import (
    ActiveAlert,
    Alert,
    alert_of,
    evaluated,
    labels_with,
)
from sregym_cluster_embedded.telemetry.rules.books import AlertBook, Books, RecordBook
from sregym_cluster_embedded.telemetry.rules.files import AlertingRule, RecordingRule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from sregym_promql.storage import Floats, Times

    from sregym_cluster_embedded.telemetry.rules.alerts import Rows
    from sregym_cluster_embedded.telemetry.rules.books import RuleKey
    from sregym_cluster_embedded.telemetry.rules.files import Group, Rule

ALERTS = "ALERTS"
ALERTS_FOR_STATE = "ALERTS_FOR_STATE"
# Steps that are looked at first, beyond an alert's `for`.
_MARGIN = 4
# By how much further back is looked each time; one long look costs less than many short ones.
_FURTHER = 8
_MOST_STEPS = 11_000
# Of longer spans what was there is listed of their end: worlds are months old when hours matter.
_LISTED_MS = 12 * 3_600_000


class Evaluated:
    """Implements `Storage`: samples and what rules make of them.

    Args:
        below: The samples that were scraped.
        groups: The rules.
        begin_ms: When evaluations began, Unix milliseconds.
        now_ms: Up to when there were any.
        books: Earlier evaluations; new ones are added to it.
    """

    def __init__(
        self,
        below: Storage,
        groups: Sequence[Group],
        begin_ms: int,
        now_ms: int,
        books: Books | None = None,
    ) -> None:
        self._below = below
        self._groups = groups
        self._begin = begin_ms
        self._now = now_ms
        self._books = Books() if books is None else books
        self._writers = frozenset(
            name for group in groups for rule in group.rules for name in _names(rule)
        )
        self._known: dict[tuple[tuple[Matcher, ...], int, int], Sequence[StoredSeries]] = {}
        self._under_way: set[RuleKey] = set()

    def select(
        self, matchers: Sequence[Matcher], start_ms: int, end_ms: int
    ) -> Sequence[StoredSeries]:
        """Scraped and recorded series, `ALERTS` and `ALERTS_FOR_STATE`."""
        scraped, writing = self._scraped(tuple(matchers), start_ms, end_ms), self._writing(matchers)
        if not writing:
            return scraped
        found = list(scraped)
        for group, rule in writing:
            key = _key(group, rule)
            if key in self._under_way:
                continue
            self._under_way.add(key)
            found.extend(
                series
                for series in self._of_rule(group, rule, start_ms, end_ms)
                if selects(matchers, dict(series.labels))
            )
            self._under_way.discard(key)
        return sorted(found, key=lambda series: series.labels)

    def newest(self, matchers: Sequence[Matcher], at_ms: int, lookback_ms: int) -> Newest | None:
        """The newest scraped samples; None where rules may have written some."""
        if not is_quick(self._below) or self._writing(matchers):
            return None
        return self._below.newest(matchers, at_ms, lookback_ms)

    def listed(self, matchers: Sequence[Matcher], start_ms: int, end_ms: int) -> Iterator[Labels]:
        """Labels of the series that rules made in a span.

        Of long spans only the last 12 hours are looked at: it would take each evaluation of months.
        """
        for group, rule in self._writing(matchers):
            for labels in self._listed(group, rule, start_ms, end_ms):
                if selects(matchers, dict(labels)):
                    yield labels

    def names(self, start_ms: int, end_ms: int) -> set[str]:
        """The names of the series that rules made in a span, as `listed` finds them."""
        found: set[str] = set()
        for group, rule in self._writing(()):
            # Once one alert was there, others add no name.
            if not found.issuperset(_names(rule)):
                listed = self._listed(group, rule, start_ms, end_ms)
                found.update(value_of(labels, NAME) for labels in listed)
        return found

    def label_names(self, start_ms: int, end_ms: int, scraped: set[str]) -> set[str]:
        """The names of the labels of all series of a span, as `listed` finds them.

        Args:
            start_ms: Where the span begins.
            end_ms: Where it ends.
            scraped: The names of the labels of those that were scraped in it.
        """
        found = set(scraped)
        # Rules look at what was before; before everything there was nothing.
        whole = start_ms <= self._begin
        for group, rule in self._writing(()):
            if whole and found.issuperset(_label_names(rule)):
                continue
            for labels in self._listed(group, rule, start_ms, end_ms):
                found.update(name for name, _ in labels)
        return found

    def alerts(self, group: Group, rule: AlertingRule) -> list[Alert]:
        """What is pending or firing at the last evaluation."""
        last = self._last(group, self._now)
        if last is None:
            return []
        return [
            alert_of(rule, labels, life)
            for _, living in self._lives(group, rule, last, last)
            for labels, life in living.items()
        ]

    def last_evaluation_ms(self, group: Group) -> int | None:
        """When the group was last evaluated; None if never yet."""
        return self._last(group, self._now)

    def _scraped(
        self, matchers: tuple[Matcher, ...], start_ms: int, end_ms: int
    ) -> Sequence[StoredSeries]:
        """Samples; rules ask for the same ones again and again."""
        key = (matchers, start_ms, end_ms)
        if key not in self._known:
            self._known[key] = self._below.select(matchers, start_ms, end_ms)
        return self._known[key]

    def _writing(self, matchers: Sequence[Matcher]) -> Sequence[tuple[Group, Rule]]:
        """The rules that make series which matchers may select."""
        named = [matcher for matcher in matchers if matcher.name == NAME]
        wanted = {name for name in self._writers if all(one.matches(name) for one in named)}
        if not wanted:
            return ()
        return [
            (group, rule)
            for group in self._groups
            for rule in group.rules
            if not wanted.isdisjoint(_names(rule))
        ]

    def _last(self, group: Group, at_ms: int) -> int | None:
        passed = (min(at_ms, self._now) - self._begin) // group.interval_ms
        return self._begin + passed * group.interval_ms if passed >= 0 else None

    def _range(self, group: Group, rule: Rule, first: int, last: int) -> Rows:
        """What an expression gives at the evaluations of a span."""
        engine = Engine(self, interval_s=group.interval_ms / 1000)
        found: Rows = {}
        # More steps than one query may have are several queries.
        for begin in range(first, last + 1, _MOST_STEPS * group.interval_ms):
            end = min(last, begin + (_MOST_STEPS - 1) * group.interval_ms)
            try:
                # One after the other: alerts that have fired for months need no more memory than others.
                with _given_back():
                    answer = engine.range(
                        rule.expr, begin / 1000, end / 1000, group.interval_ms / 1000
                    )
            except EvaluationError:
                # A rule that fails gives nothing, as if it had no rows.
                continue
            found = _after(found, {row.labels: (row.times, row.values) for row in answer.series})
        return found

    def _lives(
        self, group: Group, rule: AlertingRule, first: int, last: int
    ) -> Sequence[tuple[int, Mapping[Labels, ActiveAlert]]]:
        """What was pending or firing at the evaluations of a span, where something was."""
        key, interval = _key(group, rule), group.interval_ms
        book = self._books.get(key, first)
        if not isinstance(book, AlertBook) or book.last < book.first or first < book.first:
            book = AlertBook(self._begin, interval, self._begin - interval, {})
        following = book.last + interval
        if following <= last:
            begin, rows = self._looked_back(group, rule, (max(first, following), last), following)
            if begin != following:
                book = AlertBook(begin, interval, begin - interval, {})
            living = book.states.get(book.last, {})
            book.states.update(evaluated(rule, rows, range(begin, last + 1, interval), living))
            book.last = last
        found = [*book.between(first, last)]
        # There may be more samples of the present moment when it is past.
        while book.first <= book.last and book.last >= self._now:
            book.states.pop(book.last, None)
            book.last -= interval
        self._books.put(key, book)
        return found

    def _looked_back(
        self, group: Group, rule: AlertingRule, span: tuple[int, int], limit: int
    ) -> tuple[int, Rows]:
        """What an expression gave in a span, and before it from where nothing was active.

        Args:
            group: Of the rule.
            rule: The rule.
            span: The evaluations that are asked for.
            limit: Before which nothing has to be known.
        """
        interval = group.interval_ms
        first_look = (rule.hold_ms + rule.keep_ms) // interval + _MARGIN
        # What is not there now is not pending, whatever was before, unless it is kept for a while.
        back = first_look if rule.keep_ms else 0
        end, rows = span[1], _NO_ROWS
        while True:
            begin = max(limit, span[0] - back * interval)
            part = self._range(group, rule, begin, end)
            rows = _after(part, rows)
            clean = begin + rule.keep_ms
            if begin == limit or not any((times <= clean).any() for times, _ in rows.values()):
                return begin, rows
            back = (back or first_look) * _FURTHER
            end = begin - interval

    def _recorded(self, group: Group, rule: RecordingRule, first: int, last: int) -> Rows:
        """What a recording rule gave at the evaluations of a span."""
        key, interval = _key(group, rule), group.interval_ms
        book = self._books.get(key, first)
        if not isinstance(book, RecordBook) or not book.first <= first <= book.last + interval:
            book = RecordBook(first, first - interval, _NO_ROWS)
        if book.last < last:
            more = self._range(group, rule, book.last + interval, last)
            book = RecordBook(book.first, last, _after(book.rows, more))
        kept = min(book.last, self._begin + (self._now - 1 - self._begin) // interval * interval)
        self._books.put(key, RecordBook(book.first, kept, _between(book.rows, book.first, kept)))
        return _between(book.rows, first, last)

    def _of_rule(
        self, group: Group, rule: Rule, start_ms: int, end_ms: int
    ) -> Iterator[StoredSeries]:
        last = self._last(group, end_ms)
        if last is None:
            return
        first = max(self._begin, start_ms - (start_ms - self._begin) % group.interval_ms)
        if first > last:
            return
        if isinstance(rule, RecordingRule):
            rows = _renamed(rule, self._recorded(group, rule, first, last))
        else:
            rows = _states(rule, self._lives(group, rule, first, last))
        for labels, (times, values) in rows.items():
            yield _ended(labels, times, values, group.interval_ms, last)

    def _listed(self, group: Group, rule: Rule, start_ms: int, end_ms: int) -> Iterator[Labels]:
        """Labels of the series that a rule made in a span, or at its end."""
        start_ms = max(start_ms, min(end_ms, self._now) - _LISTED_MS)
        for series in self._of_rule(group, rule, start_ms, end_ms):
            if series.in_span(start_ms, end_ms):
                yield series.labels


_NO_ROWS: Rows = {}


def _given_back() -> AbstractContextManager[None]:
    """A part of a client's work that gives back its memory when it ends."""
    budget = present()
    return nullcontext() if budget is None else budget.process()


def _states(rule: AlertingRule, lives: Iterable[tuple[int, Mapping[Labels, ActiveAlert]]]) -> Rows:
    """`ALERTS` and `ALERTS_FOR_STATE` of a span."""
    written: dict[Labels, dict[int, float]] = {}
    for step, living in lives:
        for labels, life in living.items():
            base = dict(labels_with(rule, labels, life.value))
            state = "pending" if life.fired_ms is None else "firing"
            alert = labels_of({**base, NAME: ALERTS, "alertstate": state})
            since = labels_of({**base, NAME: ALERTS_FOR_STATE})
            written.setdefault(alert, {})[step] = 1.0
            written.setdefault(since, {})[step] = life.since_ms // 1000
    return {labels: _arrays(points) for labels, points in written.items()}


def _key(group: Group, rule: Rule) -> RuleKey:
    return group.file, group.name, group.rules.index(rule)


def _names(rule: Rule) -> tuple[str, ...]:
    """The metrics that a rule writes."""
    return (rule.name,) if isinstance(rule, RecordingRule) else (ALERTS, ALERTS_FOR_STATE)


def _label_names(rule: Rule) -> set[str]:
    """Names of labels that the series of a rule may have and those it looks at have not."""
    of_alerts = () if isinstance(rule, RecordingRule) else ("alertname", "alertstate")
    return {NAME, *of_alerts, *rule.labels, *added_labels(parse(rule.expr))}


def _after(before: Rows, after: Rows) -> Rows:
    """The rows of one span, then those of a later one."""
    if not before or not after:
        return before or after
    found = dict(before)
    for labels, (times, values) in after.items():
        known = before.get(labels)
        found[labels] = (
            (times, values)
            if known is None
            else (np.concatenate((known[0], times)), np.concatenate((known[1], values)))
        )
    return found


def _between(rows: Rows, first: int, last: int) -> Rows:
    """The rows of a span, both ends included."""
    found = {}
    for labels, (times, values) in rows.items():
        low, high = np.searchsorted(times, (first, last + 1)).tolist()
        if low < high:
            found[labels] = (times[low:high], values[low:high])
    return found


def _renamed(rule: RecordingRule, rows: Rows) -> Rows:
    """The rows of a recording rule with its name and labels; of alike ones the last counts."""
    found: dict[Labels, tuple[Times, Floats]] = {}
    for given, (times, values) in rows.items():
        kept = dict(pair for pair in given if pair[0] != NAME)
        labels = labels_of({**kept, **rule.labels, NAME: rule.name})
        known = found.get(labels)
        if known is not None:
            points = dict(zip(known[0].tolist(), known[1].tolist(), strict=True))
            points.update(zip(times.tolist(), values.tolist(), strict=True))
            times, values = _arrays(points)
        found[labels] = (times, values)
    return found


def _arrays(points: Mapping[int, float]) -> tuple[Times, Floats]:
    times = sorted(points)
    values = np.array([points[step] for step in times], dtype=np.float64)
    return np.array(times, dtype=np.int64), values


def _ended(
    labels: Labels, times: Times, values: Floats, interval_ms: int, last: int
) -> StoredSeries:
    """A series that is marked where the following evaluation did not give it."""
    following = times + interval_ms
    gaps = np.flatnonzero((following <= last) & (np.append(times[1:], 0) != following))
    if len(gaps):
        times = np.insert(times, gaps + 1, following[gaps])
        values = np.insert(values, gaps + 1, STALE)
    return StoredSeries(labels, times, values)
