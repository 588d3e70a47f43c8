"""Webhook configurations and admission policies: what is wrong with them."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from sregym_cluster_embedded.api.validation import causes, formats

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.store import Object

_OPERATIONS = ("*", "CONNECT", "CREATE", "DELETE", "UPDATE")
_POLICIES = ("Fail", "Ignore")
_MATCHES = ("Equivalent", "Exact")
_SCOPES = ("*", "Cluster", "Namespaced")
_SIDE_EFFECTS = ("None", "NoneOnDryRun")
_ACTIONS = ("Audit", "Deny", "Warn")
_REASONS = ("Forbidden", "Invalid", "RequestEntityTooLarge", "Unauthorized")
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
    found += _word(hook, "failurePolicy", _POLICIES, place)
    found += _word(hook, "matchPolicy", _MATCHES, place)
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
    found += _client(hook.get("clientConfig", {}), f"{place}.clientConfig")
    found += _versions(hook.get("admissionReviewVersions", ()), f"{place}.admissionReviewVersions")
    found += conditions(hook.get("matchConditions", ()), f"{place}.matchConditions")
    return found


def _word(obj: Object, field: str, words: tuple[str, ...], place: str) -> list[Cause]:
    value = obj.get(field)
    if value is None or value in words:
        return []
    return [causes.unsupported(f"{place}.{field}", value, words)]


def _versions(versions: Any, place: str) -> list[Cause]:
    if not versions:
        return [causes.required(place, "must specify one of v1, v1beta1")]
    if not any(version in ("v1", "v1beta1") for version in versions):
        text = "must include at least one of v1, v1beta1"
        return [causes.invalid(place, versions, text)]
    return []


def _client(config: Object, place: str) -> list[Cause]:
    url, service = config.get("url"), config.get("service")
    if (url is None) == (service is None):
        return [causes.required(place, "exactly one of url or service is required")]
    if url is not None:
        found = webhook_url(f"{place}.url", url)
    else:
        found = webhook_service(f"{place}.service", service or {})
    bundle = config.get("caBundle")
    if bundle and not _pem(bundle):
        text = "unable to load root certificates: unable to parse bytes as PEM block"
        found.append(causes.invalid(f"{place}.caBundle", bundle, text))
    return found


def _pem(bundle: str) -> bool:
    try:
        return b"-----BEGIN CERTIFICATE-----" in base64.b64decode(bundle)
    except (binascii.Error, ValueError):
        return False


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
        operations = rule.get("operations", [])
        if not operations:
            found.append(causes.required(f"{at}.operations"))
        if len(operations) > 1 and "*" in operations:
            text = "if '*' is present, must not specify other operations"
            found.append(causes.invalid(f"{at}.operations", operations, text))
        found.extend(
            causes.unsupported(f"{at}.operations[{i}]", operation, _OPERATIONS)
            for i, operation in enumerate(operations)
            if operation not in _OPERATIONS
        )
        found.extend(
            causes.required(f"{at}.{field}")
            for field in ("apiGroups", "apiVersions", "resources")
            if not rule.get(field)
        )
        found += _word(rule, "scope", _SCOPES, at)
    return found


def conditions(given: Any, place: str) -> list[Cause]:
    """Match conditions: their names and expressions."""
    from sregym_cluster_embedded.api.dynamic.conditions import MATCHING

    found: list[Cause] = []
    names: list[str] = []
    for index, condition in enumerate(given):
        at = f"{place}[{index}]"
        name = condition.get("name", "")
        if not name:
            found.append(causes.required(f"{at}.name"))
        elif name in names:
            found.append(causes.duplicate(f"{at}.name", name))
        names.append(name)
        found += expression(condition.get("expression", ""), f"{at}.expression", MATCHING)
    return found


def expression(text: str, place: str, names: tuple[str, ...], wanted: str = "bool") -> list[Cause]:
    """One expression: there, compiled, and of the wanted type as far as its text tells."""
    from sregym_cluster_embedded.api.cel import CompileError, compile_expression

    if not text.strip():
        return [causes.required(place)]
    try:
        program = compile_expression(text.strip(), names)
    except CompileError as error:
        return [causes.invalid(place, text, f"compilation failed: {error}")]
    if wanted and program.type not in (wanted, "dyn"):
        return [causes.invalid(place, text, f"must evaluate to {wanted}")]
    return []


def policy(obj: Object) -> list[Cause]:
    """ValidatingAdmissionPolicy."""
    from sregym_cluster_embedded.api.dynamic.conditions import NAMES

    spec = obj.get("spec", {})
    found: list[Cause] = []
    constraints = spec.get("matchConstraints")
    if constraints is None:
        found.append(causes.required("spec.matchConstraints"))
    else:
        place = "spec.matchConstraints"
        if not constraints.get("resourceRules"):
            found.append(causes.required(f"{place}.resourceRules"))
        found += rules(constraints.get("resourceRules", ()), f"{place}.resourceRules")
        found += _word(constraints, "matchPolicy", _MATCHES, place)
    found += _word(spec, "failurePolicy", _POLICIES, "spec")
    found += conditions(spec.get("matchConditions", ()), "spec.matchConditions")
    for index, variable in enumerate(spec.get("variables", ())):
        place = f"spec.variables[{index}]"
        if not variable.get("name"):
            found.append(causes.required(f"{place}.name", "name is not specified"))
        found += expression(variable.get("expression", ""), f"{place}.expression", NAMES, "")
    if not spec.get("validations") and not spec.get("auditAnnotations"):
        text = "validations or auditAnnotations must contain at least one item"
        found.append(causes.required("spec.validations", text))
    for index, validation in enumerate(spec.get("validations", ())):
        found += _validation(validation, f"spec.validations[{index}]", NAMES)
    return found


def _validation(validation: Object, place: str, names: tuple[str, ...]) -> list[Cause]:
    text = validation.get("expression", "")
    if not text.strip():
        found = [causes.required(f"{place}.expression", "expression is not specified")]
    else:
        found = expression(text, f"{place}.expression", names)
    message = validation.get("messageExpression")
    if message:
        found += expression(message, f"{place}.messageExpression", names, "string")
    if "\n" in validation.get("message", "").strip():
        text = "message must not contain line breaks"
        found.append(causes.invalid(f"{place}.message", validation["message"], text))
    found += _word(validation, "reason", _REASONS, place)
    return found


def binding(obj: Object) -> list[Cause]:
    """ValidatingAdmissionPolicyBinding."""
    spec = obj.get("spec", {})
    found: list[Cause] = []
    if not spec.get("policyName"):
        found.append(causes.required("spec.policyName"))
    actions = spec.get("validationActions", [])
    place = "spec.validationActions"
    if not actions:
        found.append(causes.required(place, "at least one validation action is required"))
    for index, action in enumerate(actions):
        if action not in _ACTIONS:
            found.append(causes.unsupported(f"{place}[{index}]", action, _ACTIONS))
        elif action in actions[:index]:
            found.append(causes.duplicate(f"{place}[{index}]", action))
    if "Deny" in actions and "Warn" in actions:
        text = "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)"
        found.append(causes.invalid(place, actions, text))
    reference = spec.get("paramRef")
    if reference is not None:
        found += _reference(reference)
    return found


def _reference(reference: Object) -> list[Cause]:
    place = "spec.paramRef"
    named, selected = bool(reference.get("name")), reference.get("selector") is not None
    found: list[Cause] = []
    if named and selected:
        text = "name and selector are mutually exclusive"
        found += [
            causes.forbidden(f"{place}.name", text),
            causes.forbidden(f"{place}.selector", text),
        ]
    elif not named and not selected:
        found.append(causes.required(place, "one of name or selector must be specified"))
    action = reference.get("parameterNotFoundAction")
    if not action:
        found.append(causes.required(f"{place}.parameterNotFoundAction"))
    elif action not in ("Allow", "Deny"):
        place = f"{place}.parameterNotFoundAction"
        found.append(causes.unsupported(place, action, ("Deny", "Allow")))
    return found
