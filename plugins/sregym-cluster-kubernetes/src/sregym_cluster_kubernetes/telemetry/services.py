"""The services of observability of one cluster, under the names that agents know."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from sregym_core.interfaces import ClusterError, no_such_service

from sregym_cluster_kubernetes.telemetry.places import found_among, is_address, parse_place
from sregym_cluster_kubernetes.telemetry.relay import Relay
from sregym_cluster_kubernetes.telemetry.service_requests import (
    request_service,
    request_through_proxy,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kubernetes.client import ApiClient
    from sregym_core.interfaces import ServiceAnswer
    from sregym_core.interfaces.cluster import KubeObject

    from sregym_cluster_kubernetes.options import ClusterOptions
    from sregym_cluster_kubernetes.telemetry.places import ServicePlace


class Services:
    """Asks them, and serves those behind Services on loopback for processes outside.

    Args:
        client: Of the API server.
        options: What the user said: addresses, Services, or a namespace with all of them.
        listed: Gives the Services of a namespace.
    """

    def __init__(
        self,
        client: ApiClient,
        options: ClusterOptions,
        listed: Callable[[str], list[KubeObject]],
    ) -> None:
        self._client = client
        self._options = options
        self._listed = listed
        self._places: dict[str, str | ServicePlace] | None = None
        self._relays = ExitStack()

    @property
    def places(self) -> Mapping[str, str | ServicePlace]:
        """Where each is: an address, or a Service. What is named goes before what is found."""
        if self._places is None:
            found: dict[str, str | ServicePlace] = {}
            if self._options.telemetry:
                found |= found_among(self._listed(self._options.telemetry))
            for name, text in self._options.endpoints.items():
                found[name] = text if is_address(text) else parse_place(name, text) or text
            self._places = dict(sorted(found.items()))
        return self._places

    def ask(
        self,
        service: str,
        path: str,
        query: Sequence[tuple[str, str]],
        method: str,
        body: bytes = b"",
    ) -> ServiceAnswer:
        """What one answers.

        Raises:
            ClusterError: There is none of that name, or it does not answer.
        """
        place = self.places.get(service)
        if place is None:
            raise no_such_service(service, tuple(self.places))
        if isinstance(place, str):
            return request_service(service, place, path, query, method, body)
        return request_through_proxy(self._client, service, place, path, query, method, body)

    def served(
        self, asked: Callable[[str, str, Sequence[tuple[str, str]], str], ServiceAnswer]
    ) -> dict[str, str]:
        """Addresses of all for processes on this machine.

        Args:
            asked: Answers for those behind Services: name, path, parameters and method.
        """
        urls = {}
        for name, place in self.places.items():
            if isinstance(place, str):
                urls[name] = place
                continue
            urls[name] = self._relays.enter_context(Relay(name, asked)).url
        return urls

    def close(self) -> None:
        """End what is served."""
        self._relays.close()


def answers(services: Services, service: str, path: str) -> str:
    """Why a service does not answer a look; empty when it does."""
    try:
        answer = services.ask(service, path, (), "GET")
    except ClusterError as error:
        return error.message
    if answer.status != 200:
        text = answer.body.decode(errors="replace").strip()[:200]
        return f"it answers {answer.status} to {path}: {text}"
    return ""
