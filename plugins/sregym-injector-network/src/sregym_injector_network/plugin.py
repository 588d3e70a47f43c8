"""Entry point of the plugin: names its faults and imports none of them."""

from __future__ import annotations

from sregym_core import Offer, hookimpl

_PACKAGE = "sregym_injector_network"


@hookimpl
def sregym_register_injectors() -> list[Offer]:
    """The faults of this plugin."""
    return [
        Offer("service-port", f"{_PACKAGE}.services:ServicePort"),
        Offer("service-protocol", f"{_PACKAGE}.services:ServiceProtocol"),
        Offer("service-external-name", f"{_PACKAGE}.services:ServiceExternalName"),
        Offer("service-headless", f"{_PACKAGE}.services:ServiceHeadless"),
        Offer("traffic-policy", f"{_PACKAGE}.traffic_policy:TrafficPolicy"),
        Offer("service-selector-wide", f"{_PACKAGE}.selection:ServiceSelectorWide"),
        Offer("endpoints-stale", f"{_PACKAGE}.endpoints:EndpointsStale"),
        Offer("proxy-stale", f"{_PACKAGE}.proxies:ProxyStale"),
        Offer("routes-lost", f"{_PACKAGE}.routes:RoutesLost"),
        Offer("addresses-exhausted", f"{_PACKAGE}.pod_addresses:AddressesExhausted"),
        Offer("ingress-wrong", f"{_PACKAGE}.ingresses:IngressWrong"),
        Offer("certificate", f"{_PACKAGE}.certificates:CertificateExpired"),
        Offer("policy-deny", f"{_PACKAGE}.policies:PolicyDeny"),
        Offer("policy-peer", f"{_PACKAGE}.policies:PolicyPeer"),
        Offer("policy-caller", f"{_PACKAGE}.policies:PolicyCaller"),
        Offer("policy-port", f"{_PACKAGE}.policies:PolicyPort"),
        Offer("policy-dns", f"{_PACKAGE}.policies:PolicyDns"),
        Offer("dns-name-poisoned", f"{_PACKAGE}.cluster_dns:DnsNamePoisoned"),
        Offer("dns-zone-broken", f"{_PACKAGE}.cluster_dns:DnsZoneBroken"),
        Offer("dns-config-invalid", f"{_PACKAGE}.cluster_dns:DnsConfigInvalid"),
        Offer("dns-down", f"{_PACKAGE}.cluster_dns:DnsDown"),
        Offer("dns-overloaded", f"{_PACKAGE}.dns_capacity:DnsOverloaded"),
        Offer("dns-policy", f"{_PACKAGE}.resolvers:DnsPolicy"),
        Offer("link-delay", f"{_PACKAGE}.pod_paths:LinkDelay"),
        Offer("link-loss", f"{_PACKAGE}.pod_paths:LinkLoss"),
        Offer("link-narrow", f"{_PACKAGE}.pod_paths:LinkNarrow"),
        Offer("partition", f"{_PACKAGE}.pod_paths:Partition"),
        Offer("host-aliases", f"{_PACKAGE}.resolvers:HostAliases"),
    ]
