"""The libraries that come along: the language's own, and Kubernetes'."""

from __future__ import annotations

from sregym_cel import (
    conversions,
    kubernetes,
    kubernetes_signatures,
    lists,
    operators,
    signatures,
    strings,
)
from sregym_cel.libraries import Library

STANDARD = Library(
    functions={
        **operators.FUNCTIONS,
        **conversions.FUNCTIONS,
        **strings.FUNCTIONS,
        **lists.FUNCTIONS,
    },
    overloads=signatures.FUNCTIONS,
    methods=signatures.METHODS,
    types=frozenset(("google.protobuf.Duration", "google.protobuf.Timestamp")),
)
KUBERNETES = Library(
    functions=kubernetes.FUNCTIONS,
    overloads=kubernetes_signatures.FUNCTIONS,
    methods=kubernetes_signatures.METHODS,
    types=frozenset(
        ("kubernetes.Quantity", "kubernetes.Semver", "kubernetes.URL", "net.CIDR", "net.IP")
    ),
)
