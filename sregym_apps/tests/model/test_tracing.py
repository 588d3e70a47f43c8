"""How programs are traced, and what is said of names that lead nowhere."""

from __future__ import annotations

import pytest
from sregym_apps.model import (
    ServiceModelError,
    ServiceProgram,
    TraceStore,
    Tracing,
    parse_service_model,
)

MODEL = """\
application: shop
images:
  - repository: shop
    tags: ["1"]
    size_mib: 1
    binaries: {/web: web, /tracer: tracer}
programs:
  web:
    config: {ratio: {env: RATIO, default: "0.01"}}
    listeners: {http: {protocol: http, port: 80}}
    clients: {cache: {protocol: tcp, address: "cache:11211"}, pay: {protocol: http, address: "pay:80"}}
    operations: {buy: {listener: http, route: GET /buy, calls: [{call: cache.get}]}}
    tracing:
      service: web
      collector: jaeger:6831
      sample: "${ratio}"
      spans: {buy: BUY, buy/cache.get#1: cache_get, pay.GET /pay: HTTP GET}
  tracer:
    listeners: {query: {protocol: http, port: 16686}}
    traces: {most_traces: 50, query: query}
"""


def test_a_traced_program_and_a_collector() -> None:
    model = parse_service_model(MODEL, "shop.yaml")
    web, tracer = model.programs["web"], model.programs["tracer"]
    assert isinstance(web, ServiceProgram)
    assert isinstance(tracer, ServiceProgram)
    assert web.tracing == Tracing(
        service="web",
        library="opentelemetry",
        collector="jaeger:6831",
        sample="${ratio}",
        spans={"buy": "BUY", "buy/cache.get#1": "cache_get", "pay.GET /pay": "HTTP GET"},
    )
    assert web.traces is None
    assert tracer.traces == TraceStore(most_traces="50", query="query")


@pytest.mark.parametrize(
    ("before", "after", "error"),
    [
        (
            "query: query}",
            "query: ui}",
            "shop.yaml:20: programs.tracer.traces.query: "
            "there is no listener 'ui' (there are: query)",
        ),
        (
            "{buy: BUY,",
            "{sell: BUY,",
            "shop.yaml:17: programs.web.tracing.spans.sell: "
            "there is no operation 'sell' (there are: buy)",
        ),
        (
            "buy/cache.get#1",
            "buy/store.get#1",
            "shop.yaml:17: programs.web.tracing.spans.buy/store.get#1: "
            "there is no client 'store' (there are: cache, pay)",
        ),
        (
            "buy/cache.get#1",
            "sell/cache.get#1",
            "shop.yaml:17: programs.web.tracing.spans.sell/cache.get#1: "
            "there is no operation 'sell' (there are: buy)",
        ),
        (
            'sample: "${ratio}"',
            'sample: "${rate}"',
            "shop.yaml:16: programs.web.tracing.sample: "
            "there is no setting 'rate' (there are: ratio); did you mean 'ratio'?",
        ),
    ],
)
def test_names_that_lead_nowhere(before: str, after: str, error: str) -> None:
    assert before in MODEL
    with pytest.raises(ServiceModelError) as caught:
        parse_service_model(MODEL.replace(before, after, 1), "shop.yaml")
    assert str(caught.value) == error
