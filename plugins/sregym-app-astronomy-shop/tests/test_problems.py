from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from sregym_app_astronomy_shop.fulfillment.application import AstronomyShopFulfillment
from sregym_app_astronomy_shop.replicated import AstronomyShopReplicated
from sregym_app_astronomy_shop.reviews.application import AstronomyShopReviews
from sregym_core.problems import parse_problem

if TYPE_CHECKING:
    from sregym_app_astronomy_shop.application import AstronomyShop

FOLDER = files("sregym_app_astronomy_shop") / "problems"


def test_problems_and_what_they_break(shop: AstronomyShop) -> None:
    problems = {
        file.name: parse_problem(file.read_text(encoding="utf-8"), file.name)
        for file in sorted(FOLDER.iterdir(), key=lambda file: file.name)
    }
    broken = {
        problem.id: [(fault.fault, fault.target) for fault in problem.faults]
        for problem in problems.values()
    }

    assert list(problems) == [f"{problem.id}.yaml" for problem in problems.values()]
    assert {
        tuple(name for name in problem.suites if name not in ("upstream-lite", "hard"))
        for problem in problems.values()
    } == {("astronomy-shop",)}
    assert broken == {
        "astronomy_shop_ad_service_failure": [("flag-flipped", "flagd")],
        "astronomy_shop_ad_service_high_cpu": [("flag-flipped", "flagd"), ("cpu-limit", "ad")],
        "astronomy_shop_ad_service_manual_gc": [("flag-flipped", "flagd")],
        "astronomy_shop_ad_service_image_slow_load": [("flag-flipped", "flagd")],
        "astronomy_shop_cart_service_failure": [("flag-flipped", "flagd")],
        "astronomy_shop_email_memory_leak": [("flag-flipped", "flagd")],
        "astronomy_shop_failed_readiness_probe": [("flag-flipped", "flagd")],
        "astronomy_shop_payment_service_failure": [("flag-flipped", "flagd")],
        "astronomy_shop_payment_service_unreachable": [("flag-flipped", "flagd")],
        "astronomy_shop_product_catalog_service_failure": [("flag-flipped", "flagd")],
        "astronomy_shop_recommendation_cache_failure": [("flag-flipped", "flagd")],
        "loadgenerator_flood_homepage": [("flag-flipped", "flagd")],
        "cart_store_demands_a_replica": [("server-mode", "valkey-cart")],
        "last_step_of_a_migration": [("schema-changed", "postgresql")],
        "carts_nobody_can_reach": [("failover-stuck", "valkey-cart")],
        "carts_that_stay_as_they_are": [("replica-lost", "valkey-cart")],
        "orders_that_no_standby_has": [("replica-lost", "postgresql")],
        "standbys_that_wait_for_somebody": [("replica-lag", "postgresql")],
        "one_of_three_catalogues": [("gray-replica", "product-catalog")],
        "integer_overflow_primary_key_astronomy_shop": [("numbers-exhausted", "postgresql")],
        "restart_takes_the_catalog": [
            ("configmap-missing", "postgresql"),
            ("lock-held", "postgresql"),
        ],
        "catalog_behind_a_busy_disk": [("disk-slow", "the node that runs postgresql")],
        "way_too_narrow_for_the_shop": [("node-link-narrow", "the node that runs product-catalog")],
        "scaler_that_came_back": [("actor-recurring", "shipping")],
        "verifier_of_configuration": [("actor-recurring", "checkout")],
        "cart_store_full": [("store-flooded", "valkey-cart")],
        "catalog_rights_revoked": [("role-revoked", "postgresql")],
        "catalog_role_without_connections": [("connections-capped", "postgresql")],
        "duplicate_pvc_mounts_astronomy_shop": [("claim-shared", "frontend")],
        "edge_request_filter_cpu_saturation": [("hot-path", "frontend-proxy")],
        "env_variable_shadowing_astronomy_shop": [("env-shadowed", "frontend-proxy")],
        "incorrect_image": [("image-wrong", "product-catalog")],
        "incorrect_port_assignment": [("env-wrong", "checkout")],
        "init_container_dependency_hang_astronomy_shop": [("init-hang", "frontend")],
        "internal_traffic_policy_local_astronomy_shop": [("traffic-policy", "recommendation")],
        "kafka_producer_leak": [("broker-overrun", "kafka")],
        "kafka_queue_problems": [("flag-flipped", "flagd")],
        "kubelet_crash": [("node-kubelet-stopped", "the node that runs frontend")],
        "kubelet_eviction_threshold_misconfig": [
            ("node-disk-threshold", "the node that runs postgresql")
        ],
        "liveness_probe_misconfiguration_astronomy_shop": [("liveness-probe-wrong", "frontend")],
        "liveness_probe_too_aggressive_astronomy_shop": [("probe-impatient", "postgresql")],
        "missing_env_variable_astronomy_shop": [("env-missing", "frontend")],
        "missing_service_astronomy_shop": [("service-missing", "ad")],
        "orders_ever_older": [("lag", "order-stream")],
        "rules_beyond_a_limit": [("config-oversized", "currency")],
        "rbac_misconfiguration": [("rbac-missing", "frontend")],
        "postgres_lock_contention_product_catalog": [("lock-held", "postgresql")],
        "readiness_probe_misconfiguration_astronomy_shop": [("readiness-probe-wrong", "frontend")],
        "secret_rotation_stale_env_credentials_astronomy_shop": [
            ("password-rotated", "postgresql")
        ],
        "service_dns_resolution_failure_astronomy_shop": [("dns-name-poisoned", "frontend")],
        "service_port_conflict_astronomy_shop": [("host-port", "ad")],
        "sidecar_port_conflict_astronomy_shop": [("sidecar-port", "frontend")],
        "stale_coredns_config_astronomy_shop": [("dns-zone-broken", "the cluster")],
        "stale_hostaliases_dns_poisoning_astronomy_shop": [("host-aliases", "frontend-proxy")],
        "unschedulable_incorrect_port_assignment": [
            ("env-wrong", "checkout"),
            ("node-selector", "checkout"),
        ],
        "kafka_poison_pill_hol_block": [("poison-record", "orders-validator")],
        "valkey_auth_disruption": [("password-required", "valkey-cart")],
        "valkey_memory_disruption": [("store-overrun", "valkey-cart")],
        "valkey_memory_disruption_missing_env_var_incorrect_port": [
            ("store-overrun", "valkey-cart"),
            ("env-missing", "frontend"),
            ("env-wrong", "checkout"),
        ],
        "wrong_dns_policy_astronomy_shop": [("dns-policy", "frontend")],
        "workload_imbalance": [("proxy-stale", "frontend")],
        "wrong_service_selector_astronomy_shop": [("service-selector", "frontend")],
    }
    named = {
        (problem.application, name)
        for problem in problems.values()
        for f in problem.faults
        for name in f.components
    }
    variants = (AstronomyShopFulfillment(), AstronomyShopReplicated(), AstronomyShopReviews())
    applications = {one.name: one for one in (shop, *variants)}
    assert all(applications[name].component(part) is not None for name, part in named)
