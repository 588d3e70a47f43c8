"""The libraries that Kubernetes adds: quantities, addresses, URLs, versions."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import parse_qs, quote, urlsplit

from sregym_cel.conversions import string
from sregym_cel.operators import no_overload
from sregym_cel.quantity import parse
from sregym_cel.values import CelError, Opaque

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from decimal import Decimal

_SEMVER = re.compile(
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?"
)
_PATH_SIGNS = "/%$&+,:;=@!'()*~"
_LARGEST, _SMALLEST = 2**63 - 1, -(2**63)
_BROADCAST = ipaddress.IPv4Address("255.255.255.255")
_LOCAL_GROUPS = (ipaddress.ip_network("224.0.0.0/24"), ipaddress.ip_network("ff02::/16"))


@dataclass(frozen=True)
class Quantity(Opaque):
    """`quantity("1Gi")`."""

    amount: Decimal
    type_name: ClassVar[str] = "kubernetes.Quantity"


@dataclass(frozen=True)
class Url(Opaque):
    """`url("https://host/path")`."""

    text: str
    type_name: ClassVar[str] = "kubernetes.URL"


@dataclass(frozen=True)
class Ip(Opaque):
    """`ip("10.0.0.1")`."""

    address: ipaddress.IPv4Address | ipaddress.IPv6Address
    type_name: ClassVar[str] = "net.IP"


@dataclass(frozen=True)
class Cidr(Opaque):
    """`cidr("10.0.0.0/8")`."""

    interface: ipaddress.IPv4Interface | ipaddress.IPv6Interface
    type_name: ClassVar[str] = "net.CIDR"


@dataclass(frozen=True)
class Semver(Opaque):
    """`semver("1.2.3")`."""

    numbers: tuple[int, int, int]
    release: tuple[tuple[int, int, str], ...]
    type_name: ClassVar[str] = "kubernetes.Semver"

    def order(self) -> tuple[Any, ...]:
        """What versions are compared by: a release follows its previews."""
        return self.numbers, not self.release, self.release


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise no_overload()
    return value


def _quantity(value: Any) -> Quantity:
    text = _text(value)
    try:
        return Quantity(parse(text))
    except ValueError:
        message = (
            "quantities must match the regular expression "
            "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
        )
        raise CelError(message) from None


def _ip(value: Any) -> Ip:
    text = _text(value)
    try:
        return Ip(ipaddress.ip_address(text))
    except ValueError:
        message = f'IP Address "{text}" parse error during conversion from string: ParseAddr("{text}"): unable to parse IP'
        raise CelError(message) from None


def _cidr(value: Any) -> Cidr:
    text = _text(value)
    try:
        found = ipaddress.ip_interface(text) if "/" in text else None
    except ValueError:
        found = None
    if found is None:
        message = f"network address parse error during conversion from string: netip.ParsePrefix(\"{text}\"): no '/'"
        raise CelError(message)
    return Cidr(found)


def _url(value: Any) -> Url:
    text = _text(value)
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        message = f'URL parse error during conversion from string: parse "{text}": invalid URL'
        raise CelError(message) from None
    if not (parts.scheme and parts.netloc) and not text.startswith("/"):
        message = f'URL parse error during conversion from string: parse "{text}": invalid URI for request'
        raise CelError(message)
    return Url(text)


def semver(value: Any, normalize: Any = False) -> Semver:
    """The function of this name."""
    text = _text(value)
    if normalize:
        text = _normalized(text)
    match = _SEMVER.fullmatch(text)
    if match is None:
        message = "No Major.Minor.Patch elements found"
        raise CelError(message)
    major, minor, patch, preview = match.groups()
    release = tuple(
        (0, int(part), "") if part.isdecimal() else (1, 0, part)
        for part in (preview or "").split(".")
        if part
    )
    return Semver((int(major), int(minor), int(patch)), release)


def _normalized(text: str) -> str:
    """A version with all three numbers, without a `v` and zeros before them."""
    parts = text.removeprefix("v").split(".", 2)
    for place, part in enumerate(parts):
        short = part.lstrip("0") if len(part) > 1 else part
        parts[place] = short if short[:1].isdecimal() or len(part) < 2 else f"0{short}"
    if len(parts) < 3 and set("+-") & set(parts[-1]):
        message = "short version cannot contain PreRelease/Build meta data"
        raise CelError(message)
    return ".".join((*parts, "0", "0")[:3])


def _is(run: Callable[..., Any]) -> Callable[..., bool]:
    """Whether a conversion succeeds."""

    def test(value: Any, *rest: Any) -> bool:
        _text(value)
        try:
            run(value, *rest)
        except CelError:
            return False
        return True

    return test


def _on(kind: type, run: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A method of one type."""

    def method(target: Any) -> Any:
        if not isinstance(target, kind):
            raise no_overload()
        return run(target)

    return method


def _ordering(left: Any, right: Any) -> int:
    if isinstance(left, Quantity) and isinstance(right, Quantity):
        return (left.amount > right.amount) - (left.amount < right.amount)
    if isinstance(left, Semver) and isinstance(right, Semver):
        return (left.order() > right.order()) - (left.order() < right.order())
    raise no_overload()


def _shifted(sign: int) -> Callable[[Any, Any], Quantity]:
    def run(left: Any, right: Any) -> Quantity:
        if not isinstance(left, Quantity):
            raise no_overload()
        if isinstance(right, Quantity):
            return Quantity(left.amount + sign * right.amount)
        if isinstance(right, int) and not isinstance(right, bool):
            return Quantity(left.amount + sign * right)
        raise no_overload()

    return run


def _is_integer(target: Quantity) -> bool:
    whole = target.amount == target.amount.to_integral_value()
    return whole and _SMALLEST <= target.amount <= _LARGEST


def _as_integer(target: Quantity) -> int:
    if not _is_integer(target):
        message = "cannot convert value to integer"
        raise CelError(message)
    return int(target.amount)


def _contains_ip(target: Any, other: Any) -> bool:
    address = _ip(other) if isinstance(other, str) else other
    if not isinstance(target, Cidr) or not isinstance(address, Ip):
        raise no_overload()
    return address.address in target.interface.network


def _contains_cidr(target: Any, other: Any) -> bool:
    inner = _cidr(other) if isinstance(other, str) else other
    if not isinstance(target, Cidr) or not isinstance(inner, Cidr):
        raise no_overload()
    network, below = target.interface.network, inner.interface.network
    return network.version == below.version and below.subnet_of(network)  # type: ignore[arg-type]


def _masked(target: Cidr) -> Cidr:
    network = target.interface.network
    return Cidr(ipaddress.ip_interface(f"{network.network_address}/{network.prefixlen}"))


def _string(target: Any) -> str:
    if isinstance(target, Ip):
        return str(target.address)
    if isinstance(target, Cidr):
        return str(target.interface)
    return string(target)


def _is_for_one(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Whether packets may be sent to the address beyond the own link, as Go sees it."""
    return not (
        address.is_loopback
        or address.is_multicast
        or address.is_unspecified
        or address.is_link_local
        or address == _BROADCAST
    )


def _query(target: Url) -> dict[str, list[str]]:
    return parse_qs(urlsplit(target.text).query, keep_blank_values=True)


def _host(target: Url) -> str:
    return urlsplit(target.text).netloc.rpartition("@")[2]


FUNCTIONS: Mapping[tuple[str, bool, int], Callable[..., Any]] = {
    ("quantity", False, 1): _quantity,
    ("isQuantity", False, 1): _is(_quantity),
    ("isInteger", True, 1): _on(Quantity, _is_integer),
    ("asInteger", True, 1): _on(Quantity, _as_integer),
    ("asApproximateFloat", True, 1): _on(Quantity, lambda q: float(q.amount)),
    ("sign", True, 1): _on(Quantity, lambda q: (q.amount > 0) - (q.amount < 0)),
    ("add", True, 2): _shifted(1),
    ("sub", True, 2): _shifted(-1),
    ("compareTo", True, 2): _ordering,
    ("isLessThan", True, 2): lambda left, right: _ordering(left, right) < 0,
    ("isGreaterThan", True, 2): lambda left, right: _ordering(left, right) > 0,
    ("ip", False, 1): _ip,
    ("isIP", False, 1): _is(_ip),
    ("ip.isCanonical", False, 1): lambda text: str(_ip(text).address) == text,
    ("family", True, 1): _on(Ip, lambda ip: ip.address.version),
    ("isUnspecified", True, 1): _on(Ip, lambda ip: ip.address.is_unspecified),
    ("isLoopback", True, 1): _on(Ip, lambda ip: ip.address.is_loopback),
    ("isLinkLocalUnicast", True, 1): _on(Ip, lambda ip: ip.address.is_link_local),
    ("isLinkLocalMulticast", True, 1): _on(
        Ip, lambda ip: any(ip.address in network for network in _LOCAL_GROUPS)
    ),
    ("isGlobalUnicast", True, 1): _on(Ip, lambda ip: _is_for_one(ip.address)),
    ("cidr", False, 1): _cidr,
    ("isCIDR", False, 1): _is(_cidr),
    ("containsIP", True, 2): _contains_ip,
    ("containsCIDR", True, 2): _contains_cidr,
    ("prefixLength", True, 1): _on(Cidr, lambda net: net.interface.network.prefixlen),
    ("ip", True, 1): _on(Cidr, lambda net: Ip(net.interface.ip)),
    ("masked", True, 1): _on(Cidr, _masked),
    ("string", False, 1): _string,
    ("url", False, 1): _url,
    ("isURL", False, 1): _is(_url),
    ("getScheme", True, 1): _on(Url, lambda url: urlsplit(url.text).scheme),
    ("getHost", True, 1): _on(Url, _host),
    ("getHostname", True, 1): _on(Url, lambda url: urlsplit(url.text).hostname or ""),
    ("getPort", True, 1): _on(Url, lambda url: str(urlsplit(url.text).port or "")),
    ("getEscapedPath", True, 1): _on(Url, lambda url: quote(urlsplit(url.text).path, _PATH_SIGNS)),
    ("getQuery", True, 1): _on(Url, _query),
    ("semver", False, 1): semver,
    ("semver", False, 2): semver,
    ("isSemver", False, 1): _is(semver),
    ("isSemver", False, 2): _is(semver),
    ("major", True, 1): _on(Semver, lambda version: version.numbers[0]),
    ("minor", True, 1): _on(Semver, lambda version: version.numbers[1]),
    ("patch", True, 1): _on(Semver, lambda version: version.numbers[2]),
}
