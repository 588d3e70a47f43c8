"""The life of pods: what status, events and logs say in each of the ways it can go."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.errors import ApiError
from sregym_cluster_embedded.api.keys import LOGS
from sregym_cluster_embedded.store import Key, Object

WORKER = '"registry.example/shop/worker:1.0"'


def apply_pod(shop: Any, spec: str, name: str = "app") -> None:
    shop.apply(f"apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec: {spec}\n")


def pod(shop: Any, name: str = "app") -> Object:
    found: Object = shop.world.store.get(Key("pods", "shop", name))
    return found


def state(shop: Any, name: str = "app") -> Object:
    """State of the first container."""
    shown: Object = pod(shop, name)["status"]["containerStatuses"][0]["state"]
    return shown


def logs(shop: Any, container: str = "", **options: str) -> str:
    """The log subresource of the pod `app`, or the error's text."""
    try:
        text: str = shop.world.service(LOGS)(shop.world, "shop", "app", container, options)
    except ApiError as error:
        return f"{error.code} {error.message}"
    return text


def test_a_missing_configmap_and_secret_keep_volumes_from_mounting(shop: Any) -> None:
    apply_pod(
        shop,
        f"{{containers: [{{name: api, image: {WORKER}, volumeMounts: [{{name: cfg, mountPath: /c}}, "
        "{name: tls, mountPath: /t}]}], volumes: [{name: cfg, configMap: {name: api-config}}, "
        "{name: tls, secret: {secretName: api-tls}}]}",
    )
    shop.run(0.7)
    assert shop.events("FailedMount") == [
        ('MountVolume.SetUp failed for volume "tls" : secret "api-tls" not found', 2),
        ('MountVolume.SetUp failed for volume "cfg" : configmap "api-config" not found', 2),
    ]
    assert state(shop) == {"waiting": {"reason": "ContainerCreating"}}
    assert logs(shop) == '400 container "api" in pod "app" is waiting to start: ContainerCreating'
    shop.apply("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: api-config}\ndata: {a: b}")
    shop.apply("apiVersion: v1\nkind: Secret\nmetadata: {name: api-tls}\ndata: {k: aGVsbG8=}")
    shop.run(10)
    assert pod(shop)["status"]["phase"] == "Running"
    mounts = shop.runtime.configuration(shop.world, pod(shop), "api").mounts
    assert (mounts["/c"].files, mounts["/t"].files) == ({"a": "b"}, {"k": "hello"})


@pytest.mark.parametrize(
    ("container", "message"),
    [
        ("envFrom: [{configMapRef: {name: api-config}}]", 'configmap "api-config" not found'),
        (
            "env: [{name: P, valueFrom: {secretKeyRef: {name: db, key: password}}}]",
            'secret "db" not found',
        ),
        (
            "env: [{name: P, valueFrom: {configMapKeyRef: {name: settings, key: loglevel}}}]",
            "couldn't find key loglevel in ConfigMap shop/settings",
        ),
    ],
)
def test_missing_configuration_keeps_a_container_from_being_created(
    shop: Any, container: str, message: str
) -> None:
    shop.apply("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {level: info}")
    apply_pod(shop, f"{{containers: [{{name: api, image: {WORKER}, {container}}}]}}")
    shop.run(2)
    assert state(shop) == {"waiting": {"reason": "CreateContainerConfigError", "message": message}}
    assert shop.events("Failed") == [(f"Error: {message}", 2)]
    reason = "waiting to start: CreateContainerConfigError"
    assert logs(shop) == f'400 container "api" in pod "app" is {reason}'


def test_optional_keys_are_left_out_and_variables_expand(shop: Any) -> None:
    shop.apply("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {level: info}")
    apply_pod(
        shop,
        f"{{containers: [{{name: api, image: {WORKER}, command: [run, '--level=$(LEVEL)'], env: ["
        "{name: LEVEL, valueFrom: {configMapKeyRef: {name: settings, key: level}}}, "
        "{name: GONE, valueFrom: {configMapKeyRef: {name: settings, key: x, optional: true}}}, "
        "{name: NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}, "
        "{name: URL, value: 'http://$(LEVEL)/$(NOTHING)/$$(X)'}]}]}",
    )
    shop.run(2)
    config = shop.runtime.configuration(shop.world, pod(shop), "api")
    own = {name: value for name, value in config.env.items() if "KUBERNETES" not in name}
    node = pod(shop)["spec"]["nodeName"]
    assert own == {"LEVEL": "info", "NODE": node, "URL": "http://info/$(NOTHING)/$(X)"}
    assert config.command == ("run", "--level=info")
    assert config.env["KUBERNETES_SERVICE_HOST"] == "10.96.0.1"


def test_a_command_that_does_not_exist(shop: Any) -> None:
    apply_pod(shop, f"{{containers: [{{name: api, image: {WORKER}, command: [/bin/serve]}}]}}")
    shop.run(2.5)
    message = (
        "failed to create containerd task: failed to create shim task: OCI runtime create failed: "
        'runc create failed: unable to start container process: exec: "/bin/serve": stat '
        "/bin/serve: no such file or directory: unknown"
    )
    assert state(shop) == {"waiting": {"reason": "RunContainerError", "message": message}}
    status = pod(shop)["status"]["containerStatuses"][0]
    last = status["lastState"]["terminated"]
    assert (last["reason"], last["exitCode"], last["startedAt"]) == (
        "StartError",
        128,
        "1970-01-01T00:00:00Z",
    )
    assert last["containerID"] == status["containerID"]


def test_an_init_container_that_fails(shop: Any) -> None:
    apply_pod(
        shop,
        "{initContainers: [{name: migrate, image: registry.example/library/busybox:1.36, "
        f'command: [sh, -c, "exit 2"]}}], containers: [{{name: app, image: {WORKER}}}]}}',
    )
    shop.run(4)
    status = pod(shop)["status"]
    assert status["phase"] == "Pending"
    assert status["initContainerStatuses"][0]["state"]["terminated"]["exitCode"] == 2
    assert state(shop) == {"waiting": {"reason": "PodInitializing"}}
    initialized = next(e for e in status["conditions"] if e["type"] == "Initialized")
    assert initialized["message"] == "containers with incomplete status: [migrate]"
    waiting = 'container "app" in pod "app" is waiting to start: PodInitializing'
    assert logs(shop, "app") == f"400 {waiting}"


def test_a_sidecar_starts_first_and_lets_the_others_wait_for_its_probe(shop: Any) -> None:
    apply_pod(
        shop,
        "{terminationGracePeriodSeconds: 5, initContainers: [{name: proxy, "
        "image: registry.example/shop/slow:1.0, restartPolicy: Always, "
        "env: [{name: START_AFTER, value: '4'}], startupProbe: {httpGet: {path: /healthz, "
        f"port: 8080}}, periodSeconds: 1, failureThreshold: 30}}}}], containers: [{{name: app, "
        f"image: {WORKER}}}]}}",
    )
    shop.run(3)
    assert state(shop) == {"waiting": {"reason": "PodInitializing"}}
    shop.run(5)
    status = pod(shop)["status"]
    assert status["phase"] == "Running"
    assert [e["ready"] for e in status["initContainerStatuses"] + status["containerStatuses"]] == [
        True,
        True,
    ]


def test_a_startup_probe_that_does_not_allow_the_start(shop: Any) -> None:
    apply_pod(
        shop,
        "{terminationGracePeriodSeconds: 2, containers: [{name: slow, "
        "image: registry.example/shop/slow:1.0, env: [{name: START_AFTER, value: '60'}], "
        "startupProbe: {tcpSocket: {port: 8080}, periodSeconds: 2, failureThreshold: 2}}]}",
    )
    shop.run(5)
    assert shop.events("Killing") == [("Container slow failed startup probe, will be restarted", 1)]
    assert pod(shop)["status"]["containerStatuses"][0]["restartCount"] == 1


def test_a_pod_that_has_done_its_work(shop: Any) -> None:
    apply_pod(
        shop,
        "{restartPolicy: OnFailure, containers: [{name: main, "
        'image: registry.example/library/busybox:1.36, command: [sh, -c, "exit 0"]}]}',
    )
    shop.run(4)
    status = pod(shop)["status"]
    assert status["phase"] == "Succeeded"
    assert [(e["type"], e["status"], e.get("reason")) for e in status["conditions"]] == [
        ("PodReadyToStartContainers", "False", None),
        ("Initialized", "True", "PodCompleted"),
        ("Ready", "False", "PodCompleted"),
        ("ContainersReady", "False", "PodCompleted"),
        ("PodScheduled", "True", None),
    ]


def test_a_hook_delays_the_signal_and_a_deaf_process_gets_its_whole_grace(shop: Any) -> None:
    apply_pod(
        shop,
        "{terminationGracePeriodSeconds: 8, containers: [{name: main, "
        "image: registry.example/shop/mem:1.0, "
        'lifecycle: {preStop: {exec: {command: [sleep, "2"]}}}}]}',
    )
    shop.run(3)
    internal_client.delete(shop.world, Key("pods", "shop", "app"))
    shop.run(7.5)
    assert pod(shop)["status"]["containerStatuses"][0]["ready"] is True
    shop.run(2.5)
    assert pod(shop) is None
    assert shop.events("Killing") == [("Stopping container main", 1)]


def test_a_changed_configmap_reaches_the_files_after_a_while(shop: Any) -> None:
    shop.apply("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {level: info}")
    apply_pod(
        shop,
        f"{{containers: [{{name: c, image: {WORKER}, volumeMounts: [{{name: cfg, mountPath: /cfg}}, "
        "{name: cfg, mountPath: /level, subPath: level}]}], "
        "volumes: [{name: cfg, configMap: {name: settings}}]}",
    )
    shop.run(3)
    config = shop.world.store.get(Key("configmaps", "shop", "settings"))
    internal_client.update(shop.world, "configmaps", {**config, "data": {"level": "debug"}})
    shop.run(40)
    assert shop.world.table("shop.files") == {}
    shop.run(40)
    changed = {ref_path[1]: files for ref_path, files in shop.world.table("shop.files").items()}
    assert changed == {"/cfg": {"level": "debug"}}


def test_logs_of_lives_that_are_not_there(shop: Any) -> None:
    apply_pod(shop, f"{{containers: [{{name: app, image: {WORKER}}}]}}")
    shop.run(3)
    assert logs(shop) == "worker: started, interval 5s\n"
    missing = 'previous terminated container "app" in pod "app" not found'
    assert logs(shop, previous="true") == f"400 {missing}"
    assert logs(shop, "other") == "400 container other is not valid for pod app"


def test_the_previous_life_of_a_crashing_container(shop: Any) -> None:
    apply_pod(shop, "{containers: [{name: app, image: registry.example/shop/flaky:1.0}]}")
    shop.run(2.6)
    status = pod(shop)["status"]["containerStatuses"][0]
    assert (status["restartCount"], "running" in status["state"]) == (1, True)
    assert logs(shop, previous="true") == "flaky: started\n"
    shop.run(2.5)
    last = pod(shop)["status"]["containerStatuses"][0]["lastState"]["terminated"]["containerID"]
    assert logs(shop, previous="true") == f"unable to retrieve container logs for {last}"


def test_a_process_that_stops_listening_is_noticed_by_its_readiness_probe(shop: Any) -> None:
    apply_pod(
        shop,
        "{containers: [{name: web, image: registry.example/shop/web:1.0, readinessProbe: "
        "{httpGet: {path: /healthz, port: 8080}, periodSeconds: 2}}]}",
    )
    shop.run(5)
    planned = [event.arguments[0] for event in shop.world.clock.pending()]
    assert (pod(shop)["metadata"]["uid"], "web", "readiness") not in planned
    shop.runtime.stop_listening(shop.world, pod(shop))
    shop.run(3)
    assert pod(shop)["status"]["containerStatuses"][0]["ready"] is True
    shop.run(4)
    assert pod(shop)["status"]["containerStatuses"][0]["ready"] is False
    ip = pod(shop)["status"]["podIP"]
    refused = f'Get "http://{ip}:8080/healthz": dial tcp {ip}:8080: connect: connection refused'
    assert shop.events("Unhealthy") == [(f"Readiness probe failed: {refused}", 3)]


def test_a_pod_that_cannot_start_costs_little_while_it_waits(shop: Any) -> None:
    apply_pod(
        shop,
        f"{{containers: [{{name: api, image: {WORKER}, envFrom: [{{secretRef: {{name: x}}}}]}}]}}",
    )
    shop.run(240)
    ((_, tries),) = shop.events("Failed")
    assert 17 <= tries <= 25


def test_pulls_of_one_image_on_one_node_share_the_download(shop: Any) -> None:
    shop.world.table("kubelet.images").clear()
    for name in ("one", "two"):
        apply_pod(shop, f"{{nodeName: node1, containers: [{{name: c, image: {WORKER}}}]}}", name)
    shop.run(5)
    size = "Image size: 3165025 bytes."
    assert shop.events("Pulled") == [
        (
            f"Successfully pulled image {WORKER} in 429ms (429ms including waiting). {size}",
            1,
        ),
        (
            f"Successfully pulled image {WORKER} in 350ms (779ms including waiting). {size}",
            1,
        ),
    ]
