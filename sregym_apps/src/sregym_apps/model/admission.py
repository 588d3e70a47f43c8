"""Admission webhooks: programs that the API server calls before it writes."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import model_validator

from sregym_apps.model.base import Entry, Text
from sregym_apps.model.configuration import Memory
from sregym_apps.model.service import ServiceProgram

_SETTINGS = {
    "port": {"flag": "port", "env": "PORT", "default": "8443"},
    "certificate": {"flag": "tls-cert-file", "default": "/etc/webhook/tls/tls.crt"},
    "key": {"flag": "tls-private-key-file", "default": "/etc/webhook/tls/tls.key"},
    "policy": {"flag": "policy", "default": "/etc/webhook/policy/policy.yaml"},
    "delay": {"flag": "delay", "env": "REVIEW_DELAY", "default": "0s"},
}


class AdmissionProgram(ServiceProgram, Entry):
    """A server that answers each AdmissionReview by a policy, over TLS.

    Certificate and key are read when it starts, the policy (YAML) for each review:

    ```yaml
    delay: 200ms            # what a review takes; else the setting `delay`
    rules:                  # all that match, in order
      - operations: [CREATE]
        resources: [pods]
        namespaces: [shop]
        labels: {app: cart} # of the object
        set: {/spec/containers/*/resources/limits/memory: 512Mi}   # null removes
        warn: "says this to the client"
        deny: "refuses with this message"
    ```

    Attributes:
        kind: `admission-webhook`.
        certificate: Path of its certificate.
        key: Path of its key.
        policy: Path of its policy; without such a file it allows everything.
        delay: What a review takes, as a duration.
    """

    kind: Literal["admission-webhook"]  # type: ignore[assignment]  # another kind of service
    certificate: Text = "${certificate}"
    key: Text = "${key}"
    policy: Text = "${policy}"
    delay: Text = "${delay}"
    memory: Memory = Memory(base_mib="18")

    @model_validator(mode="before")
    @classmethod
    def _from_settings(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        derived: dict[str, Any] = {
            "log": {"format": "klog", "stream": "stderr"},
            "startup": [
                {"log": {"text": "Loading certificate ${certificate}", "caller": "main.go:61"}},
                {"listen": "https"},
                {"log": {"text": "Serving webhooks on :${port}", "caller": "server.go:48"}},
            ],
            "listeners": {"https": {"protocol": "http", "port": "${port}", "tls": True}},
            "operations": {
                "healthz": {"listener": "https", "route": "GET /healthz", "answer": {"body": "ok"}},
            },
        }
        config = {**_SETTINGS, **(value.get("config") or {})}
        return {**derived, **value, "config": config}
