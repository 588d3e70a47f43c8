"""For authors of storages: arrays, labels, matchers, stored series, and what a storage may offer to be faster.

A storage needs `Storage.select` alone. One that is `Quick` also gives newest samples without whole series, and one whose
answers are `Found`, `Laid` or `Rows` lets results that depend on labels only be kept between queries.
"""

from __future__ import annotations

from sregym_promql.memory import selects
from sregym_promql.samples import (
    NAME,
    STALE,
    Block,
    Floats,
    Found,
    Labels,
    Laid,
    Mask,
    Matcher,
    Newest,
    Quick,
    Rows,
    Series,
    Storage,
    StoredSeries,
    Times,
    format_labels,
    is_quick,
    is_stale,
    labels_of,
    value_of,
    without_name,
)
from sregym_promql.series_selection import matchers_of

__all__ = [
    "NAME",
    "STALE",
    "Block",
    "Floats",
    "Found",
    "Labels",
    "Laid",
    "Mask",
    "Matcher",
    "Newest",
    "Quick",
    "Rows",
    "Series",
    "Storage",
    "StoredSeries",
    "Times",
    "format_labels",
    "is_quick",
    "is_stale",
    "labels_of",
    "matchers_of",
    "selects",
    "value_of",
    "without_name",
]
