"""How long everybody waits for an answer, and how often they try again within that time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_apps.model import count, growth_of, seconds

if TYPE_CHECKING:
    from sregym_cluster_embedded.traffic.structure import CallSite, Structure

# More than anybody waits for.
_MOST_RETRIES = 1000


def set_deadlines(made: Structure) -> None:
    """Set the deadline of each operation, server and call: the longest of its callers."""
    for source in made.sources:
        for part in source.parts:
            for end in part.ends:
                if end.callee >= 0:
                    operation = made.operations[end.callee]
                    operation.deadline_ms = max(operation.deadline_ms, source.timeout_s * 1000)
    for operation in reversed(made.operations):
        server = made.servers[operation.server]
        server.deadline_ms = max(server.deadline_ms, operation.deadline_ms)
        for site in operation.sites:
            _bound_retries(site, operation.deadline_ms)
            patience = min(site.timeout_ms, operation.deadline_ms or site.timeout_ms)
            for route in site.routes:
                if route.callee >= 0:
                    callee = made.operations[route.callee]
                    callee.deadline_ms = max(callee.deadline_ms, patience)


def _bound_retries(site: CallSite, deadline_ms: float) -> None:
    """How often a call site retries at most, and within the deadline of the caller's callers."""
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
        if not deadline_ms or spent <= deadline_ms:
            fitting += 1
    site.retries_within_deadline, site.pause_ms = fitting, total / site.retries
