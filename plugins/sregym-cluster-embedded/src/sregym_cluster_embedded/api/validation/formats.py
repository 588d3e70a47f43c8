"""Forms that strings in objects must have: names, labels, addresses, ports, paths."""

from __future__ import annotations

import re
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api.validation.causes import invalid, port, required

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.errors import Cause

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_UNDERSCORED = re.compile(r"[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*")
_WILDCARD = re.compile(rf"\*\.{_SUBDOMAIN.pattern}")
_SERVICE = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_QUALIFIED = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")
_VALUE = re.compile(r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?")
_KEY = re.compile(r"[-._a-zA-Z0-9]+")
_HEADER = re.compile(r"[-A-Za-z0-9]+")
_ENV_NAME = re.compile(r"[ -<>-~]+")
_LEADING_ZERO = re.compile(r"(^|\.)0\d")

LABEL_TEXT = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must "
    "start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for "
    "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
SUBDOMAIN_TEXT = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
    "and must start and end with an alphanumeric character (e.g. 'example.com', regex used for "
    r"validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
_UNDERSCORED_TEXT = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for "
    rf"validation is '{_UNDERSCORED.pattern}')"
)
_WILDCARD_TEXT = (
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which "
    "must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric "
    rf"character (e.g. '*.example.com', regex used for validation is '{_WILDCARD.pattern}')"
)
SERVICE_TEXT = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
    "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', "
    "regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
)
QUALIFIED_TEXT = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with "
    "an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
_TWO_SLASHES_TEXT = (
    f"a valid label key {QUALIFIED_TEXT.removeprefix('name part ')} with an optional DNS subdomain "
    "prefix and '/' (e.g. 'example.com/MyName')"
)
VALUE_TEXT = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or "
    "'12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
_KEY_TEXT = (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  "
    "or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
)
_HEADER_TEXT = (
    "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex "
    "used for validation is '[-A-Za-z0-9]+')"
)
_ENV_TEXT = (
    "a valid environment variable name must consist only of printable ASCII characters other than "
    "'='"
)
_IP_TEXT = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
_CIDR_TEXT = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"


def label(field: str, value: str) -> list[Cause]:
    """A DNS label: names of containers and volumes."""
    if len(value) <= 63 and _SUBDOMAIN.fullmatch(value) and "." in value:
        return [invalid(field, value, "must not contain dots")]
    return _named(field, value, _LABEL, 63, LABEL_TEXT)


def subdomain(field: str, value: str) -> list[Cause]:
    """A DNS subdomain: names of most objects."""
    return _named(field, value, _SUBDOMAIN, 253, SUBDOMAIN_TEXT)


def underscored_subdomain(field: str, value: str) -> list[Cause]:
    """A DNS subdomain in which underscores may stand: search domains."""
    return _named(field, value, _UNDERSCORED, 253, _UNDERSCORED_TEXT)


def signer(field: str, name: str) -> list[Cause]:
    """The name of a signer: `example.com/signer-name`."""
    if not name:
        return [required(field)]
    domain, slash, path = name.partition("/")
    if not slash or "/" in path:
        why = "must be a fully qualified domain and path of the form 'example.com/signer-name'"
        return [invalid(field, name, why)]
    labels = domain.split(".")
    found = _parts_of_signer(field, domain, _LABEL, 63, LABEL_TEXT)
    if len(labels) < 2:
        why = "should be a domain with at least two segments separated by dots"
        found.append(invalid(field, domain, why))
    return found + _parts_of_signer(field, path, _SUBDOMAIN, 253, SUBDOMAIN_TEXT)


def _parts_of_signer(
    field: str, value: str, pattern: re.Pattern[str], limit: int, text: str
) -> list[Cause]:
    """What is wrong with the first bad part between dots."""
    for part in value.split("."):
        problems = [f"must be no more than {limit} bytes"] if len(part) > limit else []
        problems += [] if pattern.fullmatch(part) else [text]
        if problems:
            return [invalid(field, value, f'validating label "{part}": {why}') for why in problems]
    return []


def wildcard(field: str, value: str) -> list[Cause]:
    """A DNS subdomain whose first label is an asterisk."""
    return _named(field, value, _WILDCARD, 253, _WILDCARD_TEXT)


def host(field: str, value: str) -> list[Cause]:
    """A host of an Ingress, with an asterisk or without."""
    return wildcard(field, value) if "*" in value else subdomain(field, value)


def service_name(field: str, value: str) -> list[Cause]:
    """A DNS label that starts with a letter."""
    return _named(field, value, _SERVICE, 63, SERVICE_TEXT)


def path_segment(field: str, name: str) -> list[Cause]:
    """A name that could be part of a path."""
    if name in (".", ".."):
        return [invalid(field, name, f"may not be '{name}'")]
    return [
        invalid(field, name, f"may not contain '{text}'") for text in ("/", "%") if text in name
    ]


def labels(field: str, values: dict[str, str]) -> list[Cause]:
    """Keys and values of labels."""
    found: list[Cause] = []
    for key, value in sorted(values.items()):
        found += qualified(field, key)
        if isinstance(value, str):
            found += label_value(field, value)
    return found


def label_value(field: str, value: str) -> list[Cause]:
    """The value of a label."""
    return [invalid(field, value, text) for text in label_value_problems(value)]


def label_value_problems(value: str) -> list[str]:
    """What is wrong with the value of a label."""
    found = ["must be no more than 63 bytes"] if len(value) > 63 else []
    return found if _VALUE.fullmatch(value) else [*found, VALUE_TEXT]


def qualified(field: str, key: str) -> list[Cause]:
    """A label key: a name, with an optional domain in front."""
    return [invalid(field, key, text) for text in _qualified_problems(key)]


def is_qualified(key: str) -> bool:
    """Whether a word could be a label key."""
    return not _qualified_problems(key)


def _qualified_problems(key: str) -> list[str]:
    if key.count("/") > 1:
        return [_TWO_SLASHES_TEXT]
    prefix, slash, name = key.rpartition("/")
    found: list[str] = []
    if slash and not prefix:
        found.append("prefix part must be non-empty")
    elif prefix:
        if len(prefix) > 253:
            found.append("prefix part must be no more than 253 bytes")
        if not _SUBDOMAIN.fullmatch(prefix):
            found.append(f"prefix part {SUBDOMAIN_TEXT}")
    if not name:
        found.append("name part must be non-empty")
    elif len(name) > 63:
        found.append("name part must be no more than 63 bytes")
    if not _QUALIFIED.fullmatch(name):
        found.append(QUALIFIED_TEXT)
    return found


def config_key(field: str, key: str) -> list[Cause]:
    """A key of a ConfigMap or Secret."""
    found = _named(field, key, _KEY, 253, _KEY_TEXT)
    if key in (".", ".."):
        found.append(invalid(field, key, f"must not be '{key}'"))
    elif key.startswith(".."):
        found.append(invalid(field, key, "must not start with '..'"))
    return found


def header(field: str, name: str) -> list[Cause]:
    """The name of an HTTP header."""
    return [] if _HEADER.fullmatch(name) else [invalid(field, name, _HEADER_TEXT)]


def env_name(field: str, name: str) -> list[Cause]:
    """The name of an environment variable."""
    return [] if _ENV_NAME.fullmatch(name) else [invalid(field, name, _ENV_TEXT)]


def port_name(field: str, name: str) -> list[Cause]:
    """The name of a port."""
    found: list[Cause] = []
    if len(name) > 15:
        found.append(invalid(field, name, "must be no more than 15 characters"))
    if not re.fullmatch("[-a-z0-9]+", name):
        text = "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"
        found.append(invalid(field, name, text))
    if not re.search("[a-z]", name):
        found.append(invalid(field, name, "must contain at least one letter (a-z)"))
    if "--" in name:
        found.append(invalid(field, name, "must not contain consecutive hyphens"))
    if name.startswith("-") or name.endswith("-"):
        found.append(invalid(field, name, "must not begin or end with a hyphen"))
    return found


def port_or_name(field: str, value: int | str) -> list[Cause]:
    """A port, by number or by name."""
    return port(field, value) if isinstance(value, int) else port_name(field, value)


def address(field: str, value: str) -> list[Cause]:
    """An IP address."""
    try:
        parsed = ip_address(value)
    except ValueError:
        if _LEADING_ZERO.search(value) and re.fullmatch(r"(\d{1,3}\.){3}\d{1,3}", value):
            return [invalid(field, value, "must not have leading 0s")]
        return [invalid(field, value, _IP_TEXT)]
    if parsed.version == 6 and parsed.ipv4_mapped is not None:
        return [invalid(field, value, "must not be an IPv4-mapped IPv6 address")]
    return []


def ordinary_address(field: str, value: str) -> list[Cause]:
    """An IP address that belongs to no range with a meaning of its own."""
    try:
        parsed = ip_address(value)
    except ValueError:
        return [invalid(field, value, "must be a valid IP address")]
    if parsed.is_unspecified:
        text = f"may not be unspecified ({value})"
    elif parsed.is_loopback:
        text = "may not be in the loopback range (127.0.0.0/8, ::1/128)"
    elif parsed.is_link_local:
        text = "may not be in the link-local range (169.254.0.0/16, fe80::/10)"
    elif parsed.version == 4 and value.startswith("224.0.0."):
        text = "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"
    else:
        return []
    return [invalid(field, value, text)]


def network(field: str, value: str) -> tuple[IPv4Network | IPv6Network | None, list[Cause]]:
    """A range of addresses: what it is, and what is wrong with it."""
    if "/" not in value:
        return None, [invalid(field, value, _CIDR_TEXT)]
    try:
        return ip_network(value), []
    except ValueError:
        pass
    try:
        loose = ip_network(value, strict=False)
    except ValueError:
        return None, [invalid(field, value, _CIDR_TEXT)]
    text = "must not have bits set beyond the prefix length"
    return loose, [invalid(field, value, text)]


def path_without_dotdot(field: str, path: str) -> list[Cause]:
    """A path without `..` in it."""
    return [invalid(field, path, "must not contain '..'")] if ".." in path.split("/") else []


def descending(field: str, path: str) -> list[Cause]:
    """A relative path that does not leave its folder."""
    found = [invalid(field, path, "must be a relative path")] if path.startswith("/") else []
    return found + path_without_dotdot(field, path)


def local_path(field: str, path: str) -> list[Cause]:
    """A relative path that a volume may hold a file at."""
    found = descending(field, path)
    if path.startswith("..") and not path.startswith("../"):
        found.append(invalid(field, path, "must not start with '..'"))
    return found


def mode(field: str, value: Any) -> list[Cause]:
    """The permissions of a file."""
    if value is None or 0 <= value <= 0o777:
        return []
    text = "must be a number between 0 and 0777 (octal), both inclusive"
    return [invalid(field, value, text)]


def driver(field: str, name: str) -> list[Cause]:
    """The name of a CSI driver."""
    found = [] if name else [required(field)]
    return found + [
        invalid(field, name, cause.message.split(": ", 2)[2])
        for cause in subdomain(field, name.lower())
    ]


def _named(field: str, value: str, pattern: re.Pattern[str], limit: int, text: str) -> list[Cause]:
    found: list[Cause] = []
    if len(value) > limit:
        found.append(invalid(field, value, f"must be no more than {limit} characters"))
    if not pattern.fullmatch(value):
        found.append(invalid(field, value, text))
    return found
