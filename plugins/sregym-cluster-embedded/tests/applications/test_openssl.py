"""openssl in containers: dates of certificates in files, servers that speak no TLS or are not there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sregym_cluster_embedded.api.pki.authority import certificate_authority
from sregym_cluster_embedded.kubelet.runtime import Mount

MODEL = """
application: tools
images:
  - repository: netshoot
    tags: ["1"]
    size_mib: 31
    cmd: [sleep, infinity]
    tools: [netshoot]
programs: {}
"""


@pytest.fixture
def tools(make_shop: Callable[..., Any]) -> Any:
    shop = make_shop(MODEL)
    shop.name("idle")
    files = {"ca.crt": certificate_authority(shop.world), "none": "nothing"}
    shop.start("tools", "netshoot:1", "3", mounts={"/tls": Mount("files", "3/tls", files)})
    shop.run(1)
    return shop


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("openssl x509 -in /tls/ca.crt -noout -subject -issuer", (0, "subject=CN = kubernetes\nissuer=CN = kubernetes\n", "")),
        ("openssl x509 -in /tls/ca.crt -noout -checkend 999999999", (1, "Certificate will expire\n", "")),
        ("openssl x509 -in /tls/none -noout -dates", (1, "", "Could not read certificate from <stdin>\nUnable to load certificate\n")),
        ("openssl x509 -in /none", (1, "", "Could not open file or uri for loading certificate from /none\n")),
        ("openssl s_client -connect idle:443", (1, "", "BIO_connect:Connection refused\nconnect:errno=111\n")),
        ("openssl s_client -connect nothing:443", (1, "", "BIO_lookup_ex:Name does not resolve\nconnect:errno=22\n")),
        ("openssl nosuch", (1, "", "Invalid command 'nosuch'; type \"help\" for a list.\n")),
    ],
)  # fmt: skip
def test_openssl(tools: Any, script: str, expected: tuple[int, str, str]) -> None:
    assert tools.shell("tools", script) == expected
