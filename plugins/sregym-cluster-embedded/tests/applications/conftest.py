"""A shop of three services and a database, run by the runtime alone: no API server, no kubelet."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sregym_apps.model import ServiceModel, parse_service_model
from sregym_cluster_embedded.kubelet.runtime import Mount
from sregym_cluster_embedded.sdk.testing import ContainerTestbed

CONFORMANCE = Path(__file__).resolve().parents[4] / "tests" / "conformance"
IMAGES = (CONFORMANCE / "images.yaml").read_text(encoding="utf-8")
SHOP = """
application: shop
images:
  - repository: ghcr.io/acme/shop
    tags: ["1.0"]
    size_mib: 48
    working_dir: /app
    env: {PATH: "/app/bin:/bin"}
    files: {config.json: '{"StockPort": "8081", "StockMongoAddress": "mongodb-stock:27017"}'}
    binaries: {/app/bin/web: web, /app/bin/stock: stock, /app/bin/price: price}
    tools: [busybox, curl]
  - repository: mongo
    tags: ["4.4.6"]
    size_mib: 160
    entrypoint: [docker-entrypoint.sh]
    cmd: [mongod]
    binaries: {/usr/local/bin/docker-entrypoint.sh: mongod, /usr/bin/mongod: mongod}
    tools: [debian, mongo]
  - repository: ghcr.io/acme/load
    tags: ["1.0"]
    size_mib: 10
    entrypoint: [/load]
    binaries: {/load: load}
    tools: [busybox]
programs:
  web:
    log: {format: zerolog-console}
    config:
      stock: {env: STOCK_ADDR}
      price: {env: PRICE_ADDR, default: "price:8082"}
    memory: {base_mib: 20, per_rps_kib: 20}
    sigterm: {code: 0, log: [stopping]}
    startup:
      - require: [stock]
        on_failure: {log: [{level: fatal, text: "missing ${key}"}], code: 1}
      - listen: http
      - log: listening
    listeners: {http: {protocol: http, port: 8080}}
    clients:
      stock: {protocol: grpc, address: "${stock}", timeout_s: 1}
      price: {protocol: grpc, address: "${price}", timeout_s: 1}
    operations:
      buy:
        listener: http
        route: GET /buy
        cpu_ms: 0.4
        answer: {body: "sold\\n"}
        calls:
          - parallel:
              - call: price.Quote
                on_error: {log: [{level: error, text: "quote: ${error}"}]}
              - call: stock.Reserve
                on_error: {log: [{level: error, text: "reserve: ${error}"}]}
      healthz: {listener: http, route: GET /healthz, answer: {body: ok}}
  price:
    startup: [{listen: grpc}]
    listeners: {grpc: {protocol: grpc, port: 8082}}
    operations: {Quote: {listener: grpc, cpu_ms: 0.1}}
  stock:
    log: {format: zerolog-console}
    config:
      port: {file: config.json, key: StockPort, type: integer, default: 8081}
      mongo: {file: config.json, key: StockMongoAddress, default: ""}
    startup:
      - log: Reading config...
      - read: config.json
        on_failure: {log: [{level: error, text: "config: ${error}"}], then: continue}
      - dial: mongo
        timeout_s: 10
        on_failure: {log: [{level: panic, text: "${error}"}], code: 2}
      - {seed: mongo.items, documents: 80}
      - listen: grpc
      - log: serving
    listeners: {grpc: {protocol: grpc, port: "${port}"}}
    clients:
      mongo:
        {protocol: mongodb, address: "${mongo}", user: admin, password: secret, database: stock-db}
    operations:
      Reserve:
        listener: grpc
        cpu_ms: 0.3
        calls:
          - call: mongo.find
            collection: items
            on_error: {log: [{level: error, text: "find: ${error}"}]}
  mongod: {kind: mongodb, benign_errors: none, version: 4.4.6}
  load:
    kind: load-generator
    target: http://web:8080
    rate: 100
    mix:
      buy: {request: GET /buy, weight: 1}
"""

INIT = """mongo admin --quiet --eval "db.createUser({user: 'admin', pwd: '$APP_PASSWORD', roles: [{role: 'readWrite', db: 'stock-db'}]})"
"""


@dataclass
class Shop(ContainerTestbed):
    """A world with the shop's images, and hands to start its containers."""

    def mongo(
        self, expression: str, user: str = "root", password: str = "root"
    ) -> tuple[int, str, str]:
        words = ("mongo", "admin", "--quiet", "-u", user, "-p", password)
        ref = self.ref("mongodb-stock")
        result = self.runtime.exec(self.world, ref, (*words, "--eval", expression), "")
        return result.exit_code, result.stdout, result.stderr

    def open(self, parts: Iterable[str] = ("mongo", "stock", "price", "web", "load")) -> None:
        for part in parts:
            getattr(self, f"start_{part}")()
            self.run(5)
        self.run(5)

    def start_mongo(self) -> None:
        scripts = Mount("files", "scripts", {"user.sh": INIT}, ("configmaps", "scripts"))
        self.name("mongodb-stock", "1")
        env = {"MONGO_INITDB_ROOT_USERNAME": "root", "MONGO_INITDB_ROOT_PASSWORD": "root"}
        mounts = {"/data/db": Mount("volume", "claim-1"), "/docker-entrypoint-initdb.d": scripts}
        self.start(
            "mongodb-stock",
            "mongo:4.4.6",
            "1",
            env={**env, "APP_PASSWORD": "secret"},
            mounts=mounts,
        )

    def start_stock(self) -> None:
        self.name("stock", "2")
        self.start("stock", "ghcr.io/acme/shop:1.0", "2", command=("stock",))

    def start_price(self) -> None:
        self.name("price", "3")
        self.start("price", "ghcr.io/acme/shop:1.0", "3", command=("price",))

    def start_web(self) -> None:
        self.name("web", "4")
        env = {"STOCK_ADDR": "stock:8081"}
        self.start("web", "ghcr.io/acme/shop:1.0", "4", command=("web",), env=env)

    def start_box(self, *command: str, **fields: Any) -> None:
        image = "registry.example/library/busybox:1.36"
        self.start("box", image, "6", command=command, **fields)

    def start_load(self) -> None:
        self.start("load", "ghcr.io/acme/load:1.0", "5")


@pytest.fixture(scope="session")
def shop_model() -> ServiceModel:
    return parse_service_model(SHOP, "application.yaml")


@pytest.fixture(scope="session")
def shop_text() -> str:
    return SHOP


@pytest.fixture(scope="session")
def make_shop() -> Callable[..., Shop]:
    return lambda text=SHOP: Shop.of(text, IMAGES)


@pytest.fixture
def shop() -> Shop:
    return Shop.of(SHOP, IMAGES)


@pytest.fixture
def open_shop(shop: Shop) -> Shop:
    shop.open()
    return shop
