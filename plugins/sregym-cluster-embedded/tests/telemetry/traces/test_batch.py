"""Spans of work that nobody asked for: a batch program is the root of its traces."""

from __future__ import annotations

from typing import Any

import pytest


def test_each_piece_of_its_work_is_a_trace(recounted: Any) -> None:
    found = recounted.traces(service="recount")
    assert len(found) == pytest.approx(40, abs=2)
    first = found[0]
    names = {p: process["serviceName"] for p, process in first["processes"].items()}
    roots = [span for span in first["spans"] if not span["references"]]
    assert [(names[span["processID"]], span["operationName"]) for span in roots] == [
        ("recount", "Recount")
    ]
    assert "stock" in names.values()
