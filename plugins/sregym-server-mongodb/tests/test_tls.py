"""TLS of a mongod: modes from its command line and its file, and clients who do not come to terms with it."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, NamedTuple

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from sregym_cluster_embedded.sdk.exporters import instances
from sregym_cluster_embedded.sdk.testing import Mount
from sregym_server_mongodb.server_log import background

MODEL = """
application: shelf
images:
  - repository: mongo
    tags: ["4.4"]
    size_mib: 160
    entrypoint: [docker-entrypoint.sh]
    cmd: [mongod]
    binaries: {/usr/local/bin/docker-entrypoint.sh: mongod, /usr/bin/mongod: mongod}
    tools: [debian, mongo, mongosh]
  - {repository: shelf/api, tags: ["1"], size_mib: 20, cmd: [/api], binaries: {/api: api}, tools: [busybox]}
programs:
  mongod: {kind: mongodb, version: 4.4.6}
  api:
    config: {tls: {flag: tls, default: disable}}
    startup:
      - dial: mongo
        on_failure: {then: retry, every_s: 60, log: [{raw: true, text: "${error}"}]}
      - log: {raw: true, text: connected}
    clients:
      mongo: {protocol: mongodb, library: LIBRARY, address: "mongodb:27017", tls: "${tls}", trusted: /tls/ca.crt, certificate: /tls/own.pem}
"""
_FORM = serialization.PrivateFormat.TraditionalOpenSSL
SINCE = datetime(2020, 1, 1, tzinfo=UTC)
NAMES = ("mongodb", "mongodb.shelf.svc")


class Signer(NamedTuple):
    name: x509.Name
    key: ec.EllipticCurvePrivateKey

    def signs(self, owner: str, *names: str, until: int = 2090, ca: bool = False) -> str:
        """A certificate with its key; its own where the names are the same."""
        key = self.key if ca else ec.derive_private_key(len(owner) + 77, ec.SECP256R1())
        built = (
            x509.CertificateBuilder()
            .subject_name(named(owner))
            .issuer_name(self.name)
            .public_key(key.public_key())
            .serial_number(until)
            .not_valid_before(SINCE)
            .not_valid_after(datetime(until, 1, 1, tzinfo=UTC))
        )
        if names:
            alternatives = x509.SubjectAlternativeName([x509.DNSName(name) for name in names])
            built = built.add_extension(alternatives, critical=False)
        shown = built.sign(self.key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
        plain = key.private_bytes(serialization.Encoding.PEM, _FORM, serialization.NoEncryption())
        return shown.decode() + plain.decode()


def named(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


CA = Signer(named("shelf-ca"), ec.derive_private_key(5, ec.SECP256R1()))
OTHER = Signer(named("other-ca"), ec.derive_private_key(6, ec.SECP256R1()))
AUTHORITY = CA.signs("shelf-ca", ca=True)
GOOD = CA.signs("mongodb", *NAMES)


def configured(mode: str, *more: str) -> str:
    lines = (
        "net:",
        "  tls:",
        f"    mode: {mode}",
        "    certificateKeyFile: /tls/server.pem",
        *more,
    )
    return "\n".join(lines) + "\n"


@pytest.fixture
def begin(make_shop: Callable[..., Any]) -> Callable[..., Any]:
    def start(
        text: str, shown: str = GOOD, *, tls: str = "", own: str = "", trusted: str = AUTHORITY,
        library: str = "mongo-c", arguments: tuple[str, ...] = ("mongod", "--config", "/etc/mongod.conf"),
    ) -> Any:  # fmt: skip
        shop = make_shop(MODEL.replace("LIBRARY", library))
        shop.name("mongodb", "9")
        mounts = {
            "/etc/mongod.conf": Mount("files", "c", {"mongod.conf": text}, sub_path="mongod.conf"),
            "/tls": Mount(
                "files", "s", {"server.pem": shown, "ca.crt": AUTHORITY} if shown else {}
            ),
        }
        shop.start("mongodb", "mongo:4.4", "9", args=list(arguments), mounts=mounts)
        shop.run(8)
        files = {"ca.crt": trusted, **({"own.pem": own} if own else {})}
        words = ["/api", *((f"--tls={tls}",) if tls else ())]
        shop.start(
            "api", "shelf/api:1", "10", args=words, mounts={"/tls": Mount("files", "t", files)}
        )
        shop.run(4)
        return shop

    return start


def told(shop: Any) -> list[dict[str, Any]]:
    """The lines of the server's log that follow from its life, oldest first."""
    ref = shop.ref("mongodb")
    instance = next(one for one in instances(shop.world) if one.ref == ref)
    lines = background(shop.world, instance, instance.process.behaviour, 0.0, shop.world.now + 1)
    return [json.loads(line.text) for line in sorted(lines)]


def broken(shop: Any) -> list[str]:
    """What the server says of connections that ended before a word was said."""
    return [line["attr"]["error"]["errmsg"] for line in told(shop) if line["id"] == 22988]


CLOSED = "No suitable servers found (`serverSelectionTryOnce` set): [connection closed calling ismaster on 'mongodb:27017']"
FAILED = "No suitable servers found (`serverSelectionTryOnce` set): [TLS handshake failed: {} calling ismaster on 'mongodb:27017']"
ONLY = "The server is configured to only allow SSL connections"
ALERT = "error:14094412:SSL routines:ssl3_read_bytes:sslv3 alert bad certificate"
DEMANDS_OWN = ("    CAFile: /tls/ca.crt",)


@pytest.mark.parametrize(
    ("text", "given", "client", "server"),
    [
        (configured("disabled"), {}, "connected", []),
        (configured("allowTLS"), {}, "connected", []),
        (configured("preferTLS"), {"tls": "verify-full"}, "connected", []),
        (configured("requireTLS"), {}, CLOSED, [ONLY]),
        (configured("requireTLS"), {"tls": "prefer"}, "connected", []),
        (configured("requireTLS"), {"tls": "true"}, "connected", []),
        ("net: {ssl: {mode: requireSSL, PEMKeyFile: /tls/server.pem}}", {}, CLOSED, [ONLY]),
        (configured("disabled"), {"tls": "require"}, CLOSED, ["SSL handshake received but server is started without SSL support"]),
        (configured("requireTLS"), {"tls": "true", "shown": CA.signs("mongodb", *NAMES, until=2021)}, FAILED.format("certificate has expired"), [ALERT]),
        (configured("requireTLS"), {"tls": "true", "shown": CA.signs("mongodb", "db.shop.svc")}, FAILED.format("no name matches mongodb"), [ALERT]),
        (configured("requireTLS"), {"tls": "verify-ca", "shown": CA.signs("mongodb", "db.shop.svc")}, "connected", []),
        (configured("requireTLS"), {"tls": "true", "shown": OTHER.signs("mongodb", *NAMES)}, FAILED.format("unable to get local issuer certificate"), [ALERT]),
        (configured("requireTLS"), {"tls": "require", "shown": OTHER.signs("mongodb", *NAMES)}, "connected", []),
        (configured("requireTLS", *DEMANDS_OWN), {"tls": "true"}, CLOSED, ["no SSL certificate provided by peer; connection rejected"]),
        (configured("requireTLS", *DEMANDS_OWN), {"tls": "true", "own": CA.signs("api", "api")}, "connected", []),
        (configured("requireTLS", *DEMANDS_OWN), {"tls": "true", "own": OTHER.signs("api", "api")}, CLOSED, ["x509: certificate signed by unknown authority"]),
        (configured("requireTLS", *DEMANDS_OWN, "    allowConnectionsWithoutCertificates: true"), {"tls": "true"}, "connected", []),
    ],
)  # fmt: skip
def test_who_is_let_in(
    begin: Callable[..., Any], text: str, given: dict[str, str], client: str, server: list[str]
) -> None:
    shop = begin(text, **given)
    assert shop.texts("api") == [client]
    assert broken(shop) == server


@pytest.mark.parametrize(
    ("library", "words"),
    [
        ("mongo-java", "caused by {javax.net.ssl.SSLHandshakeException: PKIX path validation failed: java.security.cert.CertPathValidatorException: validity check failed}}]"),
        ('""', "no reachable servers"),
    ],
)  # fmt: skip
def test_other_drivers_have_words_of_their_own(
    begin: Callable[..., Any], library: str, words: str
) -> None:
    expired = CA.signs("mongodb", *NAMES, until=2021)
    shop = begin(configured("requireTLS"), expired, tls="true", library=library)
    assert shop.texts("api")[0].endswith(words)


@pytest.mark.parametrize(
    ("text", "shown", "code", "last"),
    [
        ("net: {tls: {mode: requireTls}}", GOOD, 2, "unsupported value for tlsMode requireTls"),
        ("net: {tls: {mode: requireTLS}}", GOOD, 2, "need tlsCertificateKeyFile or certificateSelector when TLS is enabled"),
        ("net: {tls: {modus: requireTLS}}", GOOD, 2, "Unrecognized option: net.tls.modus"),
        ("net: [tls: {", GOOD, 2, "Error parsing YAML config file: yaml-cpp: error at line 1, column 13: expected the node content, but found '<stream end>'"),
        ("[" * 20_000, GOOD, 2, "Error parsing YAML config file: yaml-cpp: error: exceeded max depth"),
        (configured("requireTLS"), "", 1, "Can not set up PEM key file."),
        (configured("requireTLS", "    CAFile: /tls/none.crt"), GOOD, 1, "Can not set up CA file."),
    ],
)  # fmt: skip
def test_what_a_server_does_not_start_with(
    begin: Callable[..., Any], text: str, shown: str, code: int, last: str
) -> None:
    shop = begin(text, shown)
    ended = shop.ended("mongodb")
    assert ended is not None
    assert ended.exit_code == code
    said = shop.texts("mongodb")
    if code == 2:
        assert said == [last, "try 'mongod --help' for more information"]
    else:
        assert json.loads(said[-1])["attr"]["error"]["errmsg"] == last


def test_a_file_that_is_not_there_is_told(begin: Callable[..., Any]) -> None:
    shop = begin("", arguments=("mongod", "--config", "/etc/none.conf"))
    assert shop.texts("mongodb") == [
        "Error opening config file: No such file or directory",
        "try 'mongod --help' for more information",
    ]


HEAD = "Error: couldn't connect to server {}:27017, connection attempt failed: SSLHandshakeFailed: {} :\n"
TAIL = "connect@src/mongo/shell/mongo.js:374:17\n@(connect):2:6\nexception: connect failed\nexiting with code 1\n"
NETWORK = "Error: network error while attempting to run command 'isMaster' on host '{}:27017'  :\n"
SERVER = "MongoServerSelectionError: {}\n"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("mongo --quiet --eval 1", (1, NETWORK.format("127.0.0.1") + TAIL, "")),
        ("mongosh --quiet --eval 1", (1, "", SERVER.format("connection <monitor> to 127.0.0.1:27017 closed"))),
        ("mongo --quiet --tls --tlsCAFile /tls/ca.crt --host mongodb --eval 1", (0, "1\n", "")),
        ("mongo --quiet --tls --tlsAllowInvalidCertificates --eval 1", (0, "1\n", "")),
        ("mongo --quiet --tls --host mongodb --eval 1", (1, HEAD.format("mongodb", "SSL peer certificate validation failed: unable to get local issuer certificate") + TAIL, "")),
        ("mongo --quiet --tls --tlsCAFile /tls/ca.crt --eval 1", (1, HEAD.format("127.0.0.1", "The server certificate does not match the host name. Hostname: 127.0.0.1 does not match SAN(s): mongodb mongodb.shelf.svc") + TAIL, "")),
        ("mongosh --quiet --tls --tlsCAFile /tls/ca.crt --eval 1", (1, "", SERVER.format("Hostname/IP does not match certificate's altnames: Host: 127.0.0.1. is not in the cert's altnames: DNS:mongodb, DNS:mongodb.shelf.svc"))),
        ("mongosh 'mongodb://mongodb/?tls=true' --quiet --eval 1", (1, "", SERVER.format("unable to get local issuer certificate"))),
    ],
)  # fmt: skip
def test_what_the_shells_say(demanding: Any, words: str, expected: tuple[int, str, str]) -> None:
    assert demanding.fork().shell("mongodb", words) == expected


@pytest.fixture(scope="module")
def demanding(make_shop: Callable[..., Any]) -> Any:
    shop = make_shop(MODEL.replace("LIBRARY", "mongo-c"))
    shop.name("mongodb", "9")
    mounts = {"/tls": Mount("files", "s", {"server.pem": GOOD, "ca.crt": AUTHORITY})}
    words = ["mongod", "--tlsMode", "requireTLS", "--tlsCertificateKeyFile", "/tls/server.pem"]
    shop.start("mongodb", "mongo:4.4", "9", args=words, mounts=mounts)
    shop.run(8)
    return shop


def test_its_log_tells_of_its_mode_and_of_who_was_refused(demanding: Any) -> None:
    shop = demanding.fork()
    shop.shell("mongodb", "mongo --eval 1")
    shop.run(1)
    waits = next(text for text in shop.texts("mongodb") if "Waiting for connections" in text)
    assert json.loads(waits)["attr"] == {"port": 27017, "ssl": "on"}
    lines = told(shop)
    about = {line["id"]: line.get("attr") for line in lines}
    tls = {"mode": "requireTLS", "certificateKeyFile": "/tls/server.pem"}
    assert about[21951] == {"options": {"net": {"bindIp": "*", "tls": tls}}}
    assert [line["msg"] for line in lines[-3:]] == [
        "Connection accepted",
        "Error receiving request from client. Ending connection from remote",
        "Connection ended",
    ]
    assert about[22988]["error"] == {"code": 141, "codeName": "SSLHandshakeFailed", "errmsg": ONLY}
