"""The named formats of Kubernetes' names: `format.dns1123Label().validate(text)`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cel.formats import STANDARD, library

from sregym_cluster_embedded.api.validation import formats

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cel.formats import Problems


def _of(check: Callable[[str, str], list[Any]]) -> Problems:
    def run(text: str) -> list[str]:
        causes = check("", text)
        return [cause.message.partition(": ")[2].partition(": ")[2] for cause in causes]

    return run


def _beginning(check: Callable[[str, str], list[Any]]) -> Problems:
    """Of a name to which the server adds an end: what it ends with, it need not end with."""
    return lambda text: _of(check)(f"{text[:-1]}a" if text.endswith("-") else text)


LIBRARY = library(
    {
        "dns1123Label": _of(formats.label),
        "dns1123Subdomain": _of(formats.subdomain),
        "dns1035Label": _of(formats.service_name),
        "qualifiedName": _of(formats.qualified),
        "dns1123LabelPrefix": _beginning(formats.label),
        "dns1123SubdomainPrefix": _beginning(formats.subdomain),
        "dns1035LabelPrefix": _beginning(formats.service_name),
        "labelValue": formats.label_value_problems,
        **STANDARD,
    }
)
