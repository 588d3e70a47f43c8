"""What flowed through a life of a container at a moment."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sregym_cluster_embedded.kubelet.runtime import ContainerConfig, ContainerRef
from sregym_cluster_embedded.telemetry.container_instances import ContainerInstance
from sregym_cluster_embedded.traffic.segments import Segment
from sregym_cluster_embedded.userland.process import Process

REF = ContainerRef("shop", "web", "uid", "main", 0)
CONFIG = ContainerConfig(REF, "image", None, None, {}, None, {}, None, None, "n", "10.0.0.1", "web")
SEGMENTS = tuple(Segment(start, ()) for start in (10.0, 20.0, 35.5))


@pytest.mark.parametrize("ended", [None, 40.0, 30.0])
def test_it_is_the_segment_whose_span_holds_the_moment(ended: float | None) -> None:
    process = replace(Process(CONFIG, ("run",), {}, "/", "web", {}, 5.0), ended_at=ended)
    life = ContainerInstance(process, SEGMENTS)
    for at in (0.0, 9.9, 10.0, 19.9, 20.0, 29.9, 30.0, 35.5, 39.9, 40.0, 49.9, 50.0):
        spans = [part for part, end in life.spans(50.0) if part.start <= at < end]
        assert life.flowing(at, 50.0) == (spans[0] if spans else None), at
