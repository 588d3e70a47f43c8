"""A certificate that was renewed beside the one that an Ingress shows, until that one expired."""

from __future__ import annotations

from base64 import b64decode, b64encode
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field
from sregym_core.model import Change, Check, Component, GroundTruth, ObjectRef
from sregym_injectors.dates import dates, with_dates
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.ground_truth import truth_of
from sregym_injectors.manifests import manifest_of
from typing_extensions import override

from sregym_injector_network.ingresses import IngressFault, ingress_of
from sregym_injectors import commands

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_core.interfaces import Command, FaultContext
    from sregym_core.interfaces.cluster import KubeObject

_KEY = "tls.crt"


class CertificateExpired(IngressFault):
    """Lets the certificate of an Ingress expire; the renewed one lies beside it, unused."""

    name: ClassVar[str] = "certificate"
    title: ClassVar[str] = "Certificate of an Ingress has expired"

    class Parameters(BaseModel):
        """Parameters.

        Attributes:
            expired_days: How long ago it expired.
            valid_days: For how long it was good.
        """

        model_config = ConfigDict(extra="forbid")

        expired_days: float = Field(default=1.0, gt=0)
        valid_days: float = Field(default=90.0, gt=0)

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := super().mismatch_reason(component):
            return reason
        return "" if component.ingresses[0].secrets else "its Ingress has no certificate"

    @override
    def inject(self, context: FaultContext) -> None:
        edits, secret = Edits(context), _secret(context)
        present = edits.read(secret)
        renewed = {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {
                "name": _renewed(context).name,
                "namespace": secret.namespace,
                "labels": dict(present["metadata"].get("labels") or {}),
            },
            "type": present["type"],
            "data": dict(present["data"]),
        }
        edits.create(renewed)
        edits.pause()
        given = context.parameters
        until = _now(context) - timedelta(days=given.expired_days)
        expired = with_dates(_text(present), until - timedelta(days=given.valid_days), until)
        coded = b64encode(expired.encode()).decode()
        edits.patch(secret, {"data": {_KEY: coded}}, "merge")

    @override
    def present(self, context: FaultContext) -> Check:
        ingress = context.cluster.get(ingress_of(context))
        now, found = _now(context), []
        for name in _named(ingress or {}):
            ref = _secret(context).model_copy(update={"name": name})
            obj = context.cluster.get(ref)
            if obj is None:
                found.append(f"{ref} with the certificate is missing")
                continue
            since, until = dates(_text(obj))
            if now > until:
                found.append(f"the certificate of {ref} expired on {until:%Y-%m-%d}")
            elif now < since:
                found.append(f"the certificate of {ref} is not valid before {since:%Y-%m-%d}")
        return defect_check("certificates of the Ingress are valid now", found)

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        days = context.parameters.expired_days
        change = Change(
            what=f"{_KEY} of {_secret(context)}",
            before="a certificate that is valid",
            after=f"a certificate that expired {days:g} days ago",
        )
        phrases = (
            "certificate has expired",
            "expired TLS certificate",
            "TLS certificate is expired",
            "certificate is no longer valid",
            "Ingress serves an expired certificate",
            "renewed certificate is not used",
        )
        return truth_of(
            context, ingress_of(context), "certificate-expired", phrases, change,
            "clients break off at the TLS handshake",
        )  # fmt: skip

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        right = manifest_of(context.application, ingress_of(context))["spec"]["tls"]
        old, new = _secret(context).name, _renewed(context).name
        tls = [
            {**entry, "secretName": new} if entry.get("secretName") == old else entry
            for entry in right
        ]
        return (commands.patch(ingress_of(context), {"spec": {"tls": tls}}, "merge"),)


def _secret(context: FaultContext) -> ObjectRef:
    use = context.component.ingresses[0]
    return ObjectRef(
        api_version="v1", kind="Secret", namespace=use.ref.namespace, name=use.secrets[0]
    )


def _renewed(context: FaultContext) -> ObjectRef:
    secret = _secret(context)
    return secret.model_copy(update={"name": f"{secret.name}-renewed"})


def _now(context: FaultContext) -> datetime:
    return datetime.fromtimestamp(context.cluster.clock.now(), UTC)


def _text(secret: KubeObject) -> str:
    data: dict[str, Any] = secret.get("data") or {}
    return b64decode(data.get(_KEY, "")).decode()


def _named(ingress: KubeObject) -> Iterator[str]:
    for entry in (ingress.get("spec") or {}).get("tls") or ():
        if entry.get("secretName"):
            yield entry["secretName"]
