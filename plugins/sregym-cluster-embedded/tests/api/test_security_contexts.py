"""Security contexts and tokens in volumes that cannot be are refused in the server's words."""

from __future__ import annotations

from typing import Any

import pytest

RANGE = "must be between 0 and 2147483647, inclusive"
STRUCT = (
    '{"Capabilities":null,"Privileged":true,"SELinuxOptions":null,"WindowsOptions":null,'
    '"RunAsUser":null,"RunAsGroup":null,"RunAsNonRoot":null,"ReadOnlyRootFilesystem":null,'
    '"AllowPrivilegeEscalation":false,"ProcMount":null,"SeccompProfile":null,"AppArmorProfile":null}'
)
C = "spec.containers[0].securityContext"
P = "spec.securityContext"


@pytest.mark.parametrize(
    ("context", "causes"),
    [
        ({"runAsUser": -1, "runAsGroup": 2**31}, [f"{C}.runAsUser: Invalid value: -1: {RANGE}", f"{C}.runAsGroup: Invalid value: 2147483648: {RANGE}"]),
        ({"privileged": True, "allowPrivilegeEscalation": False}, [f"{C}: Invalid value: {STRUCT}: cannot set `allowPrivilegeEscalation` to false and `privileged` to true"]),
        ({"seccompProfile": {"type": "Strict"}}, [f'{C}.seccompProfile.type: Unsupported value: "Strict": supported values: "Localhost", "RuntimeDefault", "Unconfined"']),
        ({"seccompProfile": {"type": "Localhost"}}, [f"{C}.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost"]),
        ({"appArmorProfile": {"type": ""}}, [f"{C}.appArmorProfile.type: Required value: type is required when appArmorProfile is set"]),
    ],
)  # fmt: skip
def test_of_a_container(
    client: Any, make_pod: Any, context: dict[str, Any], causes: list[str]
) -> None:
    pod = make_pod(containers=[{"name": "c", "image": "x", "securityContext": context}])
    status = client("POST", "/api/v1/namespaces/shop/pods", pod)
    found = [f"{cause['field']}: {cause['message']}" for cause in status["details"]["causes"]]
    assert found == causes


def test_of_a_pod(client: Any, make_pod: Any) -> None:
    context = {"fsGroup": -2, "supplementalGroups": [1, -1], "fsGroupChangePolicy": "Never"}
    status = client("POST", "/api/v1/namespaces/shop/pods", make_pod(securityContext=context))
    assert status["message"] == (
        f'Pod "p" is invalid: [{P}.fsGroup: Invalid value: -2: {RANGE}, '
        f"{P}.supplementalGroups[1]: Invalid value: -1: {RANGE}, {P}.fsGroupChangePolicy: "
        'Unsupported value: "Never": supported values: "Always", "OnRootMismatch"]'
    )


def test_of_a_token_in_a_volume(client: Any, make_pod: Any) -> None:
    sources = [{"serviceAccountToken": {"path": "", "expirationSeconds": 60}}]
    pod = make_pod(volumes=[{"name": "v", "projected": {"sources": sources}}])
    status = client("POST", "/api/v1/namespaces/shop/pods", pod)
    place = "spec.volumes[0].projected.sources[0].serviceAccountToken"
    assert status["message"] == (
        f'Pod "p" is invalid: [{place}.expirationSeconds: Invalid value: 60: may not specify a '
        f"duration less than 10 minutes, spec.volumes[0].projected.path: Required value]"
    )
