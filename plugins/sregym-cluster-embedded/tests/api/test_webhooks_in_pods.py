"""Admission webhooks that run in the cluster: pods with a certificate behind a Service."""

from __future__ import annotations

import base64
import json

import pytest
import yaml
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from sregym_cluster_embedded.api.pki.certificates import Subject, Terms, certificate
from sregym_cluster_embedded.api.pki.keys import key_of, private_pem
from sregym_cluster_embedded.sdk.testing import ClusterTestbed

_YEAR_S = 365 * 86400
_EPOCH = 1_767_258_000
_NAME = "hook.policy.svc"
_POD = """
apiVersion: v1
kind: Pod
metadata: {name: NAME, namespace: shop, labels: {app: web}}
spec: {containers: [{name: web, image: "registry.k8s.io/pause:3.10"}]}
"""


def _authority(
    name: str = "policy-ca", seed: bytes = b"one"
) -> tuple[EllipticCurvePrivateKey, str]:
    key = key_of(seed)
    terms = Terms(1, _EPOCH - _YEAR_S, _EPOCH + _YEAR_S, authority=True)
    subject = Subject(name)
    return key, certificate(subject, key.public_key(), subject, key, terms)


def _serving(
    *names: str, until_s: float = _EPOCH + _YEAR_S, signer: str = "policy-ca"
) -> tuple[str, str]:
    own, (key, _) = key_of(b"own"), _authority(signer)
    terms = Terms(2, _EPOCH - _YEAR_S, until_s, usages=("server auth",), names=names or (_NAME,))
    subject = Subject("hook")
    made = certificate(subject, own.public_key(), Subject(signer), key, terms)
    return made, private_pem(own)


def _secret(certificate: str, key: str) -> str:
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": "hook-tls", "namespace": "policy"},
            "type": "kubernetes.io/tls",
            "stringData": {"tls.crt": certificate, "tls.key": key},
        }
    )


_SERVER = """
apiVersion: v1
kind: Namespace
metadata: {name: policy}
---
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: hook, namespace: policy}
data: {policy.yaml: ""}
---
apiVersion: v1
kind: Service
metadata: {name: hook, namespace: policy}
spec: {selector: {app: hook}, ports: [{port: 443, targetPort: 8443}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: hook, namespace: policy}
spec:
  selector: {matchLabels: {app: hook}}
  template:
    metadata: {labels: {app: hook}}
    spec:
      volumes:
        - {name: tls, secret: {secretName: hook-tls}}
        - {name: policy, configMap: {name: hook}}
      containers:
        - name: hook
          image: ghcr.io/platform-ops/policy-webhook:1.4.0
          ports: [{containerPort: 8443}]
          readinessProbe: {httpGet: {path: /healthz, port: 8443, scheme: HTTPS}}
          volumeMounts:
            - {name: tls, mountPath: /etc/webhook/tls}
            - {name: policy, mountPath: /etc/webhook/policy}
"""


def _hook(kind: str, bundle: str, *timeouts: int, policy: str = "Fail") -> str:
    return json.dumps(
        {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": kind,
            "metadata": {"name": "policy"},
            "webhooks": [
                {
                    "name": f"pods{number}.policy.example",
                    "clientConfig": {
                        "service": {"name": "hook", "namespace": "policy", "path": "/review"},
                        "caBundle": base64.b64encode(bundle.encode()).decode(),
                    },
                    "rules": [
                        {
                            "operations": ["CREATE"],
                            "apiGroups": [""],
                            "apiVersions": ["v1"],
                            "resources": ["pods"],
                        }
                    ],
                    "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "shop"}},
                    "failurePolicy": policy,
                    "sideEffects": "None",
                    "admissionReviewVersions": ["v1"],
                    "timeoutSeconds": timeout,
                }
                for number, timeout in enumerate(timeouts or (10,))
            ],
        }
    )


@pytest.fixture(scope="module")
def prepared() -> ClusterTestbed:
    """A cluster with a webhook's server that runs."""
    testbed = ClusterTestbed.of()
    testbed.apply(_SERVER)
    testbed.apply(_secret(*_serving()))
    testbed.run(60.0)
    return testbed


@pytest.fixture
def testbed(prepared: ClusterTestbed) -> ClusterTestbed:
    """A copy of that cluster."""
    return prepared.fork()


def _create(testbed: ClusterTestbed, name: str = "web") -> str:
    """What is said to one who creates a pod; empty when it was created in silence."""
    done = testbed.kubectl("create", "-f", "-", stdin=_POD.replace("NAME", name))
    return str(done.stderr)


def _rules(testbed: ClusterTestbed, **policy: object) -> None:
    given = {"data": {"policy.yaml": yaml.safe_dump(policy)}}
    patch = ("--type=merge", "-p", json.dumps(given))
    testbed.kubectl("patch", "configmap", "hook", "-n", "policy", *patch)
    testbed.run(120.0)


def test_a_policy_allows_warns_and_denies(testbed: ClusterTestbed) -> None:
    """The rules in its ConfigMap decide, those of the moment."""
    testbed.apply(_hook("ValidatingWebhookConfiguration", _authority()[1]))
    assert _create(testbed, "first") == ""
    _rules(testbed, rules=[{"resources": ["pods"], "warn": "soon"}, {"labels": {"app": "db"}, "deny": "x"}])  # fmt: skip
    assert _create(testbed, "second") == "Warning: soon\n"
    _rules(testbed, rules=[{"labels": {"app": "web"}, "deny": "no owner"}])
    assert _create(testbed, "third") == (
        'Error from server (Forbidden): error when creating "STDIN": admission webhook '
        '"pods0.policy.example" denied the request: no owner\n'
    )
    said = testbed.kubectl("logs", "-n", "policy", "deployment/hook").stdout
    assert "CREATE pods shop/third: denied" in said


def test_a_policy_mutates(testbed: ClusterTestbed) -> None:
    """What it sets is set in each container, with what has to be there first."""
    testbed.apply(_hook("MutatingWebhookConfiguration", _authority()[1]))
    value = {"/spec/containers/*/resources/limits/memory": "16Mi", "/metadata/labels/app": None}
    _rules(testbed, rules=[{"resources": ["pods"], "set": value}])
    assert _create(testbed) == ""
    pod = json.loads(testbed.kubectl("get", "pod", "-n", "shop", "web", "-o", "json").stdout)
    assert pod["spec"]["containers"][0]["resources"]["limits"] == {"memory": "16Mi"}
    assert "labels" not in pod["metadata"] or "app" not in pod["metadata"]["labels"]


_CALLED = (
    'Error from server (InternalError): error when creating "STDIN": Internal error occurred: failed '
    'calling webhook "pods0.policy.example": failed to call webhook: Post '
    '"https://hook.policy.svc:443/review?timeout=10s": '
)
_TLS = f"{_CALLED}tls: failed to verify certificate: x509: "


def test_the_bundle_must_fit_the_certificate(testbed: ClusterTestbed) -> None:
    """Another authority is unknown; one of the same name has another key."""
    testbed.apply(_hook("ValidatingWebhookConfiguration", _authority("other-ca", b"two")[1]))
    assert _create(testbed) == f"{_TLS}certificate signed by unknown authority\n"
    assert "remote error: tls: bad certificate" in (
        testbed.kubectl("logs", "-n", "policy", "deployment/hook").stdout
    )
    testbed.apply(_hook("ValidatingWebhookConfiguration", _authority(seed=b"two")[1]))
    assert _create(testbed) == (
        f'{_TLS}certificate signed by unknown authority (possibly because of "x509: ECDSA verification '
        'failure" while trying to verify candidate authority certificate "policy-ca")\n'
    )
    testbed.apply(_hook("ValidatingWebhookConfiguration", _authority()[1], policy="Ignore"))
    assert _create(testbed) == ""


@pytest.mark.parametrize(
    ("shown", "words"),
    [
        (_serving("hook.other.svc"), "certificate is valid for hook.other.svc, not hook.policy.svc"),
        (
            _serving(until_s=_EPOCH - 60),
            "certificate has expired or is not yet valid: current time NOW is after 2026-01-01T08:59:00Z",
        ),
    ],
)  # fmt: skip
def test_the_certificate_must_be_in_order(
    testbed: ClusterTestbed, shown: tuple[str, str], words: str
) -> None:
    """Its names and its dates count; a server reads it when it starts."""
    testbed.apply(_hook("ValidatingWebhookConfiguration", _authority()[1]))
    testbed.apply(_secret(*shown))
    testbed.kubectl("rollout", "restart", "-n", "policy", "deployment/hook")
    testbed.run(120.0)
    now = testbed.world.timestamp()
    assert _create(testbed) == f"{_TLS}{words.replace('NOW', now)}\n"


def test_a_server_without_its_certificate_does_not_start(testbed: ClusterTestbed) -> None:
    """It says which file it misses, and is asked by nobody."""
    testbed.apply(_hook("ValidatingWebhookConfiguration", _authority()[1]))
    patch = '[{"op": "remove", "path": "/spec/template/spec/containers/0/volumeMounts/0"}]'
    testbed.kubectl("patch", "deployment", "hook", "-n", "policy", "--type=json", "-p", patch)
    testbed.kubectl("delete", "replicaset", "-n", "policy", "--all")
    testbed.run(60.0)
    said = testbed.kubectl("logs", "-n", "policy", "deployment/hook").stdout
    missing = "open /etc/webhook/tls/tls.crt: no such file or directory"
    assert f"Failed to load key pair: {missing}" in said
    assert "connect: connection refused" in _create(testbed)


def test_a_broken_policy_is_an_error_of_the_server(testbed: ClusterTestbed) -> None:
    """What cannot be read decides nothing."""
    testbed.apply(_hook("ValidatingWebhookConfiguration", _authority()[1]))
    testbed.kubectl(
        "patch", "configmap", "hook", "-n", "policy", "--type=merge", "-p",
        '{"data": {"policy.yaml": "rules: [1"}}',
    )  # fmt: skip
    testbed.run(120.0)
    assert (
        'an error on the server (\\"cannot parse /etc/webhook/policy/policy.yaml: it is no YAML'
        in (_create(testbed).replace('("', '(\\"'))
    )
    _rules(testbed, rules=["deny"])
    assert "it has no list of rules" in _create(testbed)


def test_slow_webhooks_add_up(testbed: ClusterTestbed) -> None:
    """Each takes its time and is given up by itself; the server gives the request up after 34 s."""
    testbed.apply(
        _hook("MutatingWebhookConfiguration", _authority()[1], 10, 10, 10, policy="Ignore")
    )
    _rules(testbed, delay="3s")
    before = testbed.world.now
    assert _create(testbed, "first") == ""
    assert 9 < testbed.world.now - before < 10
    _rules(testbed, delay="20s")
    before = testbed.world.now
    assert _create(testbed, "second") == ""
    assert 29 < testbed.world.now - before < 31
    testbed.apply(
        _hook("MutatingWebhookConfiguration", _authority()[1], 12, 8, 11, 9, policy="Ignore")
    )
    before = testbed.world.now
    assert _create(testbed, "third") == (
        'Error from server (Timeout): error when creating "STDIN": Timeout: request did not complete '
        "within requested timeout - context deadline exceeded\n"
    )
    assert 33 < testbed.world.now - before < 35
    testbed.apply(_hook("MutatingWebhookConfiguration", _authority()[1], 5))
    assert _create(testbed, "third") == (
        _CALLED.replace("timeout=10s", "timeout=5s") + "context deadline exceeded\n"
    )


def test_validating_webhooks_are_asked_at_once(testbed: ClusterTestbed) -> None:
    """The slowest of them counts, not their sum."""
    testbed.apply(
        _hook(
            "ValidatingWebhookConfiguration", _authority()[1], 12, 12, 12, 12, 12, policy="Ignore"
        )
    )
    _rules(testbed, delay="11s")
    before = testbed.world.now
    assert _create(testbed) == ""
    assert 11 <= testbed.world.now - before < 12


def test_controllers_meet_them_too(testbed: ClusterTestbed) -> None:
    """A ReplicaSet gets no pods, tries again no faster than it is answered, and says why."""
    testbed.apply(_hook("MutatingWebhookConfiguration", _authority()[1], 20, 20, policy="Ignore"))
    testbed.apply(
        "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: shut, namespace: policy}, "
        "spec: {podSelector: {}, policyTypes: [Ingress]}}"
    )
    testbed.kubectl(
        "create", "deployment", "-n", "shop", "web", "--image=registry.k8s.io/pause:3.10"
    )
    testbed.run(300.0)
    events = json.loads(testbed.kubectl("get", "events", "-n", "shop", "-o", "json").stdout)[
        "items"
    ]
    refused = [one for one in events if one["reason"] == "FailedCreate"]
    assert refused[0]["message"] == (
        "Error creating: Timeout: request did not complete within requested timeout - "
        "context deadline exceeded"
    )
    assert sum(one.get("count", 1) for one in refused) < 10
