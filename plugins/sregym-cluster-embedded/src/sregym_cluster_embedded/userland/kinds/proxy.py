"""HTTP servers in front of others: they pass requests on and say so in their own words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland import pages
from sregym_cluster_embedded.userland.kinds.kind import WebAnswer
from sregym_cluster_embedded.userland.kinds.service import ServiceKind

if TYPE_CHECKING:
    from sregym_apps.model import ProxyProgram

    from sregym_cluster_embedded.userland.kinds.kind import WebRequest
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World

_HAPROXY = {
    503: "<html><body><h1>503 Service Unavailable</h1>\nNo server is available to handle this request.\n</body></html>\n",
    504: "<html><body><h1>504 Gateway Time-out</h1>\nThe server didn't respond in time.\n</body></html>\n",
}
_HTML = "text/html"


class ProxyKind(ServiceKind):
    """A service whose failures are pages of its own."""

    def respond(
        self,
        world: World,
        process: Process,
        program: ProxyProgram,  # type: ignore[override]  # the one service of this kind
        request: WebRequest,
    ) -> WebAnswer | None:
        """Answer an HTTP request."""
        answer = super().respond(world, process, program, request)
        if answer is None or answer.status < 400:
            return answer
        page = _page(program, answer.status, answer.body)
        return WebAnswer(answer.status, page, _type(program), answer.seconds)


def _type(program: ProxyProgram) -> str:
    return "text/plain" if program.flavour == "envoy" else _HTML


def _page(program: ProxyProgram, status: int, body: str) -> str:
    if program.flavour == "envoy":
        return "" if status == 404 else body
    if program.flavour == "haproxy":
        return _HAPROXY.get(status, _HAPROXY[503])
    return pages.page(status, f"{program.flavour}/{program.version}")
