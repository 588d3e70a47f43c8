"""The contract of this package."""

from __future__ import annotations

from sregym_cluster_embedded.sdk.testing import ExtensionContract


class TestExtension(ExtensionContract):
    distribution = "sregym-server-tidb"
