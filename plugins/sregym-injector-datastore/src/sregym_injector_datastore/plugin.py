"""Entry point of the plugin: names its faults and imports none of them."""

from __future__ import annotations

from sregym_core import Registration, hookimpl


@hookimpl
def sregym_register_injectors() -> list[Registration]:
    """The faults of this plugin."""
    return [
        Registration(name, f"sregym_injector_datastore.{place}")
        for name, place in (
            ("broker-overrun", "brokers:BrokerOverrun"),
            ("broker-wrong", "brokers:BrokerWrong"),
            ("cache-cold", "cache_cold:CacheCold"),
            ("connections-capped", "access:ConnectionsCapped"),
            ("data-lost", "data_lost:DataLost"),
            ("lag", "lag:Lag"),
            ("failover-stuck", "replica_sets:FailoverStuck"),
            ("lock-held", "conditions:LockHeld"),
            ("mongodb-role-revoked", "mongodb_accounts:MongodbRoleRevoked"),
            ("mongodb-user-dropped", "mongodb_accounts:MongodbUserDropped"),
            ("numbers-exhausted", "numbers_exhausted:NumbersExhausted"),
            ("password-required", "access:PasswordRequired"),
            ("password-rotated", "password_rotated:PasswordRotated"),
            ("poison-record", "poison_record:PoisonRecord"),
            ("registry-stale", "registry_stale:RegistryStale"),
            ("replica-lag", "replica_sets:ReplicaLag"),
            ("replica-lost", "replica_sets:ReplicaLost"),
            ("role-revoked", "access:RoleRevoked"),
            ("schema-changed", "schema_changed:SchemaChanged"),
            ("server-mode", "conditions:ServerMode"),
            ("slow-query", "slow_query:SlowQuery"),
            ("store-overrun", "store_overrun:StoreOverrun"),
            ("store-flooded", "conditions:StoreFlooded"),
            ("user-dropped", "user_dropped:UserDropped"),
            ("tls-required", "tls_required:TlsRequired"),
        )
    ]
