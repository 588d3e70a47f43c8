"""Faults in Services: what they change, what they say, which repairs count and which do not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pydantic import ValidationError
from sregym_core.errors import UsageError
from sregym_core.model import Change, Check, ObjectRef, Outcome
from sregym_injector_kubernetes.service_missing import ServiceMissing
from sregym_injector_kubernetes.service_selector import ServiceSelector
from sregym_injector_kubernetes.service_target_port import ServiceTargetPort
from sregym_testing import FullShop

component = FullShop().component

CATALOG = component("catalog")
SERVICE = CATALOG.service
EXPECTED = "the Service leads to exactly the component's pods, each port to the port they use"


def ports(cluster):
    return [(p["port"], p["targetPort"]) for p in cluster.get(SERVICE)["spec"]["ports"]]


def found(fault, context):
    check = fault.present(context)
    assert (check.name, check.expected) == ("defect-gone", EXPECTED)
    return check.outcome, check.got


def failing(text):
    return (Outcome.FAIL, text)


PASSING = (Outcome.PASS, EXPECTED)


class TestTargetPort:
    fault = ServiceTargetPort()

    def test_the_probed_port_leads_astray_by_default(self, cluster, at):
        context = at(self.fault, "catalog")
        self.fault.inject(context)
        assert ports(cluster) == [(9091, 9091), (8083, 8084)]
        assert found(self.fault, context) == failing("port 8083 leads to 8084, not to 8083")

    def test_the_wrong_port_is_never_one_that_is_used(self, cluster, at):
        context = at(self.fault, "catalog", port=9091, wrong_port=None)
        assert self.fault.ground_truth(context).changed == Change(
            what="spec.ports[0].targetPort", before="9091", after="9092"
        )
        neighbours = CATALOG.ports[0].model_copy(update={"container_port": 8084})
        crowded = CATALOG.model_copy(update={"ports": (neighbours, CATALOG.ports[1])})
        context = replace(at(self.fault, "catalog", port=8083), target=crowded)
        assert self.fault.ground_truth(context).changed.after == "8085"

    def test_clients_dial_again_unless_told_otherwise(self, cluster, at):
        generation = cluster.get(component("front").workload)["metadata"]["generation"]
        self.fault.inject(at(self.fault, "catalog", restart_clients=False))
        assert cluster.get(component("front").workload)["metadata"]["generation"] == generation
        self.fault.inject(at(self.fault, "catalog"))
        assert cluster.get(component("front").workload)["metadata"]["generation"] == generation + 2

    def test_clients_of_what_serves_no_user_are_left_alone(self, cluster, at):
        context = at(self.fault, "catalog")
        idle = context.component.model_copy(update={"operations": ()})
        generation = cluster.get(component("front").workload)["metadata"]["generation"]
        self.fault.inject(replace(context, target=idle))
        assert cluster.get(component("front").workload)["metadata"]["generation"] == generation

    @pytest.mark.parametrize(
        ("repair", "expected"),
        [
            ({"port": 8083, "targetPort": 8083}, PASSING),
            ({"port": 8083, "targetPort": "grpc"}, PASSING),
            ({"port": 8083}, PASSING),
            ({"port": 8083, "targetPort": 9091}, failing("port 8083 leads to 9091, not to 8083")),
            ({"port": 8083, "targetPort": "http"}, failing("port 8083 leads to http, not to 8083")),
            ({"port": 8084, "targetPort": 8083}, failing("port 8083/TCP is missing")),
            ({"port": 8083, "targetPort": 8083, "protocol": "UDP"}, failing("port 8083/TCP is missing")),
        ],
    )  # fmt: skip
    def test_repairs(self, cluster, at, repair, expected):
        context = at(self.fault, "catalog")
        self.fault.inject(context)
        metrics = {"name": "metrics", "port": 9091, "targetPort": 9091}
        cluster.patch(SERVICE, {"spec": {"ports": [metrics, repair]}}, "merge")
        assert found(self.fault, context) == expected

    def test_the_process_may_move_to_the_port(self, cluster, at):
        context = at(self.fault, "catalog")
        self.fault.inject(context)
        moved = [{"containerPort": 9091}, {"containerPort": 8084}]
        containers = [
            {
                **cluster.get(CATALOG.workload)["spec"]["template"]["spec"]["containers"][0],
                "ports": moved,
            }
        ]
        cluster.patch(
            CATALOG.workload, {"spec": {"template": {"spec": {"containers": containers}}}}, "merge"
        )
        cluster.clock.advance(1.0)
        assert found(self.fault, context) == PASSING

    def test_what_is_said_of_it(self, at):
        truth = self.fault.ground_truth(at(self.fault, "catalog-db", wrong_port=27107))
        assert truth.model_dump(exclude={"mechanism_phrases", "impact_phrases"}) == {
            "component": "catalog-db",
            "kind": "Service",
            "object_name": "catalog-db",
            "namespace": "shop",
            "mechanism": "service-target-port-mismatch",
            "changed": {"what": "spec.ports[0].targetPort", "before": "27017", "after": "27107"},
            "contributing": (),
            "affected": ("catalog", "front"),
            "impact": "Requests for browse and buy fail or time out.",
        }
        assert truth.mechanism_phrases[-1] == "targetPort is 27107 instead of 27017"

    def test_reference_fix(self, at):
        assert [str(command) for command in self.fault.reference_fix(at(self.fault, "front"))] == [
            "kubectl patch service/front -n shop --type=json -p "
            """'[{"op": "add", "path": "/spec/ports/0/targetPort", "value": "http"}]'"""
        ]
        assert [str(c) for c in self.fault.reference_fix(at(self.fault, "catalog"))] == [
            "kubectl patch service/catalog -n shop --type=json -p "
            """'[{"op": "add", "path": "/spec/ports/1/targetPort", "value": 8083}]'""",
            "kubectl rollout restart deployment/front -n shop",
            "kubectl rollout status deployment/front -n shop --timeout=300s",
        ]

    def test_no_such_port(self, at):
        with pytest.raises(UsageError) as caught:
            self.fault.ground_truth(at(self.fault, "catalog", port=80))
        assert str(caught.value) == (
            "parameter 'port' of fault 'service-target-port': Service of component 'catalog' has "
            "no port 80; it has 9091, 8083"
        )
        with pytest.raises(ValidationError):
            self.fault.Parameters(port=0)


class TestSelector:
    fault = ServiceSelector()

    def test_an_extra_label_matches_no_pod(self, cluster, at):
        context = at(self.fault, "catalog")
        self.fault.inject(context)
        assert cluster.get(SERVICE)["spec"]["selector"] == {
            "app": "catalog",
            "current_service_name": "catalog",
        }
        pod = cluster.list("v1", "Pod", "shop", "app=catalog")[0]["metadata"]["name"]
        assert found(self.fault, context) == failing(
            f"selector app=catalog,current_service_name=catalog leaves out {pod}"
        )
        assert self.fault.ground_truth(context).changed == Change(
            what="spec.selector",
            before="app=catalog",
            after="app=catalog,current_service_name=catalog",
        )

    @pytest.mark.parametrize(
        ("selector", "expected"),
        [
            ({"current_service_name": None}, PASSING),
            (None, failing("Service shop/catalog has no selector")),
        ],
    )
    def test_repairs(self, cluster, at, selector, expected):
        context = at(self.fault, "catalog")
        self.fault.inject(context)
        cluster.patch(SERVICE, {"spec": {"selector": selector}}, "merge")
        assert found(self.fault, context) == expected

    def test_the_pods_may_get_the_label(self, cluster, at):
        context = at(self.fault, "catalog", key="tier", value="backend")
        self.fault.inject(context)
        labels = {"template": {"metadata": {"labels": {"tier": "backend"}}}}
        cluster.patch(CATALOG.workload, {"spec": labels}, "merge")
        cluster.clock.advance(1.0)
        assert found(self.fault, context) == PASSING

    def test_other_peoples_pods_do_not_count(self, cluster, at):
        context = at(self.fault, "catalog")
        self.fault.inject(context)
        wide = {"app": None, "current_service_name": None, "team": "a"}
        for name in ("catalog", "front"):
            labels = {"template": {"metadata": {"labels": {"team": "a"}}}}
            cluster.patch(component(name).workload, {"spec": labels}, "merge")
        cluster.clock.advance(1.0)
        cluster.patch(SERVICE, {"spec": {"selector": wide}}, "merge")
        foreign = [p["metadata"]["name"] for p in cluster.list("v1", "Pod", "shop", "app=front")]
        assert found(self.fault, context) == failing(
            f"selector team=a also matches {', '.join(foreign)}"
        )

    def test_reference_fix(self, at):
        assert str(self.fault.reference_fix(at(self.fault, "catalog"))[0]) == (
            "kubectl patch service/catalog -n shop --type=merge -p "
            """'{"spec": {"selector": {"current_service_name": null}}}'"""
        )
        replaced = at(self.fault, "catalog", key="app", value="catalogue")
        assert str(self.fault.reference_fix(replaced)[0]) == (
            "kubectl patch service/catalog -n shop --type=merge -p "
            """'{"spec": {"selector": {"app": "catalog"}}}'"""
        )


class TestMissing:
    fault = ServiceMissing()

    def test_it_is_gone(self, cluster, at):
        context = at(self.fault, "catalog")
        self.fault.inject(context)
        assert cluster.get(SERVICE) is None
        assert self.fault.present(context) == Check(
            name="defect-gone",
            outcome=Outcome.FAIL,
            expected=EXPECTED,
            got="Service shop/catalog does not exist",
        )

    def test_a_hollow_service_is_no_repair(self, cluster, at):
        context = at(self.fault, "catalog")
        self.fault.inject(context)
        metadata = {"name": "catalog", "namespace": "shop"}
        spec = {"type": "ExternalName", "externalName": "example.com"}
        cluster.create({"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec})
        assert found(self.fault, context) == failing(
            "Service shop/catalog is an alias of example.com; port 9091/TCP is missing; "
            "port 8083/TCP is missing"
        )

    def test_what_is_said_of_it(self, at):
        truth = self.fault.ground_truth(at(self.fault, "front"))
        assert truth.changed == Change(what="Service front", before="ports 80->http", after="")
        assert (truth.kind, truth.mechanism, truth.affected) == ("Service", "service-missing", ())

    def test_reference_fix_brings_the_manifest_back(self, at):
        fix = self.fault.reference_fix(at(self.fault, "front"))
        assert [command.argv for command in fix] == [("kubectl", "apply", "-f", "-")]
        assert fix[0].stdin == (
            "apiVersion: v1\nkind: Service\nmetadata:\n  name: front\n  namespace: shop\nspec:\n"
            "  selector:\n    app: front\n  ports:\n  - name: http\n    port: 80\n"
            "    targetPort: http\n"
        )


@pytest.mark.parametrize("fault", [ServiceTargetPort(), ServiceSelector(), ServiceMissing()])
def test_without_pods_nothing_is_repaired(fault, cluster, at):
    context = at(fault, "catalog")
    cluster.patch(CATALOG.workload, {"spec": {"replicas": 0}}, "merge")
    cluster.clock.advance(1.0)
    assert found(fault, context) == failing("Deployment shop/catalog has no pods")
    cluster.delete(CATALOG.workload)
    assert found(fault, context) == failing("Deployment shop/catalog does not exist")


def test_the_load_generator_is_no_target():
    visitors = component("visitors").model_copy(
        update={"service": ObjectRef(api_version="v1", kind="Service", name="x")}
    )
    faults = (ServiceTargetPort(), ServiceSelector(), ServiceMissing())
    assert [fault.fits(visitors) for fault in faults] == [False, False, False]
    assert [part.name for part in FullShop().components() if part.kind == "load"] == ["visitors"]
