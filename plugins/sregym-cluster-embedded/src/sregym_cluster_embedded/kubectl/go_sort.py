"""Sorting that puts equal things where Go's `sort.Sort` puts them.

Go's sort is not stable, but it is deterministic: a pattern-defeating quicksort whose few random
swaps come from a generator seeded with the length. Events of one second have equal timestamps, so
`kubectl get events --sort-by=.lastTimestamp` shows its order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

T = TypeVar("T")

_INSERTION_LENGTH = 12
_NINTHER_LENGTH = 50
_MAX_SWAPS = 12
_PARTIAL_STEPS = 5
_PARTIAL_LENGTH = 50
_UNKNOWN, _INCREASING, _DECREASING = range(3)


def go_sorted(values: Iterable[T], key: Callable[[T], Any]) -> list[T]:
    """The values in the order in which Go's `sort.Sort` leaves them."""
    items = [(key(value), value) for value in values]
    _Sorter(items).sort(0, len(items), len(items).bit_length())
    return [value for _, value in items]


class _Sorter:
    """One run of the sort over a list of (key, value)."""

    def __init__(self, items: list[tuple[Any, Any]]) -> None:
        self.items = items

    def less(self, i: int, j: int) -> bool:
        return bool(self.items[i][0] < self.items[j][0])

    def swap(self, i: int, j: int) -> None:
        self.items[i], self.items[j] = self.items[j], self.items[i]

    def sort(self, a: int, b: int, limit: int) -> None:
        balanced = partitioned = True
        while True:
            length = b - a
            if length <= _INSERTION_LENGTH:
                self.insertion_sort(a, b)
                return
            if limit == 0:
                self.heap_sort(a, b)
                return
            if not balanced:
                self.break_patterns(a, b)
                limit -= 1
            pivot, hint = self.choose_pivot(a, b)
            if hint == _DECREASING:
                self.items[a:b] = self.items[a:b][::-1]
                pivot = (b - 1) - (pivot - a)
                hint = _INCREASING
            if (
                balanced
                and partitioned
                and hint == _INCREASING
                and self.partial_insertion_sort(a, b)
            ):
                return
            if a > 0 and not self.less(a - 1, pivot):
                a = self.partition_equal(a, b, pivot)
                continue
            middle, partitioned = self.partition(a, b, pivot)
            left, right = middle - a, b - middle
            threshold = length // 8
            if left < right:
                balanced = left >= threshold
                self.sort(a, middle, limit)
                a = middle + 1
            else:
                balanced = right >= threshold
                self.sort(middle + 1, b, limit)
                b = middle

    def insertion_sort(self, a: int, b: int) -> None:
        for i in range(a + 1, b):
            j = i
            while j > a and self.less(j, j - 1):
                self.swap(j, j - 1)
                j -= 1

    def heap_sort(self, first: int, b: int) -> None:
        high = b - first
        for i in range((high - 1) // 2, -1, -1):
            self.sift_down(i, high, first)
        for i in range(high - 1, -1, -1):
            self.swap(first, first + i)
            self.sift_down(0, i, first)

    def sift_down(self, low: int, high: int, first: int) -> None:
        root = low
        while (child := 2 * root + 1) < high:
            if child + 1 < high and self.less(first + child, first + child + 1):
                child += 1
            if not self.less(first + root, first + child):
                return
            self.swap(first + root, first + child)
            root = child

    def partition(self, a: int, b: int, pivot: int) -> tuple[int, bool]:
        """Split around the pivot; also whether nothing had to be moved."""
        self.swap(a, pivot)
        i, j = a + 1, b - 1
        i, j = self.close_in(i, j, a)
        if i > j:
            self.swap(j, a)
            return j, True
        self.swap(i, j)
        i, j = i + 1, j - 1
        while True:
            i, j = self.close_in(i, j, a)
            if i > j:
                break
            self.swap(i, j)
            i, j = i + 1, j - 1
        self.swap(j, a)
        return j, False

    def close_in(self, i: int, j: int, a: int) -> tuple[int, int]:
        while i <= j and self.less(i, a):
            i += 1
        while i <= j and not self.less(j, a):
            j -= 1
        return i, j

    def partition_equal(self, a: int, b: int, pivot: int) -> int:
        """Move what equals the pivot, the smallest there is, to the front."""
        self.swap(a, pivot)
        i, j = a + 1, b - 1
        while True:
            while i <= j and not self.less(a, i):
                i += 1
            while i <= j and self.less(a, j):
                j -= 1
            if i > j:
                return i
            self.swap(i, j)
            i, j = i + 1, j - 1

    def partial_insertion_sort(self, a: int, b: int) -> bool:
        """Repair a few places that are out of order; whether that sorted it all."""
        i = a + 1
        for _ in range(_PARTIAL_STEPS):
            while i < b and not self.less(i, i - 1):
                i += 1
            if i == b:
                return True
            if b - a < _PARTIAL_LENGTH:
                return False
            self.swap(i, i - 1)
            if i - a >= 2:
                j = i - 1
                while j >= 1 and self.less(j, j - 1):
                    self.swap(j, j - 1)
                    j -= 1
            if b - i >= 2:
                j = i + 1
                while j < b and self.less(j, j - 1):
                    self.swap(j, j - 1)
                    j += 1
        return False

    def break_patterns(self, a: int, b: int) -> None:
        """Swap three places at random: random as Go's generator, seeded with the length."""
        length = b - a
        if length < 8:
            return
        state = length
        modulus = 1 << length.bit_length()
        index = a + (length // 4) * 2
        for i in range(3):
            state ^= (state << 13) & 0xFFFFFFFFFFFFFFFF
            state ^= state >> 7
            state ^= (state << 17) & 0xFFFFFFFFFFFFFFFF
            other = state & (modulus - 1)
            if other >= length:
                other -= length
            self.swap(index - 1 + i, a + other)

    def choose_pivot(self, a: int, b: int) -> tuple[int, int]:
        """An index near the median, and whether the data look sorted."""
        length = b - a
        self.swaps = 0
        i, j, k = a + length // 4, a + length // 4 * 2, a + length // 4 * 3
        if length >= 8:
            if length >= _NINTHER_LENGTH:
                i, j, k = (self.median(one - 1, one, one + 1) for one in (i, j, k))
            j = self.median(i, j, k)
        if self.swaps == 0:
            return j, _INCREASING
        return j, _DECREASING if self.swaps == _MAX_SWAPS else _UNKNOWN

    def median(self, a: int, b: int, c: int) -> int:
        a, b = self.ordered(a, b)
        b, c = self.ordered(b, c)
        a, b = self.ordered(a, b)
        return b

    def ordered(self, a: int, b: int) -> tuple[int, int]:
        if self.less(b, a):
            self.swaps += 1
            return b, a
        return a, b
