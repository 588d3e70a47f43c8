"""Which kinds of workloads the faults refuse, and what they say."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_core.interfaces import Fault
from sregym_core.model import Component, ObjectRef, ServiceUse
from sregym_injector_kubernetes.builds import FanOut, ProtocolSkew
from sregym_injector_kubernetes.config_stale import ConfigStale
from sregym_injector_kubernetes.configmap_drift import ConfigMapDrift
from sregym_injector_kubernetes.configmap_missing import ConfigMapMissing
from sregym_injector_kubernetes.grace import GraceTooShort
from sregym_injector_kubernetes.image_wrong import ImageWrong
from sregym_injector_kubernetes.probes import ReadinessProbeWrong
from sregym_injector_kubernetes.replicas_zero import ReplicasZero
from sregym_injector_kubernetes.resource_limit import ResourceLimit
from sregym_injector_kubernetes.service_missing import ServiceMissing
from sregym_injector_kubernetes.service_selector import ServiceSelector
from sregym_injector_kubernetes.service_target_port import ServiceTargetPort
from sregym_injector_kubernetes.starting import CpuLimit, RunAsNonRoot
from sregym_injector_kubernetes.variables import EnvMissing, EnvWrong
from sregym_injector_kubernetes.waiting import ReadinessGate

SERVICE = ObjectRef(api_version="v1", kind="Service", namespace="shop", name="part")

CONFIG = ObjectRef(api_version="v1", kind="ConfigMap", namespace="shop", name="part")


def part(kind: str = "Deployment", **fields: Any) -> Component:
    workload = ObjectRef(api_version="v1", kind=kind, namespace="shop", name="part")
    given = {"name": "part", "namespace": "shop", "workload": workload, "container": "main"}
    return Component(**{**given, "image": "acme/part:1", **fields})


def custom(**fields: Any) -> Component:
    made = ObjectRef(api_version="apps/v1", kind="StatefulSet", namespace="shop", name="part-0")
    return part("Ledger", workloads=(made,), **fields)


@pytest.mark.parametrize(
    ("fault", "component", "reason"),
    [
        (ImageWrong(), part("CronJob"), ""),
        (ImageWrong(), part("Job"), ""),
        (ImageWrong(), part("Pod"), ""),
        (
            ImageWrong(),
            custom(),
            "the operator of Ledger puts back what is changed in the workloads that it makes",
        ),
        (
            ImageWrong(),
            part().model_copy(update={"kind": "load"}),
            "it is the load generator, which stands for users",
        ),
        (ReplicasZero(), part("StatefulSet"), ""),
        (ReplicasZero(), part("DaemonSet"), "a DaemonSet has no replicas"),
        (ReplicasZero(), part("Job"), "a Job has no replicas"),
        (ReplicasZero(), part(replicas=0), "it has no replicas to begin with"),
        (ResourceLimit(), part("CronJob"), ""),
        (
            ResourceLimit(),
            part(containers=({"name": "main", "kind": "init", "image": "acme/part:1"},)),
            "an init container ends before anything needs its memory",
        ),
        (
            CpuLimit(),
            part(containers=({"name": "main", "kind": "init", "image": "acme/part:1"},)),
            "an init container ends before anything needs its processor",
        ),
        (CpuLimit(), part(), ""),
        (
            EnvMissing(),
            part(env={"SUFFIX": ".shop.svc.cluster.local"}, defaults={"SUFFIX": ""}),
            "its program takes the same of itself for all that its variables say of places",
        ),
        (
            EnvMissing(),
            part(env={"SUFFIX": ".mall.svc.cluster.local"}, defaults={"SUFFIX": ""}),
            "",
        ),
        (RunAsNonRoot(), part(), ""),
        (
            RunAsNonRoot(),
            part(containers=({"name": "main", "image": "acme/part:1", "user": 999},)),
            "it runs as user 999, who is not root",
        ),
        *(
            (fault, part(env={"MODE": "fast"}), "no variable of it says where something is")
            for fault in (EnvMissing(), EnvWrong())
        ),
        *(
            (fault, part(env={"GEO_ADDR": "geo:80"}, defaults=defaults), reason)
            for fault, defaults, reason in (
                (EnvMissing(), None, ""),
                (EnvMissing(), {"GEO_ADDR": None}, ""),
                (EnvMissing(), {"GEO_ADDR": "localhost:80"}, ""),
                (
                    EnvMissing(),
                    {"GEO_ADDR": "geo:80"},
                    "its program takes the same of itself for all that its variables say of places",
                ),
                (EnvWrong(), {"GEO_ADDR": "geo:80"}, ""),
                (
                    EnvWrong(),
                    {"MODE": "fast"},
                    "its program reads none of the variables that say where something is",
                ),
            )
        ),
        (ReadinessGate(), part(), "no Service leads to it, so nobody asks if it is ready"),
        (ReadinessGate(), part(service=SERVICE), ""),
        *(
            (
                fault,
                part(service=SERVICE, registered=True),
                "its callers find its addresses in a registry, which does not ask if it is ready",
            )
            for fault in (ReadinessGate(), ReadinessProbeWrong())
        ),
        (FanOut(), part(), "no fanning-out build of its image is known"),
        (FanOut(), part(builds={"fanning-out": "acme/part:2"}), ""),
        (ProtocolSkew(), part(), "no skewed build of its image is known"),
        (GraceTooShort(), part(), ""),
        (GraceTooShort(), part("Job"), "a Job ends by itself: there is nothing to restart"),
        (ConfigStale(), part(), "none of its settings is a timeout that a ConfigMap gives it"),
        (
            ConfigStale(),
            part(settings=({"name": "TIMEOUT", "role": "timeout"},)),
            "none of its settings is a timeout that a ConfigMap gives it",
        ),
        (
            ConfigStale(),
            part(
                settings=({"name": "TIMEOUT", "role": "timeout"},),
                config=({"source": CONFIG, "keys": ("TIMEOUT",)},),
            ),
            "",
        ),
        (ConfigMapMissing(), part(), "it mounts no ConfigMap that it needs"),
        (ConfigMapMissing(), part("Job"), "a Job ends by itself: there is nothing to restart"),
        (ConfigMapDrift(), part("Pod"), "a Pod has no rollout: there is nothing to restart"),
        (ConfigMapDrift(), part(), "it mounts no ConfigMap with a JSON text"),
        (ServiceMissing(), part("Job"), "no Service leads to it"),
        (ServiceMissing(), part("Job", service=SERVICE), ""),
        (
            ServiceMissing(),
            custom(service=SERVICE, services=(ServiceUse(ref=SERVICE, made=True),)),
            "the operator of Ledger puts its Service back",
        ),
        (ServiceSelector(), part(service=SERVICE), "its Service has no selector"),
        (ServiceTargetPort(), part(service=SERVICE), "its Service has no ports"),
        (
            ServiceTargetPort(),
            part(service=SERVICE, services=(ServiceUse(ref=SERVICE, headless=True),)),
            "its Service is headless: clients dial the pods' own ports",
        ),
    ],
)
def test_what_does_not_fit_and_why(fault: Fault, component: Component, reason: str) -> None:
    assert (fault.mismatch_reason(component), fault.fits(component)) == (reason, not reason)


@pytest.mark.parametrize(
    ("kind", "millicores", "reason"),
    [
        ("service", 0.5, ""),
        ("cache", 3.0, ""),
        ("cache", 0.55, "requests take 0.6m of a processor there, and 4m is enough"),
    ],
)
def test_a_limit_beyond_what_requests_take_fits_and_is_hardly_noticed(
    kind: str, millicores: float, reason: str
) -> None:
    component = part(millicores=(millicores, millicores)).model_copy(update={"kind": kind})
    assert CpuLimit().fits(component)
    assert CpuLimit().unnoticed(component) == reason
