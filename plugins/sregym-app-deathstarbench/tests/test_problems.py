from __future__ import annotations

from importlib.resources import files

from sregym_app_deathstarbench.hotel_reservation import HotelReservation
from sregym_app_deathstarbench.hotel_reservation.aggregated import HotelReservationAggregated
from sregym_app_deathstarbench.hotel_reservation.behind_ingress import HotelReservationIngress
from sregym_app_deathstarbench.media_microservices import MediaMicroservices
from sregym_app_deathstarbench.social_network import SocialNetwork
from sregym_app_deathstarbench.social_network.replicated import SocialNetworkReplicated
from sregym_app_deathstarbench.tiers import (
    HotelReservationReplicated,
    SocialNetworkReplicatedTier,
)
from sregym_core.problems import parse_problem

FOLDER = files("sregym_app_deathstarbench") / "problems"


def test_problems_of_upstream_and_what_they_break() -> None:
    problems = {
        file.name: parse_problem(file.read_text(encoding="utf-8"), file.name)
        for file in sorted(FOLDER.iterdir(), key=lambda file: file.name)
    }
    broken = {
        problem.id: [(fault.fault, fault.target) for fault in problem.faults]
        for problem in problems.values()
        if problem.upstream
    }

    assert list(problems) == [f"{problem.id}.yaml" for problem in problems.values()]
    assert {
        tuple(name for name in problem.suites if name not in ("upstream-lite", "hard"))
        for problem in problems.values()
    } == {
        ("lite", "hotel-reservation"),
        ("hotel-reservation",),
        ("social-network",),
        ("media-microservices",),
        ("social-network", "hotel-reservation"),
    }
    assert [problem.id for problem in problems.values() if problem.silent] == [
        "cronjob_sidecar_blocks_completion_hotel_reservation",
        "duplicate_pvc_mounts_hotel_reservation",
        "duplicate_pvc_mounts_social_network",
        "ended_in_the_middle",
        "finalizer_deadlock_controller_hotel_reservation",
        "hpa_missing_effective_cpu_request_hotel_reservation",
        "missing_configmap_social_network",
        "pod_anti_affinity_deadlock",
    ]
    assert broken == {
        "admission_webhook_outage_hotel_reservation": [("webhook-down", "geo")],
        "admission_webhook_tls_mismatch_hotel_reservation": [("webhook-ca", "recommendation")],
        "assign_to_non_existent_node": [("node-selector", "user-service")],
        "auth_miss_mongodb": [("tls-required", "url-shorten-mongodb")],
        "cfs_cpu_throttling_hotel_reservation": [("cpu-limit", "search")],
        "configmap_drift_hotel_reservation": [("configmap-drift", "geo")],
        "cronjob_sidecar_blocks_completion_hotel_reservation": [("job-backlog", "reservation")],
        "cumulative_admission_webhook_timeout_hotel_reservation": [
            ("webhook-slow", "recommendation")
        ],
        "dev_shm_exhaustion_hotel_reservation": [("room-missing", "search")],
        "duplicate_pvc_mounts_hotel_reservation": [("claim-shared", "search")],
        "duplicate_pvc_mounts_social_network": [("claim-shared", "user-service")],
        "ephemeral_port_range_hotel_reservation": [
            (
                "pod-sysctl",
                "frontend, geo, profile, rate, recommendation, reservation, search, user",
            )
        ],
        "file_descriptor_exhaustion": [
            ("open-files-limited", "the cluster"),
            ("connections-held", "hotel-load"),
        ],
        "expired_tls_hotel_reservation": [("certificate", "frontend")],
        "faulty_image_correlated": [
            (
                "image-incompatible",
                "frontend, geo, profile, rate, recommendation, reservation, search, user",
            )
        ],
        "finalizer_deadlock_controller_hotel_reservation": [("controller-down", "reservation")],
        "feature_flag_latent_bug_hotel_reservation": [("flag-flipped", "frontend")],
        "hpa_missing_effective_cpu_request_hotel_reservation": [
            ("autoscaler-wrong", "recommendation")
        ],
        "ingress_misroute": [("ingress-wrong", "frontend")],
        "init_container_dependency_hang_hotel_reservation": [("init-hang", "frontend")],
        "init_container_dependency_hang_social_network": [("init-hang", "user-service")],
        "latent_sector_error": [("khaos-latent-sector-error", "the node that runs mongodb-rate")],
        "k8s_target_port-misconfig": [("service-target-port", "user-service")],
        "liveness_probe_misconfiguration_hotel_reservation": [
            ("liveness-probe-wrong", "recommendation")
        ],
        "liveness_probe_misconfiguration_social_network": [
            ("liveness-probe-wrong", "user-service")
        ],
        "liveness_probe_too_aggressive_hotel_reservation": [("probe-impatient", "mongodb-rate")],
        "liveness_probe_too_aggressive_social_network": [("probe-impatient", "user-mongodb")],
        "misconfig_app_hotel_res": [("buggy-build", "geo")],
        "missing_configmap_hotel_reservation": [("configmap-missing", "mongodb-geo")],
        "missing_configmap_social_network": [("configmap-missing", "media-mongodb")],
        "missing_service_hotel_reservation": [("service-missing", "mongodb-rate")],
        "missing_service_social_network": [("service-missing", "user-service")],
        "mutating_webhook_resource_limits_social_network": [("webhook-mutates", "nginx-thrift")],
        "nightly_rebalance_oom_hotel_reservation": [("actor-recurring", "recommendation")],
        "namespace_memory_limit": [("namespace-policy", "search")],
        "persistent_volume_affinity_violation": [("volume-elsewhere", "user-service")],
        "network_policy_block": [("policy-deny", "recommendation")],
        "calico_route_reflector_label_drift_hotel_reservation": [("routes-lost", "the cluster")],
        "node_clock_drift_hotel_reservation": [
            ("node-clock-ahead", "the node that runs hotel-load")
        ],
        "pod_cidr_exhaustion_hotel_reservation": [("addresses-exhausted", "the cluster")],
        "node_conntrack_exhaustion_hotel_reservation": [
            ("node-conntrack-filled", "the node that runs frontend")
        ],
        "pod_anti_affinity_deadlock": [("spread-impossible", "user-service")],
        "priority_preemption_cascade_hotel_reservation": [("preemption", "rate")],
        "psa_restricted_blocks_recreation_hotel_reservation": [("namespace-policy", "rate")],
        "pvc_claim_mismatch": [
            (
                "claim-missing",
                "mongodb-geo, mongodb-profile, mongodb-rate, mongodb-recommendation, "
                "mongodb-reservation, mongodb-user",
            )
        ],
        "port_misconfig_revoke_auth_wrong_svc_selector": [
            ("service-target-port", "user-service"),
            ("mongodb-role-revoked", "mongodb-geo"),
            ("service-selector", "checkout"),
        ],
        "readiness_probe_misconfiguration_hotel_reservation": [
            ("readiness-probe-wrong", "frontend")
        ],
        "readiness_probe_misconfiguration_social_network": [
            ("readiness-probe-wrong", "user-service")
        ],
        "resource_request_too_large": [("request-too-large", "mongodb-rate")],
        "resource_request_too_small": [("resource-limit", "mongodb-rate")],
        "revoke_auth_mongodb-1": [("mongodb-role-revoked", "mongodb-geo")],
        "revoke_auth_mongodb-2": [("mongodb-role-revoked", "mongodb-rate")],
        "rolling_update_misconfigured_hotel_reservation": [("rollout-strategy", "profile")],
        "rolling_update_misconfigured_social_network": [("rollout-strategy", "user-service")],
        "scale_pod_zero_social_net": [("replicas-zero", "user-service")],
        "cpu_clocksource_failure": [
            ("khaos-cpu-clocksource-failure", "the node that runs mongodb-reservation")
        ],
        "dns_resolver_hardware_failure": [("khaos-getaddrinfo-fail", "the node that runs search")],
        "dram_module_failure": [("khaos-dram-module-failure", "the node that runs mongodb-rate")],
        "mmu_page_protection_failure": [
            ("khaos-mmu-page-protection-failure", "the node that runs mongodb-rate")
        ],
        "network_interface_link_down": [
            ("khaos-network-interface-link-down", "the node that runs mongodb-rate")
        ],
        "hotel_res_concurrent_fault": [
            ("buggy-build", "geo"),
            ("mongodb-role-revoked", "mongodb-rate"),
            ("mongodb-user-dropped", "mongodb-geo"),
        ],
        "nic_packet_corruption": [("khaos-nic-packet-corruption", "the node that runs search")],
        "port_misconfig_misconfig_hotelres_missing_env_var": [
            ("service-target-port", "user-service"),
            ("buggy-build", "geo"),
            ("env-missing", "checkout"),
        ],
        "storage_controller_read_failure": [
            ("khaos-storage-controller-read-failure", "the node that runs mongodb-rate")
        ],
        "storage_write_failure": [
            ("khaos-storage-write-failure", "the node that runs mongodb-reservation")
        ],
        "top_of_rack_router_failure_hotel_reservation": [
            ("node-cut-off", "the node that runs recommendation")
        ],
        "silent_data_corruption": [("corruption", "the node that runs mongodb-geo")],
        "social_net_concurrent_fault": [
            ("node-selector", "user-service"),
            ("tls-required", "url-shorten-mongodb"),
            ("probe-impatient", "user-mongodb"),
        ],
        "search_rate_retry_collapse_hotel_reservation": [
            ("limits-wrong", "rate"),
            ("retry-policy", "search"),
        ],
        "service_port_conflict_hotel_reservation": [("host-port", "frontend")],
        "service_port_conflict_social_network": [("host-port", "user-service")],
        "sidecar_port_conflict_hotel_reservation": [("sidecar-port", "frontend")],
        "sidecar_port_conflict_social_network": [("sidecar-port", "user-service")],
        "service_dns_resolution_failure_social_network": [("dns-name-poisoned", "user-service")],
        "service_wrong_pod_selection_hotel_reservation": [("service-selector-wide", "frontend")],
        "stale_coredns_config_social_network": [("dns-zone-broken", "the cluster")],
        "storage_user_unregistered-1": [("mongodb-user-dropped", "mongodb-geo")],
        "storage_user_unregistered-2": [("mongodb-user-dropped", "mongodb-rate")],
        "taint_no_toleration_social_network": [("taint", "user-service")],
        "update_incompatible_correlated": [
            (
                "image-incompatible",
                "mongodb-geo, mongodb-profile, mongodb-rate, mongodb-recommendation, "
                "mongodb-reservation, mongodb-user",
            )
        ],
        "wrong_bin_usage": [("command-wrong", "profile")],
        "wrong_dns_policy_hotel_reservation": [("dns-policy", "profile")],
        "wrong_dns_policy_social_network": [("dns-policy", "user-service")],
        **{
            f"wrong_service_selector_{application}{tier}": [("service-selector", target)]
            for application, target in (
                ("hotel_reservation", "frontend"),
                ("social_network", "user-service"),
            )
            for tier in ("", "_single", "_replicated", "_expanded")
        },
    }


def test_targets_are_components() -> None:
    hotels = (HotelReservation, HotelReservationAggregated, HotelReservationIngress)
    tiers = (HotelReservationReplicated, SocialNetworkReplicatedTier)
    kinds = (*hotels, *tiers, SocialNetwork, SocialNetworkReplicated, MediaMicroservices)
    applications = {kind.name: kind() for kind in kinds}
    for file in FOLDER.iterdir():
        problem = parse_problem(file.read_text(encoding="utf-8"), file.name)
        # What spans the applications of several distributions is tried where all are installed.
        for name in (name for fault in problem.faults for name in fault.components):
            if problem.application in applications:
                assert applications[problem.application].component(name) is not None
