"""Entry point of the plugin: names its faults and imports none of them."""

from __future__ import annotations

from sregym_core import Registration, hookimpl

_PACKAGE = "sregym_injector_network"


@hookimpl
def sregym_register_injectors() -> list[Registration]:
    """The faults of this plugin."""
    return [
        Registration("service-port", f"{_PACKAGE}.services:ServicePort"),
        Registration("service-protocol", f"{_PACKAGE}.services:ServiceProtocol"),
        Registration("service-external-name", f"{_PACKAGE}.services:ServiceExternalName"),
        Registration("service-headless", f"{_PACKAGE}.services:ServiceHeadless"),
        Registration("traffic-policy", f"{_PACKAGE}.traffic_policy:TrafficPolicy"),
        Registration("service-selector-wide", f"{_PACKAGE}.selection:ServiceSelectorWide"),
        Registration("endpoints-stale", f"{_PACKAGE}.endpoints:EndpointsStale"),
        Registration("proxy-stale", f"{_PACKAGE}.proxies:ProxyStale"),
        Registration("routes-lost", f"{_PACKAGE}.routes:RoutesLost"),
        Registration("addresses-exhausted", f"{_PACKAGE}.pod_addresses:AddressesExhausted"),
        Registration("ingress-wrong", f"{_PACKAGE}.ingresses:IngressWrong"),
        Registration("certificate", f"{_PACKAGE}.certificates:CertificateExpired"),
        Registration("policy-deny", f"{_PACKAGE}.policies:PolicyDeny"),
        Registration("policy-peer", f"{_PACKAGE}.policies:PolicyPeer"),
        Registration("policy-caller", f"{_PACKAGE}.policies:PolicyCaller"),
        Registration("policy-port", f"{_PACKAGE}.policies:PolicyPort"),
        Registration("policy-dns", f"{_PACKAGE}.policies:PolicyDns"),
        Registration("dns-name-poisoned", f"{_PACKAGE}.cluster_dns:DnsNamePoisoned"),
        Registration("dns-zone-broken", f"{_PACKAGE}.cluster_dns:DnsZoneBroken"),
        Registration("dns-config-invalid", f"{_PACKAGE}.cluster_dns:DnsConfigInvalid"),
        Registration("dns-down", f"{_PACKAGE}.cluster_dns:DnsDown"),
        Registration("dns-overloaded", f"{_PACKAGE}.dns_capacity:DnsOverloaded"),
        Registration("dns-policy", f"{_PACKAGE}.resolvers:DnsPolicy"),
        Registration("link-delay", f"{_PACKAGE}.pod_paths:LinkDelay"),
        Registration("link-loss", f"{_PACKAGE}.pod_paths:LinkLoss"),
        Registration("link-narrow", f"{_PACKAGE}.pod_paths:LinkNarrow"),
        Registration("partition", f"{_PACKAGE}.pod_paths:Partition"),
        Registration("host-aliases", f"{_PACKAGE}.resolvers:HostAliases"),
    ]
