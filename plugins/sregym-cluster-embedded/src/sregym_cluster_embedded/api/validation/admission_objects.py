"""Webhook configurations: what is wrong with them, and with rules that they have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from sregym_cluster_embedded.api.validation import causes, expressions, formats

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.store import Object

_OPERATIONS = ("*", "CONNECT", "CREATE", "DELETE", "UPDATE")
POLICIES = ("Fail", "Ignore")
MATCHES = ("Equivalent", "Exact")
REINVOCATIONS = ("IfNeeded", "Never")
_SCOPES = ("*", "Cluster", "Namespaced")
_SIDE_EFFECTS = ("None", "NoneOnDryRun")
_URL_HEAD = "desired format: https://host[/path]"


def webhooks(obj: Object) -> list[Cause]:
    """Validating- and MutatingWebhookConfiguration."""
    found: list[Cause] = []
    names: list[str] = []
    for index, hook in enumerate(obj.get("webhooks") or ()):
        place = f"webhooks[{index}]"
        name = hook.get("name", "")
        found += _webhook(hook, place)
        if name in names:
            found.append(causes.duplicate(f"{place}.name", name))
        names.append(name)
    return found


def _webhook(hook: Object, place: str) -> list[Cause]:
    found: list[Cause] = []
    name = hook.get("name", "")
    if not name:
        found.append(causes.required(f"{place}.name"))
    else:
        found += formats.subdomain(f"{place}.name", name)
        if name.count(".") < 2:
            text = "should be a domain with at least three segments separated by dots"
            found.append(causes.invalid(f"{place}.name", name, text))
    found += rules(hook.get("rules", ()), f"{place}.rules")
    found += word(hook, "failurePolicy", POLICIES, place)
    found += word(hook, "matchPolicy", MATCHES, place)
    effects = hook.get("sideEffects")
    if effects is None:
        text = f"must specify one of {', '.join(_SIDE_EFFECTS)}"
        found.append(causes.required(f"{place}.sideEffects", text))
    elif effects not in _SIDE_EFFECTS:
        found.append(causes.unsupported(f"{place}.sideEffects", effects, _SIDE_EFFECTS))
    timeout = hook.get("timeoutSeconds", 10)
    if not 1 <= timeout <= 30:
        text = "the timeout value must be between 1 and 30 seconds"
        found.append(causes.invalid(f"{place}.timeoutSeconds", timeout, text))
    found += word(hook, "reinvocationPolicy", REINVOCATIONS, place)
    found += _client(hook.get("clientConfig", {}), f"{place}.clientConfig")
    conditions = hook.get("matchConditions") or ()
    found += expressions.conditions(conditions, f"{place}.matchConditions")
    return found + _versions(
        hook.get("admissionReviewVersions") or (), f"{place}.admissionReviewVersions"
    )


def word(obj: Object, field: str, words: tuple[str, ...], place: str) -> list[Cause]:
    """A word of an enumeration, where the field is given."""
    value = obj.get(field)
    if value is None or value in words:
        return []
    return [causes.unsupported(f"{place}.{field}", value, words)]


def _versions(versions: Any, place: str) -> list[Cause]:
    if not versions:
        return [causes.required(place, "must specify one of v1, v1beta1")]
    found: list[Cause] = []
    for index, version in enumerate(versions):
        if version in versions[:index]:
            found.append(causes.invalid(f"{place}[{index}]", version, "duplicate version"))
        else:
            found += formats.service_name(f"{place}[{index}]", version)
    if not any(version in ("v1", "v1beta1") for version in versions):
        text = "must include at least one of v1, v1beta1"
        found.append(causes.invalid(place, versions, text))
    return found


def _client(config: Object, place: str) -> list[Cause]:
    url, service = config.get("url"), config.get("service")
    if (url is None) == (service is None):
        return [causes.required(place, "exactly one of url or service is required")]
    if url is not None:
        return webhook_url(f"{place}.url", url)
    return webhook_service(f"{place}.service", service or {})


def webhook_url(place: str, url: str) -> list[Cause]:
    """Where a webhook is, as a URL."""
    try:
        parts = urlsplit(url)
    except ValueError:
        text = f"url must be a valid URL: invalid; {_URL_HEAD}"
        return [causes.required(place, text)]
    found: list[Cause] = []
    if parts.scheme != "https":
        text = f"'https' is the only allowed URL scheme; {_URL_HEAD}"
        found.append(causes.invalid(place, parts.scheme, text))
    if not parts.hostname:
        text = f"host must be specified; {_URL_HEAD}"
        found.append(causes.invalid(place, parts.netloc, text))
    if parts.username:
        text = "user information is not permitted in the URL"
        found.append(causes.invalid(place, parts.username, text))
    if parts.fragment:
        text = "fragments are not permitted in the URL"
        found.append(causes.invalid(place, parts.fragment, text))
    if parts.query:
        text = "query parameters are not permitted in the URL"
        found.append(causes.invalid(place, parts.query, text))
    return found


def webhook_service(place: str, service: Object) -> list[Cause]:
    """Where a webhook is, as a Service.

    The server takes one name for the other: what it says of `name` is true of `namespace`.
    """
    found = [
        causes.required(f"{place}.{other}")
        for other, field in (("name", "namespace"), ("namespace", "name"))
        if not service.get(field)
    ]
    port = service.get("port", 443)
    if not 1 <= port <= 65535:
        text = f"port is not valid: {causes.PORT_RANGE}"
        found.append(causes.invalid(f"{place}.port", port, text))
    return found + _path(f"{place}.path", service.get("path") or "/")


def _path(place: str, path: str) -> list[Cause]:
    if path == "/":
        return []
    if path == "//":
        return [causes.invalid(place, path, "segment[0] may not be empty")]
    found: list[Cause] = []
    if not path.startswith("/"):
        found.append(causes.invalid(place, path, "must start with a '/'"))
    for index, step in enumerate(path[1:].removesuffix("/").split("/")):
        if not step:
            text = f"segment[{index}] may not be empty"
            found.append(causes.invalid(place, path, text))
            continue
        found += [
            causes.invalid(
                place, path, f"segment[{index}]: {cause.message.partition(chr(34) + ': ')[2]}"
            )
            for cause in formats.subdomain(place, step)
        ]
    return found


def rules(given: Any, place: str) -> list[Cause]:
    """The rules of a webhook or policy."""
    found: list[Cause] = []
    for index, rule in enumerate(given):
        at = f"{place}[{index}]"
        names = rule.get("resourceNames") or []
        for i, name in enumerate(names):
            found += formats.path_segment(f"{at}.resourceNames[{i}]", name)
            if name in names[:i]:
                found.append(causes.duplicate(f"{at}.resourceNames[{i}]", name))
        operations = rule.get("operations") or []
        found += _alone(rule, "operations", "operations", at)
        found.extend(
            causes.unsupported(f"{at}.operations[{i}]", operation, _OPERATIONS)
            for i, operation in enumerate(operations)
            if operation not in _OPERATIONS
        )
        found += _alone(rule, "apiGroups", "API groups", at)
        found += _alone(rule, "apiVersions", "API versions", at)
        found.extend(
            causes.required(f"{at}.apiVersions[{i}]")
            for i, version in enumerate(rule.get("apiVersions") or ())
            if not version
        )
        found += _resources(rule.get("resources") or [], f"{at}.resources")
        found += word(rule, "scope", _SCOPES, at)
    return found


def _alone(rule: Object, field: str, things: str, at: str) -> list[Cause]:
    """A list that must not be empty, and in which an asterisk stands alone."""
    values = rule.get(field) or []
    if not values:
        return [causes.required(f"{at}.{field}")]
    if len(values) > 1 and "*" in values:
        text = f"if '*' is present, must not specify other {things}"
        return [causes.invalid(f"{at}.{field}", values, text)]
    return []


def _resources(values: list[str], place: str) -> list[Cause]:
    if not values:
        return [causes.required(place)]
    found: list[Cause] = []
    every_part: set[str] = set()
    every_resource: set[str] = set()
    plain = False
    for index, value in enumerate(values):
        at = f"{place}[{index}]"
        if not value:
            found.append(causes.required(at))
            continue
        resource, slash, part = value.partition("/")
        if not slash:
            # The last one of them decides.
            plain = value != "*"
            continue
        for taken, other in (
            (resource in every_part, f"{resource}/*"),
            (part in every_resource, f"*/{part}"),
        ):
            if taken:
                text = f"if '{other}' is present, must not specify {value}"
                found.append(causes.invalid(at, value, text))
        if part == "*":
            every_part.add(resource)
        if resource == "*":
            every_resource.add(part)
    if len(values) > 1 and "*/*" in values:
        text = "if '*/*' is present, must not specify other resources"
        found.append(causes.invalid(place, values, text))
    if "*" in values and plain:
        text = "if '*' is present, must not specify other resources without subresources"
        found.append(causes.invalid(place, values, text))
    return found
