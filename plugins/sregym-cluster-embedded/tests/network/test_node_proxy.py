"""What kube-proxy makes of its file."""

from __future__ import annotations

import pytest
from sregym_cluster_embedded.network.proxies import Spread
from sregym_cluster_embedded.userland.kinds.node_proxy import (
    Configuration,
    ConfigurationError,
    read,
)

PATH = "/var/lib/kube-proxy/config.conf"
HEAD = "kind: KubeProxyConfiguration\n"


@pytest.mark.parametrize(
    ("text", "spread", "delay_s"),
    [
        ("", Spread(), 1.0),
        ("mode: iptables\niptables: {minSyncPeriod: 1h30m}\n", Spread(), 5400.0),
        ("mode: nftables\niptables: {minSyncPeriod: 1h}\n", Spread("nftables"), 1.0),
        ("mode: ipvs\n", Spread("ipvs", "rr"), 1.0),
        ("mode: ipvs\nipvs: {scheduler: sh, minSyncPeriod: 500ms}\n", Spread("ipvs", "sh"), 0.5),
    ],
)
def test_what_counts(text: str, spread: Spread, delay_s: float) -> None:
    assert read(HEAD + text, PATH) == Configuration(spread, delay_s)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (None, f"failed complete: open {PATH}: no such file or directory"),
        (
            "a: [",
            "failed complete: yaml: line 1: expected the node content, but found '<stream end>'",
        ),
        ("mode: ipvs", "failed complete: Object 'Kind' is missing in the configuration"),
        (
            f"{HEAD}mode: iptable",
            'failed validate: KubeProxyConfiguration.Mode: Invalid value: "iptable": must be '
            "iptables,ipvs,nftables or blank (blank means the best-available proxy (currently iptables))",
        ),
        (
            f"{HEAD}mode: ipvs\nipvs: {{scheduler: best}}",
            "failed run: can't use the IPVS proxier: IPVS proxier will not be used because the "
            "following required kernel modules are not loaded: [ip_vs_best]",
        ),
        (
            f"{HEAD}iptables: {{minSyncPeriod: soon}}",
            'failed complete: time: invalid duration "soon"',
        ),
    ],
)
def test_a_file_that_cannot_be_read(text: str | None, error: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read(text, PATH)
    assert str(caught.value) == error
