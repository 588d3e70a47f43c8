"""What ServiceCIDRs and IPAddresses may be, in the API server's words."""

from __future__ import annotations

import pytest
from sregym_cluster_embedded.api import resources, validation
from sregym_cluster_embedded.api.errors import ApiError
from sregym_cluster_embedded.api.resource import Resource
from sregym_cluster_embedded.store import Object


def _kind(name: str) -> Resource:
    kind = resources.named(name)
    assert kind is not None
    return kind


RANGE = _kind("servicecidrs.networking.k8s.io")
ADDRESS = _kind("ipaddresses.networking.k8s.io")
TWICE = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"


@pytest.mark.parametrize(
    ("cidrs", "why"),
    [
        ([], "spec.cidrs: Required value: at least one CIDR required"),
        (
            ["web"],
            'spec.cidrs[0]: Invalid value: "web": must be a valid CIDR value, '
            "(e.g. 10.9.8.0/24 or 2001:db8::/64)",
        ),
        (
            ["10.1.1.1/24"],
            'spec.cidrs[0]: Invalid value: "10.1.1.1/24": '
            "must not have bits set beyond the prefix length",
        ),
        (
            ["2001:DB8::/64"],
            'spec.cidrs[0]: Invalid value: "2001:DB8::/64": '
            'must be in canonical form ("2001:db8::/64")',
        ),
        (
            ["10.1.0.0/24", "10.2.0.0/24"],
            f'spec.cidrs: Invalid value: {{"CIDRs":["10.1.0.0/24","10.2.0.0/24"]}}: {TWICE}',
        ),
        (
            ["a", "b", "c"],
            'spec.cidrs: Invalid value: {"CIDRs":["a","b","c"]}: may only hold up to 2 values',
        ),
    ],
)
def test_what_is_no_range_is_refused(cidrs: list[str], why: str) -> None:
    with pytest.raises(ApiError) as refused:
        validation.new(RANGE, {"metadata": {"name": "x"}, "spec": {"cidrs": cidrs}})
    assert refused.value.message == f'ServiceCIDR.networking.k8s.io "x" is invalid: {why}'


OLD: Object = {"metadata": {"name": "x"}, "spec": {"cidrs": ["10.97.0.0/24"]}}


@pytest.mark.parametrize(
    ("cidrs", "why"),
    [
        (["10.98.0.0/24"], 'spec.cidrs[0]: Invalid value: "10.98.0.0/24": field is immutable'),
        (
            ["10.98.0.0/24", "fd00::/108"],
            'spec.cidrs[0]: Invalid value: "10.98.0.0/24": field is immutable',
        ),
    ],
)
def test_a_range_stays(cidrs: list[str], why: str) -> None:
    with pytest.raises(ApiError) as refused:
        validation.changed(RANGE, OLD, {**OLD, "spec": {"cidrs": cidrs}})
    assert refused.value.message == f'ServiceCIDR.networking.k8s.io "x" is invalid: {why}'


def test_one_of_the_other_family_may_come_and_none_may_go() -> None:
    both = {**OLD, "spec": {"cidrs": ["10.97.0.0/24", "fd00::/108"]}}
    validation.changed(RANGE, OLD, both)
    with pytest.raises(ApiError) as refused:
        validation.changed(RANGE, both, OLD)
    assert refused.value.message == (
        'ServiceCIDR.networking.k8s.io "x" is invalid: '
        'spec.cidrs: Invalid value: ["10.97.0.0/24"]: field is immutable'
    )


@pytest.mark.parametrize(
    ("name", "spec", "why"),
    [
        (
            "web",
            {"parentRef": {"resource": "services", "name": "web"}},
            'metadata.name: Invalid value: "web": ParseAddr("web"): unable to parse IP',
        ),
        (
            "2001:DB8::1",
            {"parentRef": {"resource": "services", "name": "web"}},
            'metadata.name: Invalid value: "2001:DB8::1": must be a canonical format IP address',
        ),
        ("10.1.2.3", {}, "spec.parentRef: Required value"),
        ("10.1.2.3", {"parentRef": {"name": "a"}}, "spec.parentRef.resource: Required value"),
        ("10.1.2.3", {"parentRef": {"resource": "a"}}, "spec.parentRef.name: Required value"),
    ],
)
def test_an_address_is_named_by_itself(name: str, spec: Object, why: str) -> None:
    with pytest.raises(ApiError) as refused:
        validation.new(ADDRESS, {"metadata": {"name": name}, "spec": spec})
    assert refused.value.message == f'IPAddress.networking.k8s.io "{name}" is invalid: {why}'
