"""The wire: the API of a world over plain HTTP and websockets, and the pace of its time.

`LiveWorld` guards a world that several threads touch and decides how its virtual time moves;
`ApiEndpoint` serves it to any Kubernetes client.
"""

from __future__ import annotations

from sregym_cluster_embedded.http.kubeconfig import write_kubeconfig
from sregym_cluster_embedded.http.live import LiveWorld
from sregym_cluster_embedded.http.pacing import Paced, Pacing, Stepped
from sregym_cluster_embedded.http.server import ApiEndpoint
from sregym_cluster_embedded.http.serving import BackgroundServer, EndpointError

__all__ = [
    "ApiEndpoint",
    "BackgroundServer",
    "EndpointError",
    "LiveWorld",
    "Paced",
    "Pacing",
    "Stepped",
    "write_kubeconfig",
]
