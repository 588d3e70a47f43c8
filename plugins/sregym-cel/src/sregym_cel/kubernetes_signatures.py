"""What the functions of Kubernetes' libraries take and give."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from sregym_cel.kinds import BOOL, DOUBLE, INT, STRING, Kind, list_of, map_of
from sregym_cel.signatures import each

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cel.signatures import Overload

QUANTITY, URL, SEMVER = (Kind(f"kubernetes.{name}") for name in ("Quantity", "URL", "Semver"))
IP, CIDR = Kind("net.IP"), Kind("net.CIDR")
_OF_ADDRESSES = ("isUnspecified", "isLoopback", "isLinkLocalMulticast", "isLinkLocalUnicast")

FUNCTIONS: Mapping[str, tuple[Overload, ...]] = MappingProxyType(
    {
        "string": each(STRING, (IP,), (CIDR,)),
        "quantity": each(QUANTITY, (STRING,)),
        "url": each(URL, (STRING,)),
        "ip": each(IP, (STRING,)),
        "cidr": each(CIDR, (STRING,)),
        "semver": each(SEMVER, (STRING,), (STRING, BOOL)),
        "isSemver": each(BOOL, (STRING,), (STRING, BOOL)),
        **dict.fromkeys(("isQuantity", "isURL", "isIP", "isCIDR"), each(BOOL, (STRING,))),
        "ip.isCanonical": each(BOOL, (STRING,)),
    }
)
METHODS: Mapping[str, tuple[Overload, ...]] = MappingProxyType(
    {
        "sign": each(INT, (QUANTITY,)),
        "isInteger": each(BOOL, (QUANTITY,)),
        "asInteger": each(INT, (QUANTITY,)),
        "asApproximateFloat": each(DOUBLE, (QUANTITY,)),
        **dict.fromkeys(("add", "sub"), each(QUANTITY, (QUANTITY, QUANTITY), (QUANTITY, INT))),
        "compareTo": each(INT, (QUANTITY, QUANTITY), (SEMVER, SEMVER)),
        **dict.fromkeys(
            ("isLessThan", "isGreaterThan"), each(BOOL, (QUANTITY, QUANTITY), (SEMVER, SEMVER))
        ),
        **dict.fromkeys(("major", "minor", "patch"), each(INT, (SEMVER,))),
        **dict.fromkeys(
            ("getScheme", "getHost", "getHostname", "getPort", "getEscapedPath"),
            each(STRING, (URL,)),
        ),
        "getQuery": each(map_of(list_of(STRING)), (URL,)),
        "family": each(INT, (IP,)),
        **dict.fromkeys((*_OF_ADDRESSES, "isGlobalUnicast"), each(BOOL, (IP,))),
        "containsIP": each(BOOL, (CIDR, STRING), (CIDR, IP)),
        "containsCIDR": each(BOOL, (CIDR, STRING), (CIDR, CIDR)),
        "ip": each(IP, (CIDR,)),
        "masked": each(CIDR, (CIDR,)),
        "prefixLength": each(INT, (CIDR,)),
    }
)
