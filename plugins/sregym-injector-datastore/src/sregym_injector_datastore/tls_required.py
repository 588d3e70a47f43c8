"""A store speaks with its clients by TLS alone, and they speak none."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import yaml
from pydantic import Field
from sregym_core.model import ContainerKind, ObjectRef
from sregym_injectors.certificates import authority, serving
from sregym_injectors.documents import read_yaml
from sregym_injectors.edits import Edits
from sregym_injectors.manifests import manifest_of
from sregym_injectors.restarts import TemplateParameters
from sregym_injectors.template_change import (
    PodTemplateFault,
    Template,
    TemplateChange,
    right_container,
    right_pod,
)
from typing_extensions import override

from sregym_injector_datastore.families import Family, not_of
from sregym_injectors import commands

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sregym_core.interfaces import Command, FaultContext
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import Component

_DEMANDED = ("requireTLS", "requireSSL")
_MODE_FLAGS = ("--tlsMode", "--sslMode")
_CONFIG_FLAGS = ("--config", "-f")
_VOLUME = "tls"
# Releases that know the settings by their older names alone.
_OLD = ("2.", "3.", "4.0")


class _File(NamedTuple):
    """A configuration file: the ConfigMap and the key in which it stands."""

    config: str
    key: str


class TlsRequired(PodTemplateFault):
    """Has a MongoDB demand TLS, with a certificate that it is given for that."""

    name: ClassVar[str] = "tls-required"
    title: ClassVar[str] = "Store demands TLS, which its clients do not speak"
    layer: ClassVar[str] = "datastore"
    mechanism: ClassVar[str] = "tls-required"
    phrases: ClassVar[tuple[str, ...]] = (
        "TLS required", "requires TLS", "requireTLS", "demands TLS", "TLS was enabled",
        "TLS mode of mongod", "net.tls.mode", "only accepts TLS connections", "TLS is mandatory",
        "only allow SSL connections", "clients do not use TLS", "clients connect without TLS",
        "plaintext connections are rejected", "TLS enforced on the database", "SSL required",
    )  # fmt: skip
    symptoms: ClassVar[tuple[str, ...]] = ("SSLHandshakeFailed", "clients cannot connect")
    expected: ClassVar[str] = "the server lets clients in that do not speak TLS"

    class Parameters(TemplateParameters):
        """Parameters.

        Attributes:
            path: The folder in which the server finds certificate and authority.
        """

        path: str = Field(default="/etc/tls", pattern=r"/[\w./-]+")

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := not_of(component, (Family.MONGODB,)) or super().mismatch_reason(component):
            return reason
        if component.own_container.kind is not ContainerKind.CONTAINER:
            return "an init container has ended before anybody dials it"
        return ""

    @override
    def inject(self, context: FaultContext) -> None:
        file = _file_of(right_container(context), right_pod(context))
        if file is not None:
            ref = _config(context, file)
            text = Edits(context).read(ref)["data"][file.key]
            demanding = {file.key: _with_tls(text, context)}
            Edits(context).patch(ref, {"data": demanding}, "merge")
        super().inject(context)

    @override
    def change(self, context: FaultContext) -> TemplateChange:
        right, pod = right_container(context), right_pod(context)
        file, settings = _file_of(right, pod), _settings(context)
        container: dict[str, Any] = {
            "volumeMounts": [
                {"name": _VOLUME, "mountPath": context.parameters.path, "readOnly": True}
            ]
        }
        if file is None:
            prefix = "ssl" if _old(context) else "tls"
            words = [
                word
                for name, value in settings.items()
                for word in (f"--{prefix}{name[0].upper()}{name[1:]}", value)
            ]
            container["args"] = [*(right.get("args") or ()), *words]
        secret = _secret(context)
        volume = {"name": _VOLUME, "secret": {"secretName": secret["metadata"]["name"]}}
        return TemplateChange(
            what=_MODE_FLAGS[_old(context)] if file is None else "net.tls.mode in mongod.conf",
            before="disabled",
            after=settings["mode"],
            container=container,
            pod={"volumes": [volume]},
            objects=(secret,),
        )

    @override
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        mode = _flag(live.container, _MODE_FLAGS)
        file = _file_of(live.container, live.spec)
        if not mode and file is not None:
            obj = live.cluster.get(_config(context, file))
            mode = _mode_in(((obj or {}).get("data") or {}).get(file.key, ""))
        return [f"demands TLS of its clients: {mode}"] if mode in _DEMANDED else []

    @override
    def broken(self, context: FaultContext) -> ObjectRef:
        file = _file_of(right_container(context), right_pod(context))
        return super().broken(context) if file is None else _config(context, file)

    @override
    def more_phrases(self, context: FaultContext) -> tuple[str, ...]:
        name = context.component.name
        return (f"{name} requires TLS", f"{name} only accepts TLS")

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        fix = super().reference_fix(context)
        file = _file_of(right_container(context), right_pod(context))
        if file is None:
            return fix
        ref = _config(context, file)
        right = manifest_of(context.application, ref)["data"][file.key]
        return (commands.patch(ref, {"data": {file.key: right}}, "merge"), *fix)


def _config(context: FaultContext, file: _File) -> ObjectRef:
    return ObjectRef(
        api_version="v1", kind="ConfigMap", namespace=context.component.namespace, name=file.config
    )


def _old(context: FaultContext) -> bool:
    """Whether a server knows TLS by the name of SSL alone."""
    return context.component.image.rpartition(":")[2].startswith(_OLD)


def _settings(context: FaultContext) -> dict[str, str]:
    path = context.parameters.path
    key_file, authorities = f"{path}/tls.pem", f"{path}/ca.crt"
    if _old(context):
        return {"mode": "requireSSL", "PEMKeyFile": key_file, "CAFile": authorities}
    return {"mode": "requireTLS", "certificateKeyFile": key_file, "CAFile": authorities}


def _with_tls(text: str, context: FaultContext) -> str:
    """A configuration file that demands TLS."""
    said = read_yaml(text) or {}
    section = "ssl" if _old(context) else "tls"
    said.setdefault("net", {})[section] = _settings(context)
    return str(yaml.safe_dump(said, sort_keys=False))


def _mode_in(text: str) -> str:
    try:
        net = (read_yaml(text) or {}).get("net") or {}
    except (yaml.YAMLError, AttributeError):
        return ""
    found = [(net.get(name) or {}).get("mode", "") for name in ("tls", "ssl")]
    return next((str(mode) for mode in found if mode), "")


def _flag(container: Mapping[str, Any], names: Iterable[str]) -> str:
    """The value of a flag in a container's command line; empty without it."""
    words = [*(container.get("command") or ()), *(container.get("args") or ())]
    for place, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name in names:
            return value if equals else "".join(words[place + 1 : place + 2])
    return ""


def _file_of(container: Mapping[str, Any], spec: Mapping[str, Any]) -> _File | None:
    """The configuration file of a server; None where it reads none from a ConfigMap."""
    path = _flag(container, _CONFIG_FLAGS)
    configs = {
        volume["name"]: volume["configMap"]["name"]
        for volume in spec.get("volumes") or ()
        if "configMap" in volume
    }
    for mount in container.get("volumeMounts") or ():
        name, place = configs.get(mount["name"]), mount["mountPath"].rstrip("/")
        if name is None or not path:
            continue
        if path == place:
            return _File(name, mount.get("subPath") or path.rpartition("/")[2])
        if path.startswith(f"{place}/"):
            return _File(name, path.removeprefix(f"{place}/"))
    return None


def _secret(context: FaultContext) -> KubeObject:
    component = context.component
    seed = f"{component.name} {component.namespace}"
    own = component.service.name if component.service is not None else component.name
    names = (f"{own}.{component.namespace}.svc", f"{own}.{component.namespace}.svc.cluster.local")
    signer = authority(f"{component.namespace}-ca", component.namespace)
    shown = serving(signer, own, seed, *names)
    data = {"tls.pem": f"{shown.certificate}{shown.key}", "ca.crt": signer.certificate}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": f"{component.name}-tls",
            "namespace": component.namespace,
            "labels": {"app": component.name},
        },
        "type": "Opaque",
        "data": {key: base64.b64encode(text.encode()).decode() for key, text in data.items()},
    }
