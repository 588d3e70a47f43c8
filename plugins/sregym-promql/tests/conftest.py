"""Samples and the answers of a Prometheus about them, recorded by `tests/promql/run.py --record`."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from sregym_promql import Engine
from sregym_promql.memory import Memory, parse_openmetrics
from sregym_promql.samples import STALE

DATA = Path(__file__).parent / "data"


@pytest.fixture(scope="session")
def recorded_engine() -> Engine:
    """An evaluator over the samples that were given to the Prometheus."""
    lines = gzip.decompress((DATA / "samples.om.gz").read_bytes()).decode()
    samples = parse_openmetrics(lines.replace("StaleNaN", "NaN"))
    ends = ["StaleNaN" in line for line in lines.splitlines() if not line.startswith("#")]
    return Engine(
        Memory(
            sample._replace(value=STALE) if end else sample
            for sample, end in zip(samples, ends, strict=True)
        )
    )
