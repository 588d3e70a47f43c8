"""Words for objects that are seldom wrong: classes, drivers, autoscalers, services, resizes."""

from __future__ import annotations

import pytest
import yaml

CORE = "/api/v1/namespaces/shop"
STORAGE = "/apis/storage.k8s.io/v1"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
NAME_PART = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with "
    "an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must "
    "start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for "
    "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
TEMPLATE = (
    "{metadata: {labels: {a: b}}, spec: {restartPolicy: Never, containers: [{name: a, image: x}]}}"
)


def causes(answer):
    assert answer.get("reason") == "Invalid", answer
    return [f"{cause['field']}: {cause['message']}" for cause in answer["details"]["causes"]]


CASES = [
    (
        f"{CORE}/services",
        "{metadata: {name: 1S}, spec: {sessionAffinity: ClientIP, sessionAffinityConfig: "
        "{clientIP: {timeoutSeconds: 0}}, ports: [{port: 80}]}}",
        [
            f'metadata.name: Invalid value: "1S": {LABEL}',
            "spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 0: must be greater "
            "than 0 and less than 86400",
        ],
    ),
    (
        # Whatever else is wrong: addresses come first, and alone.
        f"{CORE}/services",
        "{metadata: {name: s}, spec: {clusterIP: banana, externalIPs: [x], ports: [{port: 80}]}}",
        [
            'spec.clusterIPs[0]: Invalid value: "banana": must be a valid IP address, (e.g. 10.9.8.7 '
            "or 2001:db8::ffff)"
        ],
    ),
    (
        f"{CORE}/services",
        "{metadata: {name: s}, spec: {ipFamilies: [IPv6], ipFamilyPolicy: RequireDualStack, ports: "
        "[{port: 80}]}}",
        [
            'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured '
            "for dual-stack services",
            'spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster',
        ],
    ),
    (
        "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers",
        "{metadata: {name: h}, spec: {scaleTargetRef: {apiVersion: a/b/c, kind: De/ploy, name: ..}, "
        "metrics: [{type: External, external: {metric: {name: a/b}, target: {type: Value, value: "
        "1}}}]}}",
        [
            "spec.maxReplicas: Required value: must be set and greater than 0",
            "spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`",
            "spec.scaleTargetRef.kind: Invalid value: \"De/ploy\": may not contain '/'",
            "spec.scaleTargetRef.name: Invalid value: \"..\": may not be '..'",
            'spec.scaleTargetRef.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: '
            "a/b/c",
            "spec.metrics[0].external.metric.name: Invalid value: \"a/b\": may not contain '/'",
        ],
    ),
    (
        "/apis/policy/v1/namespaces/shop/poddisruptionbudgets",
        "{metadata: {name: p}, spec: {minAvailable: 120%, selector: {matchLabels: {a b: c}}, "
        "unhealthyPodEvictionPolicy: X}}",
        [
            'spec.minAvailable: Invalid value: "120%": must not be greater than 100%',
            f'spec.selector.matchLabels: Invalid value: "a b": {NAME_PART}',
            'spec.unhealthyPodEvictionPolicy: Unsupported value: "X": supported values: '
            '"AlwaysAllow", "IfHealthyBudget"',
        ],
    ),
    (
        "/apis/apps/v1/namespaces/shop/deployments",
        "{metadata: {name: d}, spec: {replicas: -1, selector: {matchLabels: {a b: c}}, template: "
        "{metadata: {labels: {a b: c}}, spec: {containers: [{name: a, image: x}]}}}}",
        [
            "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
            f'spec.selector.matchLabels: Invalid value: "a b": {NAME_PART}',
            f'spec.template.labels: Invalid value: "a b": {NAME_PART}',
        ],
    ),
    (
        "/apis/batch/v1/namespaces/shop/cronjobs",
        "{metadata: {name: c}, spec: {schedule: TZ=UTC 0 * * * *, timeZone: '', jobTemplate: {spec: "
        f"{{template: {TEMPLATE}}}}}}}}}",
        [
            'spec.schedule: Invalid value: "TZ=UTC 0 * * * *": cannot use TZ or CRON_TZ in schedule, '
            "use timeZone field instead",
            'spec.timeZone: Invalid value: "": timeZone must be nil or non-empty string',
        ],
    ),
    (
        "/apis/node.k8s.io/v1/runtimeclasses",
        "{metadata: {name: r}, overhead: {podFixed: {cpu: -1}}, scheduling: {nodeSelector: {a b: c}, "
        "tolerations: [{key: k, operator: X}]}}",
        [
            "handler: Required value",
            'overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0',
            f'scheduling.nodeSelector: Invalid value: "a b": {NAME_PART}',
            'scheduling.tolerations[0].operator: Unsupported value: "X": supported values: "Equal", '
            '"Exists"',
        ],
    ),
    (
        f"{STORAGE}/volumeattributesclasses",
        "{metadata: {name: v}}",
        [
            "driverName: Required value",
            "parameters: Required value: must contain at least one key/value pair",
        ],
    ),
    (
        f"{STORAGE}/storageclasses",
        "{metadata: {name: s}, provisioner: a/b, allowedTopologies: [{matchLabelExpressions: [{key: "
        "z, values: [a, a]}]}]}",
        ['allowedTopologies[0].matchLabelExpressions[0].values[1]: Duplicate value: "a"'],
    ),
]


@pytest.mark.parametrize(("path", "sent", "found"), CASES)
def test_new_objects(client, path, sent, found):
    assert causes(client("POST", path, yaml.safe_load(sent))) == found


CHANGES = [
    (
        f"{STORAGE}/volumeattributesclasses",
        {"metadata": {"name": "v"}, "driverName": "a.b", "parameters": {"a": "b"}},
        {"driverName": "c.d", "parameters": {"a": "c"}},
        [
            "driverName: Forbidden: updates to driverName are forbidden.",
            "parameters: Forbidden: updates to parameters are forbidden.",
        ],
    ),
    (
        f"{STORAGE}/csidrivers",
        {"metadata": {"name": "v"}, "spec": {}},
        {"spec": {"attachRequired": False, "podInfoOnMount": True}},
        ["spec.attachedRequired: Invalid value: false: field is immutable"],
    ),
]


@pytest.mark.parametrize(("path", "before", "patch", "found"), CHANGES)
def test_changes(client, path, before, patch, found):
    client("POST", path, before)
    assert causes(client("PATCH", f"{path}/v", patch, content=MERGE)) == found


def test_a_balancer_becomes_a_plain_service(client):
    spec = {"type": "LoadBalancer", "externalTrafficPolicy": "Local", "loadBalancerClass": "a/b"}
    sent = {"metadata": {"name": "s"}, "spec": {**spec, "ports": [{"port": 80}]}}
    made = client("POST", f"{CORE}/services", sent)
    assert made["spec"]["healthCheckNodePort"] >= 30000
    patch = {"spec": {"type": "ClusterIP"}}
    changed = client("PATCH", f"{CORE}/services/s", patch, content=STRATEGIC)
    assert changed["spec"] == {
        "clusterIP": made["spec"]["clusterIP"],
        "clusterIPs": made["spec"]["clusterIPs"],
        "internalTrafficPolicy": "Cluster",
        "ipFamilies": ["IPv4"],
        "ipFamilyPolicy": "SingleStack",
        "ports": [{"port": 80, "protocol": "TCP", "targetPort": 80}],
        "sessionAffinity": "None",
        "type": "ClusterIP",
    }


def test_managed_fields_are_not_applied(client):
    sent = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "c", "managedFields": [{"manager": "x"}]},
    }
    answer = client(
        "PATCH",
        f"{CORE}/configmaps/c",
        sent,
        content="application/apply-patch+yaml",
        fieldManager="me",
    )
    assert (answer["code"], answer["message"]) == (400, "metadata.managedFields must be nil")


RESOURCES = {"requests": {"cpu": "100m", "ephemeral-storage": "1Gi"}, "limits": {"memory": "1Gi"}}


@pytest.mark.parametrize(
    ("resources", "found"),
    [
        (
            {"requests": {"cpu": "200m", "ephemeral-storage": "2Gi"}},
            [
                "spec: Forbidden: only cpu and memory resources are mutable\n"
                "@@ -17,7 +17,7 @@\n"
                '     },\n     "Requests": {\n      "cpu": "100m",\n'
                '-     "ephemeral-storage": "1Gi",\n'
                '+     "ephemeral-storage": "2Gi",\n'
                '      "memory": "1Gi"\n     },\n     "Claims": null\n'
            ],
        ),
        (
            {"requests": {"cpu": None}},
            [
                "spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed",
            ],
        ),
    ],
)
def test_resizes(client, resources, found):
    container = {"name": "a", "image": "x", "resources": RESOURCES}
    spec = {"containers": [container], "automountServiceAccountToken": False}
    client("POST", f"{CORE}/pods", {"metadata": {"name": "p"}, "spec": spec})
    patch = {"spec": {"containers": [{"name": "a", "resources": resources}]}}
    assert causes(client("PATCH", f"{CORE}/pods/p/resize", patch, content=STRATEGIC)) == found


def test_what_had_no_resources_keeps_its_class(client):
    spec = {"containers": [{"name": "a", "image": "x"}], "automountServiceAccountToken": False}
    client("POST", f"{CORE}/pods", {"metadata": {"name": "p"}, "spec": spec})
    patch = {"spec": {"containers": [{"name": "a", "resources": {"requests": {"cpu": "1"}}}]}}
    assert causes(client("PATCH", f"{CORE}/pods/p/resize", patch, content=STRATEGIC)) == [
        'spec: Invalid value: "BestEffort": Pod QOS Class may not change as a result of resizing'
    ]


def test_the_resources_of_a_whole_pod_are_resized(client):
    whole = {"requests": {"cpu": "1"}, "limits": {"cpu": "2"}}
    spec = {"containers": [{"name": "a", "image": "x"}], "resources": whole}
    client("POST", f"{CORE}/pods", {"metadata": {"name": "p"}, "spec": spec})
    patch = {"spec": {"resources": {"requests": {"cpu": "500m"}}}}
    changed = client("PATCH", f"{CORE}/pods/p/resize", patch, content=STRATEGIC)
    assert changed["spec"]["resources"] == {"requests": {"cpu": "500m"}, "limits": {"cpu": "2"}}
    patch = {"spec": {"resources": {"requests": None}}}
    assert causes(client("PATCH", f"{CORE}/pods/p/resize", patch, content=STRATEGIC)) == [
        "spec.resources.requests: Forbidden: resource requests cannot be removed"
    ]


def test_metadata_that_is_none_is_not_applied(client):
    answer = client(
        "PATCH",
        f"{CORE}/configmaps/c",
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": "c"},
        content="application/apply-patch+yaml",
        fieldManager="me",
    )
    assert (answer["code"], answer["message"]) == (
        400,
        "failed to create typed patch object (/; /v1, Kind=ConfigMap): "
        ".metadata: expected map, got &{c}",
    )


def test_lists_that_are_written_although_they_are_empty(client):
    head = {"metadata": {"name": "x"}}
    path = "/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices"
    made = client("POST", path, {**head, "addressType": "IPv4", "endpoints": []})
    assert (made["endpoints"], made["ports"]) == (None, None)
    path = "/apis/rbac.authorization.k8s.io/v1/namespaces/shop/roles"
    assert client("POST", path, {**head, "rules": []})["rules"] is None


DEPLOYMENTS = "/apis/apps/v1/namespaces/shop/deployments"


@pytest.mark.parametrize(
    ("form", "change", "expected"),
    [
        (
            "merge",
            [1],
            "error decoding patch: json: cannot unmarshal array into Go value of type "
            "map[string]interface {}",
        ),
        (
            "json",
            "text",
            "error decoding patch: json: cannot unmarshal string into Go value of type "
            "[]handlers.jsonPatchOp",
        ),
        (
            "json",
            [1],
            "error decoding patch: json: cannot unmarshal number into Go value of type "
            "handlers.jsonPatchOp",
        ),
        (
            "merge",
            {"metadata": {"finalizers": ["foo"]}},
            'Deployment.apps "web" is invalid: metadata.finalizers[0]: Invalid value: "foo": name is '
            "neither a standard finalizer name nor is it fully qualified",
        ),
    ],
)
def test_patches_that_cannot_be(client, make_deployment, form, change, expected):
    client("POST", DEPLOYMENTS, make_deployment())
    content = f"application/{form}-patch+json"
    assert client("PATCH", f"{DEPLOYMENTS}/web", change, content=content)["message"] == expected


def test_a_strategic_patch_does_not_change_the_kind(client, make_deployment):
    client("POST", DEPLOYMENTS, make_deployment())
    content = "application/strategic-merge-patch+json"
    change = {"kind": "Pod", "apiVersion": "v1", "spec": {"paused": True}}
    patched = client("PATCH", f"{DEPLOYMENTS}/web", change, content=content)
    assert (patched["kind"], patched["apiVersion"]) == ("Deployment", "apps/v1")
    assert patched["spec"]["paused"] is True


def test_a_status_with_less_than_nothing(client, make_deployment):
    client("POST", DEPLOYMENTS, make_deployment())
    change = {"status": {"replicas": -1}}
    content = "application/merge-patch+json"
    answer = client("PATCH", f"{DEPLOYMENTS}/web/status", change, content=content)
    assert answer["message"].startswith('Deployment.apps "web" is invalid: [status.replicas: ')
