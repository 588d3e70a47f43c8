"""Every tool of a session on a living application: the services answer, and the tools understand them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sregym_cluster_embedded.cluster import Embedded
from sregym_core.conductor import ComponentFactory
from sregym_core.conductor.session import LiveSession
from sregym_core.conductor.timeline import Timeline
from sregym_core.interfaces import Budget, ClusterSpec
from sregym_core.plugins import Plugins
from sregym_core.settings import Settings


@pytest.fixture(scope="module")
def session(factory: ComponentFactory) -> Iterator[LiveSession]:
    application = factory.application("hotel-reservation")
    cluster = Embedded().provision(ClusterSpec(seed=1, applications=(application,)))
    application.deploy(cluster)
    cluster.clock.advance(300.0)
    timeline = Timeline("tools", Plugins(Settings(), found=()))
    timeline.follow(cluster.clock)
    yield LiveSession(
        cluster,
        timeline,
        "Look around.",
        application.namespaces,
        Budget(episode_s=None, wall_s=None),
        None,
        lambda *_: None,
        lambda: None,
        toolset=factory.toolset,
    )
    cluster.close()


@pytest.mark.parametrize(
    ("tool", "arguments", "seen"),
    [
        ("query_metrics", {"query": "up"}, "up{"),
        ("query_metrics", {"query": "vector(42)"}, "{}  42"),
        ("query_metrics_range", {"query": "vector(1)", "minutes": 5}, "1*21"),
        ("list_metrics", {"contains": "kube_pod"}, "kube_pod_info"),
        ("alerts", {}, "alert"),
        ("query_logs", {"query": '{namespace="hotel-reservation"}', "limit": 5}, "newest 5 lines"),
        ("log_labels", {}, "namespace"),
        ("log_labels", {"label": "namespace"}, "hotel-reservation"),
        ("list_services", {}, "frontend"),
        ("search_traces", {"service": "frontend", "limit": 3}, "traces"),
        ("service_dependencies", {}, "frontend -> "),
    ],
)
def test_each_tool_has_something_to_say(
    session: LiveSession, tool: str, arguments: dict[str, object], seen: str
) -> None:
    result = session.call(tool, arguments)
    assert result.ok, result.text
    assert seen in result.text


def test_a_trace_that_was_found_can_be_read(session: LiveSession) -> None:
    found = session.call("search_traces", {"service": "frontend", "limit": 1}).text
    trace = session.call("get_trace", {"trace_id": found.split("\n")[1].split()[0]})
    assert trace.ok, trace.text
    assert "frontend" in trace.text


@pytest.mark.parametrize(
    ("tool", "arguments", "service"),
    [
        ("query_metrics", {"query": "up +"}, "prometheus"),
        ("query_logs", {"query": "{"}, "loki"),
    ],
)
def test_what_services_refuse_is_told(
    session: LiveSession, tool: str, arguments: dict[str, object], service: str
) -> None:
    result = session.call(tool, arguments)
    assert (result.ok, result.text.startswith(f"{service} refuses (400): ")) == (False, True)
