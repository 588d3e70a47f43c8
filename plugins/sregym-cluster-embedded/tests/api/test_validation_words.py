"""What the API server says about objects that cannot be."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must "
    "start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for "
    "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
NAME_PART = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with "
    "an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
IP = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
C = "spec.containers[0]"

PODS = {
    "{hostname: Web, containers: [{name: a, image: x}]}": [
        f'spec.hostname: Invalid value: "Web": {LABEL}'
    ],
    "{containers: [{name: a.b, image: x}]}": [
        f'{C}.name: Invalid value: "a.b": must not contain dots'
    ],
    "{containers: [{name: a, image: x, ports: [{name: '1', containerPort: 80}, {containerPort: 0}]}]}": [
        f'{C}.ports[0].name: Invalid value: "1": must contain at least one letter (a-z)',
        f"{C}.ports[1].containerPort: Required value",
    ],
    "{containers: [{name: a, image: x, env: [{name: A, valueFrom: {fieldRef: {fieldPath: spec.x}}}, "
    "{name: B, valueFrom: {}}]}]}": [
        f'{C}.env[0].valueFrom.fieldRef.fieldPath: Invalid value: "spec.x": error converting '
        "fieldPath: field label not supported: spec.x",
        f'{C}.env[1].valueFrom: Invalid value: "": must specify one of: `fieldRef`, '
        "`resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
    ],
    "{containers: [{name: a, image: x, resources: {limits: {gpu: 1, a.example/x: 1}, "
    "requests: {a.example/x: 2}}}]}": [
        f'{C}.resources.limits[gpu]: Invalid value: "gpu": must be a standard resource type or fully '
        "qualified",
        f'{C}.resources.limits[gpu]: Invalid value: "gpu": must be a standard resource for '
        "containers",
        f'{C}.resources.requests: Invalid value: "2": must be equal to a.example/x limit of 1',
        f'{C}.resources.requests[gpu]: Invalid value: "gpu": must be a standard resource type or '
        "fully qualified",
        f'{C}.resources.requests[gpu]: Invalid value: "gpu": must be a standard resource for '
        "containers",
    ],
    "{containers: [{name: a, image: x, volumeMounts: [{name: v, mountPath: /a, subPath: ../b}]}], "
    "volumes: [{name: v, secret: {secretName: s, items: [{key: k, path: ../x, mode: 9999}]}}]}": [
        "spec.volumes[0].secret.items[0].path: Invalid value: \"../x\": must not contain '..'",
        "spec.volumes[0].secret.items[0].mode: Invalid value: 9999: must be a number between 0 and "
        "0777 (octal), both inclusive",
        f'{C}.volumeMounts[0].name: Not found: "v"',
        f"{C}.volumeMounts.subPath: Invalid value: \"../b\": must not contain '..'",
    ],
    "{containers: [{name: a, image: x, lifecycle: {preStop: {}}, livenessProbe: {exec: {}}, "
    "startupProbe: {grpc: {port: 70000}}}]}": [
        f"{C}.lifecycle.preStop: Required value: must specify a handler type",
        f"{C}.livenessProbe.exec.command: Required value",
        f"{C}.startupProbe.grpc.port: Invalid value: 70000: must be between 1 and 65535, inclusive",
    ],
    "{initContainers: [{name: a, image: x, lifecycle: {preStop: {exec: {command: [b]}}}}], "
    "containers: [{name: a, image: x}]}": [
        'spec.initContainers[0].name: Duplicate value: "a"',
        "spec.initContainers[0].lifecycle: Forbidden: may not be set for init containers without "
        "restartPolicy=Always",
    ],
    "{dnsPolicy: None, hostAliases: [{ip: 1.2.3}], containers: [{name: a, image: x}]}": [
        "spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None",
        f'spec.hostAliases[0].ip: Invalid value: "1.2.3": {IP}',
    ],
    "{topologySpreadConstraints: [{maxSkew: 0, topologyKey: '', whenUnsatisfiable: X}], "
    "containers: [{name: a, image: x}]}": [
        "spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero",
        "spec.topologySpreadConstraints[0].topologyKey: Required value: can not be empty",
        'spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: "X": supported '
        'values: "DoNotSchedule", "ScheduleAnyway"',
    ],
    "{resources: {requests: {cpu: 1}}, containers: [{name: a, image: x, "
    "resources: {requests: {cpu: 2}}}]}": [
        'spec.resources.requests[cpu]: Invalid value: "1": must be greater than or equal to aggregate '
        "container requests of 2",
    ],
}


@pytest.mark.parametrize(("spec", "causes"), list(PODS.items()))
def test_a_pod_that_cannot_be(client: Any, spec: str, causes: list[str]) -> None:
    pod = {"metadata": {"name": "p"}, "spec": yaml.safe_load(spec)}
    assert told(client("POST", "/api/v1/namespaces/shop/pods", pod)) == causes


OBJECTS = {
    "/api/v1/namespaces/shop/services": {
        "{type: NodePort, clusterIP: None, ports: [{port: 80}]}": [
            "spec.clusterIPs[0]: Invalid value: \"None\": may not be set to 'None' for NodePort "
            "services"
        ],
        "{ports: [{port: 80, nodePort: 30001}], externalIPs: [127.0.0.1]}": [
            'spec.externalIPs[0]: Invalid value: "127.0.0.1": may not be in the loopback range '
            "(127.0.0.0/8, ::1/128)",
            "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
        ],
        "{ports: [{name: a, port: 80}, {name: b, port: 80}]}": [
            'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,'
            '"Port":80,"TargetPort":0,"NodePort":0}'
        ],
    },
    "/apis/networking.k8s.io/v1/namespaces/shop/ingresses": {
        "{}": [
            "spec: Invalid value: null: either `defaultBackend` or `rules` must be specified",
        ],
        "{rules: [{host: 1.2.3.4, http: {paths: [{pathType: Prefix, path: a, backend: {}}]}}]}": [
            'spec.rules[0].host: Invalid value: "1.2.3.4": must be a DNS name, not an IP address',
            'spec.rules[0].http.paths[0].path: Invalid value: "a": must be an absolute path',
            'spec.rules[0].http.paths[0].backend: Invalid value: "": resource or service backend is '
            "required",
        ],
    },
    "/api/v1/namespaces/shop/limitranges": {
        "{limits: [{type: Container, min: {cpu: 2}, max: {cpu: 1}}]}": [
            'spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1',
            'spec.limits[0].defaultRequest[cpu]: Invalid value: "1": min value 2 is greater than '
            "default request value 1",
            'spec.limits[0].default[cpu]: Invalid value: "2": min value 2 is greater than default '
            "value 1",
        ],
        "{limits: [{type: Foo}]}": [
            'spec.limits[0].type: Invalid value: "Foo": must be a standard limit type or fully '
            "qualified",
        ],
    },
    "/api/v1/namespaces/shop/resourcequotas": {
        "{hard: {pods: 1.5, foo: 1}, scopes: [X]}": [
            'spec.hard[foo]: Invalid value: "foo": must be a standard resource type or fully '
            "qualified",
            'spec.hard[foo]: Invalid value: "foo": must be a standard resource for quota',
            'spec.hard[pods]: Invalid value: "1500m": must be an integer',
            'spec.scopes: Invalid value: ["X"]: unsupported scope',
        ],
    },
    "/api/v1/persistentvolumes": {
        "{capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], local: {path: /a}}": [
            "spec.nodeAffinity: Required value: Local volume requires node affinity",
        ],
    },
    "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers": {
        "{maxReplicas: 2, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: d}, "
        "metrics: [{type: Resource, resource: {name: cpu, target: {type: Foo}}}]}": [
            'spec.metrics[0].resource.target.type: Invalid value: "Foo": must be either Utilization, '
            "Value, or AverageValue",
            "spec.metrics[0].resource.target.averageUtilization: Required value: must set either a "
            "target raw value or a target utilization",
        ],
    },
    "/apis/policy/v1/namespaces/shop/poddisruptionbudgets": {
        "{minAvailable: 1, maxUnavailable: 1}": [
            'spec: Invalid value: {"MinAvailable":1,"Selector":null,"MaxUnavailable":1,'
            '"UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set'
        ],
    },
    "/apis/apps/v1/namespaces/shop/deployments": {
        "{strategy: {type: Foo}, selector: {matchLabels: {a: b}}, template: {metadata: {labels: "
        "{a: b}}, spec: {containers: [{name: a, image: x}]}}}": [
            'spec.strategy: Unsupported value: {"Type":"Foo","RollingUpdate":null}: supported values: '
            '"Recreate", "RollingUpdate"'
        ],
    },
    "/apis/batch/v1/namespaces/shop/jobs": {
        "{completionMode: Indexed, parallelism: 1, podFailurePolicy: {rules: [{action: Ignore}]}, template: {spec: "
        "{restartPolicy: OnFailure, containers: [{name: a, image: x}]}}}": [
            "spec.completions: Required value: when completion mode is Indexed",
            "spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and "
            "OnPodConditions is required",
            'spec.template.spec.restartPolicy: Invalid value: "OnFailure": only "Never" is supported '
            "when podFailurePolicy is specified",
        ],
    },
    "/api/v1/nodes": {
        "{taints: [{key: a, effect: X}]}": [
            'metadata.taints[0].effect: Unsupported value: "X": supported values: "NoSchedule", '
            '"PreferNoSchedule", "NoExecute"'
        ],
    },
}


@pytest.mark.parametrize(
    ("path", "spec", "causes"),
    [(path, spec, causes) for path, given in OBJECTS.items() for spec, causes in given.items()],
)
def test_an_object_that_cannot_be(client: Any, path: str, spec: str, causes: list[str]) -> None:
    answer = client("POST", path, {"metadata": {"name": "o"}, "spec": yaml.safe_load(spec)})
    assert told(answer) == causes


def test_a_secret_whose_type_promises_more(client: Any) -> None:
    sent = {"metadata": {"name": "s"}, "type": "kubernetes.io/dockerconfigjson"}
    sent["stringData"] = {".dockerconfigjson": "[1]", "..a": "b"}
    assert told(client("POST", "/api/v1/namespaces/shop/secrets", sent)) == [
        "data[..a]: Invalid value: \"..a\": must not start with '..'",
        'data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": json: cannot '
        "unmarshal array into Go value of type map[string]interface {}",
    ]


def test_a_finalizer_without_a_domain(client: Any) -> None:
    sent = {"metadata": {"name": "c", "finalizers": ["hold", "a b"]}}
    assert told(client("POST", "/api/v1/namespaces/shop/configmaps", sent)) == [
        f'metadata.finalizers: Invalid value: "a b": {NAME_PART}',
        'metadata.finalizers[0]: Invalid value: "hold": name is neither a standard finalizer name '
        "nor is it fully qualified",
        'metadata.finalizers[1]: Invalid value: "a b": name is neither a standard finalizer name nor '
        "is it fully qualified",
    ]


def test_no_finalizer_is_added_to_what_goes(client: Any) -> None:
    path = "/api/v1/namespaces/shop/configmaps"
    client("POST", path, {"metadata": {"name": "c", "finalizers": ["shop.example/hold"]}})
    client("DELETE", f"{path}/c")
    sent = {"metadata": {"finalizers": ["shop.example/hold", "shop.example/more"]}}
    answer = client("PATCH", f"{path}/c", sent, content="application/merge-patch+json")
    assert told(answer) == [
        "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being "
        'deleted, found new finalizers []string{"shop.example/more"}'
    ]


def test_a_bad_base_of_a_name_is_told_twice(client: Any) -> None:
    sent = {"metadata": {"generateName": "Web-"}, "spec": {"finalizers": ["kubernetes"]}}
    first = told(client("POST", "/api/v1/namespaces", sent))[0]
    assert first == f'metadata.generateName: Invalid value: "Web-": {LABEL}'


def told(answer: dict[str, Any]) -> list[str]:
    """The causes of an answer, as kubectl prints them."""
    return [f"{cause['field']}: {cause['message']}" for cause in answer["details"]["causes"]]


APPLIED = {
    "{replicas: 1, foo: 2}": ".spec.foo: field not declared in schema",
    "{replicas: x, paused: y}": "errors:\n"
    "  .spec.replicas: expected numeric (int or float), got string\n"
    "  .spec.paused: expected boolean, got &{y}",
    "{template: {spec: {containers: [{image: x}]}}}": ".spec.template.spec.containers: element 0: "
    'associative list with keys has an element that omits all key fields ["name"] (and doesn\'t '
    "have default values for any key fields)",
    "{template: {spec: {containers: [{name: a, ports: [{containerPort: 80}, {containerPort: 80, "
    "protocol: TCP}]}]}}}": '.spec.template.spec.containers[name="a"].ports: duplicate entries for '
    'key [containerPort=80,protocol="TCP"]',
    "{template: {spec: {containers: [{name: a, image: 5}]}}}": ".spec.template.spec.containers"
    '[name="a"].image: expected string, got &value.valueUnstructured{Value:5}',
}


@pytest.mark.parametrize(("spec", "problem"), list(APPLIED.items()))
def test_a_configuration_that_the_schema_does_not_know(
    client: Any, spec: str, problem: str
) -> None:
    sent = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "d", "namespace": "shop"},
        "spec": yaml.safe_load(spec),
    }
    path = "/apis/apps/v1/namespaces/shop/deployments/d"
    content = "application/apply-patch+yaml"
    answer = client("PATCH", path, sent, content=content, fieldManager="m")
    assert answer == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": "failed to create typed patch object (shop/d; apps/v1, Kind=Deployment): "
        + problem,
        "code": 400,
    }
