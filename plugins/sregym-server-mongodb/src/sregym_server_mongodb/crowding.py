"""What clients meet when a server has no connection left for them."""

from __future__ import annotations

from functools import lru_cache

from sregym_cluster_embedded.sdk.servers import ConnectionLimit

# What a driver makes of a connection that the server closes before it has said a word.
HUNG_UP = "EOF"


@lru_cache(maxsize=64)
def limited_to(most: int) -> tuple[ConnectionLimit, ...]:
    """At most so many connections, of all clients together.

    The same object for the same number: another look finds by identity that nothing has changed.
    """
    return (ConnectionLimit(most, HUNG_UP),)
