"""Faults in ConfigMaps: one that is gone, one that has lost a piece."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from sregym_core.errors import UsageError
from sregym_core.model import Change, Outcome
from sregym_injector_kubernetes.configmap_drift import ConfigMapDrift, _vital_field
from sregym_injector_kubernetes.configmap_missing import ConfigMapMissing
from sregym_injectors.workloads import ready_pod
from sregym_testing import FullShop

component = FullShop().component

CATALOG = component("catalog").workload
CONFIG = component("catalog").config[0].source
SCRIPT = component("catalog-db").config[0].source
TEXT = '{\n  "tracing": "front:8080",\n  "listen": "8083",\n  "store": "catalog-db:27017"\n}\n'
DATA = {"config.json": TEXT, "motd.txt": "welcome\n"}


def configmap(name, data):
    metadata = {"name": name, "namespace": "shop"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def found(fault, context):
    check = fault.present(context)
    return check.outcome, check.got


class TestMissing:
    fault = ConfigMapMissing()
    expected = "the pods' ConfigMap exists with the content of the manifest"

    def test_pods_cannot_start(self, cluster, at):
        context = at(self.fault, "catalog-db")
        self.fault.inject(context)
        cluster.clock.advance(60.0)
        assert cluster.get(SCRIPT) is None
        assert ready_pod(cluster, component("catalog-db").workload) is None
        assert found(self.fault, context) == (
            Outcome.FAIL,
            "ConfigMap shop/catalog-db-script does not exist",
        )

    @pytest.mark.parametrize(
        ("data", "expected"),
        [
            (DATA, (Outcome.PASS, expected)),
            ({**DATA, "motd.txt": "welcome"}, (Outcome.PASS, expected)),
            ({**DATA, "more": "x"}, (Outcome.PASS, expected)),
            ({}, (Outcome.FAIL, "ConfigMap shop/catalog-config has no key config.json; "
                                "ConfigMap shop/catalog-config has no key motd.txt")),
            ({**DATA, "motd.txt": "bye"},
             (Outcome.FAIL, "ConfigMap shop/catalog-config key motd.txt has another content")),
            ({**DATA, "config.json": "[]"},
             (Outcome.FAIL, "ConfigMap shop/catalog-config key config.json is no JSON object")),
        ],
    )  # fmt: skip
    def test_repairs(self, cluster, at, data, expected):
        context = at(self.fault, "catalog")
        self.fault.inject(context)
        cluster.create(configmap("catalog-config", data))
        assert found(self.fault, context) == expected

    def test_another_name_is_as_good(self, cluster, at):
        context = at(self.fault, "catalog")
        self.fault.inject(context)
        cluster.create(configmap("catalog-settings", DATA))
        volumes = [{"name": "config", "configMap": {"name": "catalog-settings"}}]
        cluster.patch(CATALOG, {"spec": {"template": {"spec": {"volumes": volumes}}}}, "merge")
        assert self.fault.present(context).outcome == Outcome.PASS

    def test_doing_without_is_no_repair(self, cluster, at):
        context = at(self.fault, "catalog")
        self.fault.inject(context)
        volumes = [{"name": "config", "emptyDir": {}}]
        cluster.patch(CATALOG, {"spec": {"template": {"spec": {"volumes": volumes}}}}, "merge")
        assert found(self.fault, context) == (
            Outcome.FAIL,
            "container catalog has no ConfigMap mounted at /etc/catalog/config.json",
        )

    def test_what_is_said_and_done(self, at):
        context = at(self.fault, "catalog-db")
        assert self.fault.ground_truth(context).changed == Change(
            what="ConfigMap catalog-db-script", before="keys create-user.sh", after=""
        )
        assert [str(c) for c in self.fault.reference_fix(context)] == [
            "kubectl apply -f - <<'EOF'\napiVersion: v1\nkind: ConfigMap\nmetadata:\n"
            "  name: catalog-db-script\n  namespace: shop\ndata:\n  create-user.sh: |\n"
            "    echo create the user\nEOF",
            "kubectl rollout status deployment/catalog-db -n shop --timeout=300s",
            "kubectl rollout restart deployment/catalog -n shop",
            "kubectl rollout status deployment/catalog -n shop --timeout=300s",
        ]

    def test_no_such_configmap(self, at):
        with pytest.raises(UsageError) as caught:
            self.fault.ground_truth(at(self.fault, "catalog", config="other"))
        assert str(caught.value) == (
            "parameter 'config' of fault 'configmap-missing': component 'catalog' mounts no "
            "ConfigMap 'other'; it mounts catalog-config"
        )


class TestDrift:
    fault = ConfigMapDrift()
    expected = "the pods' ConfigMap has all keys and fields of the manifest"

    def test_the_address_of_the_store_is_lost_by_default(self, cluster, at):
        context = at(self.fault, "catalog")
        self.fault.inject(context)
        assert cluster.get(CONFIG)["data"] == {
            "config.json": '{\n  "tracing": "front:8080",\n  "listen": "8083"\n}\n',
            "motd.txt": "welcome\n",
        }
        assert found(self.fault, context) == (
            Outcome.FAIL,
            "ConfigMap shop/catalog-config key config.json has no field store",
        )
        assert self.fault.ground_truth(context).changed == Change(
            what="data['config.json'].store", before="catalog-db:27017", after=""
        )

    @pytest.mark.parametrize(
        ("parameters", "data", "change"),
        [
            (
                {"field": "listen", "renamed_to": "Listen"},
                {**DATA, "config.json": TEXT.replace('"listen"', '"Listen"')},
                Change(what="data['config.json'].listen", before="8083", after="Listen"),
            ),
            (
                {"key": "motd.txt", "whole_key": True},
                {"config.json": TEXT},
                Change(what="data['motd.txt']", before="welcome\n", after=""),
            ),
            (
                {"key": "motd.txt", "whole_key": True, "renamed_to": "motd"},
                {"config.json": TEXT, "motd": "welcome\n"},
                Change(what="data['motd.txt']", before="welcome\n", after="motd"),
            ),
        ],
    )
    def test_other_drifts(self, cluster, at, parameters, data, change):
        context = at(self.fault, "catalog", **parameters)
        self.fault.inject(context)
        assert cluster.get(CONFIG)["data"] == data
        assert self.fault.ground_truth(context).changed == change
        assert self.fault.present(context).outcome == Outcome.FAIL
        for command in self.fault.reference_fix(context):
            assert cluster.kubectl(command).ok
        assert cluster.get(CONFIG)["data"] == DATA
        assert found(self.fault, context) == (Outcome.PASS, self.expected)

    @pytest.mark.parametrize(
        ("address", "expected"),
        [
            ("catalog-db:27017", Outcome.PASS),
            ("catalog-db.shop:27017", Outcome.PASS),
            ("catalog-db.shop.svc:27017", Outcome.PASS),
            ("catalog-db.shop.svc.cluster.local:27017", Outcome.PASS),
            ("catalog-db:27018", Outcome.FAIL),
            ("front:27017", Outcome.FAIL),
            (27017, Outcome.FAIL),
        ],
    )
    def test_repairs(self, cluster, at, address, expected):
        context = at(self.fault, "catalog")
        self.fault.inject(context)
        text = json.dumps({**json.loads(TEXT), "store": address})
        cluster.patch(CONFIG, {"data": {"config.json": text}}, "merge")
        assert self.fault.present(context).outcome == expected

    def test_a_component_without_dependencies_loses_its_first_field(self, at):
        context = at(self.fault, "catalog")
        lonely = context.component.model_copy(update={"name": "nobody"})
        context = replace(context, target=lonely)
        assert self.fault.ground_truth(context).changed.what == "data['config.json'].tracing"

    def test_reference_fix(self, at):
        content = json.dumps({"data": {"config.json": TEXT}})
        assert [str(c) for c in self.fault.reference_fix(at(self.fault, "catalog"))] == [
            f"kubectl patch configmap/catalog-config -n shop --type=merge -p '{content}'",
            "kubectl rollout restart deployment/catalog -n shop",
            "kubectl rollout status deployment/catalog -n shop --timeout=300s",
        ]

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"config": "other"}, "'config' of fault 'configmap-drift' on component 'catalog': "
                                  "component 'catalog' has no 'other'; it has catalog-config"),
            ({"key": "other"}, "'key' of fault 'configmap-drift' on component 'catalog': "
                               "ConfigMap 'catalog-config' has no 'other'; it has config.json"),
            ({"field": "other"}, "'field' of fault 'configmap-drift' on component 'catalog': key "
                                 "'config.json' has no 'other'; it has tracing, listen, store"),
        ],
    )  # fmt: skip
    def test_errors(self, at, parameters, message):
        with pytest.raises(UsageError) as caught:
            self.fault.ground_truth(at(self.fault, "catalog", **parameters))
        assert str(caught.value) == f"parameter {message}"


@pytest.mark.parametrize("fault", [ConfigMapMissing(), ConfigMapDrift()])
def test_taking_the_workload_away_is_no_repair(fault, cluster, at):
    context = at(fault, "catalog")
    cluster.patch(CATALOG, {"spec": {"replicas": 0}}, "merge")
    assert found(fault, context) == (
        Outcome.FAIL,
        "Deployment shop/catalog has spec.replicas 0",
    )
    cluster.delete(CATALOG)
    assert found(fault, context) == (Outcome.FAIL, "Deployment shop/catalog does not exist")


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"log": "x", "other": "elsewhere:1", "db": "catalog-db:27017"}, "db"),
        ({"log": "x", "other": {"addr": "elsewhere"}, "db": {"addr": "catalog-db", "port": 1}}, "db"),
        ({"log": "x", "me": {"addr": "catalog"}}, "me"),
        ({"log": "x", "other": {"addr": "elsewhere"}}, "log"),
    ],
)  # fmt: skip
def test_the_field_that_is_taken_is_one_that_is_needed(fields, field):
    catalog = FullShop().component("catalog")
    assert _vital_field(FullShop(), catalog, fields) == field
