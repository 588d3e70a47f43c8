"""How long everybody waits for an answer, and how often they try again within that time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_apps.model import count, growth_of, seconds

if TYPE_CHECKING:
    from sregym_cluster_embedded.traffic.structure import Site, Structure

# More than anybody waits for.
_MOST_RETRIES = 1000


def give_patience(made: Structure) -> None:
    """Let each operation, server and call know the patience of the most patient caller."""
    for source in made.sources:
        for part in source.parts:
            for end in part.ends:
                if end.callee >= 0:
                    operation = made.operations[end.callee]
                    operation.patience_ms = max(operation.patience_ms, source.timeout_s * 1000)
    for operation in reversed(made.operations):
        server = made.servers[operation.server]
        server.patience_ms = max(server.patience_ms, operation.patience_ms)
        for site in operation.sites:
            _bound_retries(site, operation.patience_ms)
            patience = min(site.timeout_ms, operation.patience_ms or site.timeout_ms)
            for way in site.ways:
                if way.callee >= 0:
                    callee = made.operations[way.callee]
                    callee.patience_ms = max(callee.patience_ms, patience)


def _bound_retries(site: Site, patience_ms: float) -> None:
    """How often a site tries again at most, and within the patience of the caller's callers."""
    retry = site.client.retry
    attempts = count(retry.attempts, count(retry.times, 0) + 1)
    site.retries = min(max(0, attempts - 1), _MOST_RETRIES)
    if not site.retries:
        return
    pause_ms = seconds(retry.backoff, 0.0) * 1000
    growth = growth_of(retry)
    spent, total, fitting = site.timeout_ms, 0.0, 0.0
    for _ in range(site.retries):
        spent += min(pause_ms, retry.most_s * 1000) + site.timeout_ms
        total += min(pause_ms, retry.most_s * 1000)
        pause_ms *= growth
        if not patience_ms or spent <= patience_ms:
            fitting += 1
    site.patient_retries, site.pause_ms = fitting, total / site.retries
