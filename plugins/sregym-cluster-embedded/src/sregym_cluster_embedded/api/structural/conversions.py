"""How a definition says that its objects are converted, and what is wrong with that."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.pki.certificates import from_pem
from sregym_cluster_embedded.api.validation import admission_objects, causes, formats

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.store import Object

_STRATEGIES = ("None", "Webhook")
_REVIEWS = ("v1", "v1beta1")
_CLIENT = "spec.conversion.webhookClientConfig"
_VERSIONS = "spec.conversion.conversionReviewVersions"


def configured(spec: Object) -> list[Cause]:
    """The causes in `spec.conversion`."""
    conversion = spec.get("conversion")
    if conversion is None:
        return []
    strategy = conversion.get("strategy", "")
    found: list[Cause] = []
    if strategy != "None" and spec.get("preserveUnknownFields"):
        text = "must be None if spec.preserveUnknownFields is true"
        found.append(causes.invalid("spec.conversion.strategy", strategy, text))
    if not strategy:
        found.append(causes.required("spec.conversion.strategy"))
    else:
        found += causes.one_of("spec.conversion.strategy", strategy, _STRATEGIES)
    webhook = conversion.get("webhook") or {}
    client, versions = webhook.get("clientConfig"), webhook.get("conversionReviewVersions") or []
    if strategy == "Webhook":
        return found + _client(client) + _reviews(versions)
    text = "should not be set when strategy is not set to Webhook"
    if client is not None:
        found.append(causes.forbidden(_CLIENT, text))
    if versions:
        found.append(causes.forbidden(_VERSIONS, text))
    return found


def _client(client: Object | None) -> list[Cause]:
    if client is None:
        return [causes.required(_CLIENT, "required when strategy is set to Webhook")]
    url, service = client.get("url"), client.get("service")
    if (url is None) == (service is None):
        return [causes.required(_CLIENT, "exactly one of url or service is required")]
    if url is not None:
        return admission_objects.webhook_url(f"{_CLIENT}.url", url)
    return admission_objects.webhook_service(f"{_CLIENT}.service", service or {})


def _reviews(versions: list[str]) -> list[Cause]:
    if not versions:
        return [causes.required(_VERSIONS)]
    found: list[Cause] = []
    for index, version in enumerate(versions):
        at = f"{_VERSIONS}[{index}]"
        if version in versions[:index]:
            found.append(causes.invalid(at, version, "duplicate version"))
        else:
            found += formats.service_name(at, version)
    if not set(versions) & set(_REVIEWS):
        text = f"must include at least one of {', '.join(_REVIEWS)}"
        found.append(causes.invalid(_VERSIONS, versions, text))
    return found


def changed_authority(old: Object, new: Object) -> list[Cause]:
    """Certificates of a webhook that are none, in a definition that had none like it.

    What is not established yet may have any; what has had bad ones may have others.
    """
    conditions = (old.get("status") or {}).get("conditions") or ()
    if not any(one["type"] == "Established" and one["status"] == "True" for one in conditions):
        return []
    before, after = _problem(_bundle(old)), _problem(_bundle(new))
    if before or not after:
        return []
    return [causes.invalid(f"{_CLIENT}.caBundle", _bundle(new), after)]


def _bundle(definition: Object) -> str:
    webhook = (definition["spec"].get("conversion") or {}).get("webhook") or {}
    bundle: str = (webhook.get("clientConfig") or {}).get("caBundle", "")
    return bundle


def _problem(bundle: str) -> str:
    """What is wrong with certificates in base64; empty when nothing is."""
    text = base64.b64decode(bundle).decode("ascii", "replace")
    if not bundle or from_pem(text, ("CERTIFICATE",)) is not None:
        return ""
    why = "no valid certificate authority data seen"
    if "-----BEGIN " not in text:
        why = "unable to parse bytes as PEM block"
    return f"unable to load root certificates: {why}"
