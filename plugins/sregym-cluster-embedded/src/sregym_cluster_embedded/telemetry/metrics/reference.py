"""Writes the page of all metrics: `python -m sregym_cluster_embedded.telemetry.metrics.reference`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sregym_cluster_embedded.telemetry.metrics.catalogue import Catalogue
from sregym_cluster_embedded.telemetry.metrics.scraping import SCRAPE_FAMILIES
from sregym_cluster_embedded.userland.kinds import with_in_tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.telemetry.metrics.exposition import Family

_HEAD = """\
# Metrics

What the embedded cluster's Prometheus has: the metrics of a usual monitoring stack, under the names, labels and types of the real exporters. `sregym up` prints its address as
`endpoints.prometheus`. The monitoring itself stands outside of the cluster: it has no pods there.

This page is made by `python -m sregym_cluster_embedded.telemetry.metrics.reference docs/reference/metrics.md`; a test compares them.

## What can be relied on

- Every target is scraped each 15 s, at its own moment of that interval. A sample is what the target would have said then; the newest is at most 15 s old.
- A series that ends is marked as such at the next scrape, as Prometheus does: it is gone at once, not after five minutes. Nothing comes from a pod after its end.
- Counters count whole requests, process by process, from 0 at its start. They agree with logs and traces: all three are worked out from the same history of requests.
- No sample is stored. The same question has the same answer however often, in whatever order and on whatever copy of the cluster it is asked. The history reaches back 20,000 changes of objects.
  Which series there are is remembered as long as what they are made of has not changed.
- What containers use is what `kubectl top` shows; processor time is ahead or behind by two seconds' worth at most.
- Nothing stays exactly where it is: memory, processor time, times of scrapes and probes, figures of nodes and of the control plane wander a little, each pod, node and target in its own way, and never beyond a limit.
- Requests come as chance has it. Around the mean rate of the model of the traffic, the count of a window varies by about its own square root, from 15 seconds to minutes, for each kind of requests that a load
  generator sends (below one request in ten seconds by less), and with it all that these requests lead to. Callers and callees, metrics, access lines, spans and the generator's own figures count the same ones. Where
  a part of the calls fails by timeouts, lost packets or full queues, how many fail in a window is chance, too.
- How long requests take is chance as well: counts of buckets vary as those of independent draws do, and `_sum` is that of the same draws, so means of a window scatter with its slow requests.
- A healthy system has a few errors: on nodes of episodes, two to six of a hundred thousand requests between services meet a connection that is reset ([why](../explanation/telemetry.md)).
- Kills for memory are counted by the kernel of the node (`node_vmstat_oom_kill`, from 0 at its boot). `container_oom_events_total` belongs to one container: who is killed is seen with 1 once, and the container
  that follows begins at 0; `kube_pod_container_status_last_terminated_reason` remembers.
- The API server and the kubelets tell theirs to clients, too, as of the moment: `kubectl get --raw /metrics`, `kubectl get --raw /api/v1/nodes/NODE/proxy/metrics/cadvisor`.

What questions cost is in [queries](metrics-queries.md#speed); only what a query names, and what its matchers leave of that, is worked out.

## What is not there

- What requests weigh in bytes one by one (network counters follow the number of requests), and the ingress controller's own metrics.
- Volumes hold the files that were written to them (`dd`, shells, `kubectl cp`), not the records of databases; each claim is a file system of its own size.
- Probes of Services know the Service, its endpoints, its NetworkPolicies, who listens, and whether a cluster DNS runs; not what a Corefile says of one name.

## Of every target

"""


def page() -> str:
    """The whole page."""
    parts = [_HEAD, _table(SCRAPE_FAMILIES)]
    for chapter in Catalogue(with_in_tree()).chapters:
        families = [family for exporter in chapter.exporters for family in exporter.families]
        parts.append(f"\n## {chapter.title}\n\n{chapter.about}\n\n{_table(families)}")
    return "".join(parts)


def _table(families: Sequence[Family]) -> str:

    rows = "".join(
        f"| `{family.name}` | {family.type} | {family.help.replace('|', '/')} |\n"
        for family in families
    )
    return f"| metric | type | help |\n|---|---|---|\n{rows}"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
