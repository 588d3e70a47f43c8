"""nginx in containers: what its configuration makes of requests, and what it says against mistakes."""

from __future__ import annotations

import base64
from typing import Any

import pytest
import yaml
from sregym_cluster_embedded.api.pki.authority import certificate_authority
from sregym_cluster_embedded.cluster import Embedded
from sregym_core.interfaces import ClusterSpec, Command

SITE = """
upstream back { server back:8080; }
map $http_x_kind $kind { default none; tea pot; "~^co" cup; }
log_format brief escape=json '{"s":"$status","u":"$request_uri","a":"$upstream_addr"}';
server {
    listen 80 default_server;
    server_name _;
    access_log /dev/stdout brief;
    root /srv;
    location = /healthz { access_log off; return 200 "fine\\n"; }
    location /api/ { proxy_pass http://back/; proxy_set_header Host $host; }
    location /plain/ { proxy_pass http://back; }
    location /slow { proxy_pass http://192.0.2.9; proxy_connect_timeout 2s; }
    location /later { set $where back.default.svc.cluster.local; resolver 10.96.0.10; proxy_pass http://$where:8080; }
    location /unknown { set $where nobody; resolver 10.96.0.10; proxy_pass http://$where; }
    location /old { return 301 /new; }
    location /r/ { rewrite ^/r/(.*)$ /s/$1 last; }
    location /s/ { default_type text/plain; return 200 "uri=$uri args=$args\\n"; }
    location ~* \\.(png|jpe?g)$ { add_header X-Pictures $1 always; }
    location ^~ /raw { return 418; }
    location /kind { return 200 "$kind\\n"; }
    location /private { deny all; }
    location /closed { return 444; }
    location /if { if ($arg_b = 2) { return 202 "two\\n"; } return 200 "other\\n"; }
    location /status { stub_status; }
    location /spa/ { try_files $uri $uri/ /index.html; }
    location /strict/ { try_files $uri =410; }
    location /named { try_files $uri @fallback; }
    location @fallback { return 203 "fallback\\n"; }
    location /teapot { error_page 503 =200 /index.html; return 503; }
    location /files/ { alias /usr/share/nginx/; autoindex on; }
}
server { listen 80; server_name *.example.org; location / { return 200 "wild\\n"; } }
server { listen 80; server_name ~^v(?<n>\\d+)\\.; location / { return 200 "v=$n\\n"; } }
server { listen 8080; server_tokens off; client_max_body_size 4; location / { return 204; } }
"""
BACK = "server { listen 80; location / { return 200 '$request_method $request_uri of $host\\n'; } }"
OBJECTS = [
    {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "back"}, "spec": {"selector": {"app": "back"}, "ports": [{"port": 8080, "targetPort": 80}]}},
    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "back"}, "data": {"default.conf": BACK}},
    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "front"}, "data": {"site.conf": SITE}},
]  # fmt: skip


def server(name: str, tag: str = "1.27", **container: Any) -> dict[str, Any]:
    mounts = {"volumeMounts": [{"name": "conf", "mountPath": "/etc/nginx/conf.d"}]}
    spec = {"name": "c", "image": f"nginx:{tag}", **mounts, **container}
    volumes = [{"name": "conf", "configMap": {"name": name}}]
    labels = {"name": name, "labels": {"app": name}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": labels, "spec": {"containers": [spec], "volumes": volumes}}  # fmt: skip


class Town:
    """A cluster with one shell pod to ask from."""

    def __init__(self) -> None:
        self.cluster = Embedded().provision(ClusterSpec())
        self.cluster.clock.advance(20)

    def kubectl(self, *words: str, stdin: str = "", seconds: float = 0.0) -> str:
        answer = self.cluster.kubectl(Command(("kubectl", *words), stdin=stdin))
        self.cluster.clock.advance(seconds)
        return answer.stdout + answer.stderr

    def apply(self, *objects: Any, seconds: float = 20.0) -> None:
        self.kubectl("apply", "-f", "-", stdin=yaml.safe_dump_all(objects), seconds=seconds)

    def ask(self, *words: str) -> str:
        return self.kubectl("exec", "front", "--", "curl", "-s", *words)


@pytest.fixture(scope="module")
def town() -> Any:
    found = Town()
    found.apply(*OBJECTS, server("back", "1.25"))
    found.apply(server("front"))
    found.kubectl("exec", "front", "--", "sh", "-c", "mkdir -p /srv/spa/d; echo home > /srv/index.html; echo a > /srv/spa/a; echo i > /srv/spa/d/index.html; echo p > /srv/x.png; echo s > /srv/secret; chmod 600 /srv/secret")  # fmt: skip
    yield found
    found.cluster.close()


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (("localhost/healthz",), "fine\n"),
        (("localhost/api/x?y=1",), "GET /x?y=1 of localhost\n"),
        (("localhost/plain/x",), "GET /plain/x of back\n"),
        (("-X", "POST", "localhost/api/",), "POST / of localhost\n"),
        (("localhost/later/x",), "GET /later/x of back.default.svc.cluster.local\n"),
        (("localhost/r/a?b=2",), "uri=/s/a args=b=2\n"),
        (("localhost/kind",), "none\n"),
        (("-H", "X-Kind: tea", "localhost/kind"), "pot\n"),
        (("-H", "X-Kind: coffee", "localhost/kind"), "cup\n"),
        (("localhost/if?b=2",), "two\n"),
        (("localhost/if?b=3",), "other\n"),
        (("localhost/spa/a",), "a\n"),
        (("localhost/spa/d/",), "i\n"),
        (("localhost/spa/none",), "home\n"),
        (("localhost/named",), "fallback\n"),
        (("localhost/teapot",), "home\n"),
        (("localhost/",), "home\n"),
        (("localhost/x.png",), "p\n"),
        (("-H", "Host: a.example.org", "localhost/"), "wild\n"),
        (("-H", "Host: v12.test", "localhost/"), "v=12\n"),
        (("-L", "localhost/spa/d",), "i\n"),
    ],
)  # fmt: skip
def test_the_configuration_says_what_is_answered(
    town: Town, words: tuple[str, ...], answer: str
) -> None:
    assert town.ask(*words) == answer


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("localhost/none",), 404), (("localhost/private",), 403), (("localhost/raw.png",), 418),
        (("localhost/strict/x",), 410), (("localhost/secret",), 403), (("localhost/spa",), 301),
        (("-X", "POST", "localhost/x.png"), 405), (("localhost/slow",), 502), (("localhost/unknown",), 502),
        (("-d", "abcde", "localhost:8080/"), 413), (("-d", "abcd", "localhost:8080/"), 204),
        (("localhost/closed",), 0),
    ],
)  # fmt: skip
def test_every_refusal_has_its_code(town: Town, words: tuple[str, ...], code: int) -> None:
    found = town.ask("-o", "/dev/null", "-w", "%{http_code} ", *words)
    assert found.partition(" ")[0] == f"{code:03}"


def test_an_upstream_that_takes_no_packets_is_given_up(town: Town) -> None:
    policy = {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": "shut"}, "spec": {"podSelector": {"matchLabels": {"app": "back"}}}}  # fmt: skip
    town.apply(policy, seconds=2)
    code = town.ask("-o", "/dev/null", "-w", "%{http_code} %{time_total}", "localhost/api/")
    town.kubectl("delete", "netpol", "shut", seconds=2)
    status, seconds = code.split()
    assert status == "504"
    assert round(float(seconds)) == 60
    line = town.kubectl("logs", "front", "--tail=2").splitlines()[0]
    address = town.kubectl("get", "svc", "back", "-o", "jsonpath={.spec.clusterIP}")
    assert line.partition("*")[2].partition(" ")[2] == (
        "upstream timed out (110: Connection timed out) while connecting to upstream, "
        'client: 127.0.0.1, server: _, request: "GET /api/ HTTP/1.1", '
        f'upstream: "http://{address}:8080/", host: "localhost"'
    )


def test_headers_stand_in_order(town: Town) -> None:
    lines = town.ask("-I", "localhost/old").splitlines()
    assert [line.partition(":")[0] for line in lines if line] == [
        "HTTP/1.1 301 Moved Permanently", "Server", "Date", "Content-Type", "Content-Length", "Location", "Connection"
    ]  # fmt: skip
    assert "Server: nginx/1.27.5" in lines
    assert "Location: http://localhost/new" in lines
    assert "Server: nginx" in town.ask("-I", "localhost:8080/x").splitlines()
    picture = town.ask("-I", "localhost/x.png")
    assert "Content-Type: image/png" in picture
    assert "X-Pictures: png" in picture
    assert 'ETag: "' in picture


def test_lines_have_the_form_that_is_configured(town: Town) -> None:
    town.ask("localhost/api/z")
    town.ask("localhost/missing")
    town.ask("localhost/unknown/x")
    access, missing, gone, resolved, passed = town.kubectl("logs", "front", "--tail=5").splitlines()
    address = town.kubectl("get", "svc", "back", "-o", "jsonpath={.spec.clusterIP}")
    assert access == f'{{"s":"200","u":"/api/z","a":"{address}:8080"}}'
    assert missing.partition("*")[2].partition(" ")[2] == (
        'open() "/srv/missing" failed (2: No such file or directory), client: 127.0.0.1, '
        'server: _, request: "GET /missing HTTP/1.1", host: "localhost"'
    )
    assert gone == '{"s":"404","u":"/missing","a":""}'
    assert resolved.partition("*")[2].partition(" ")[2] == (
        "nobody could not be resolved (3: Host not found), client: 127.0.0.1, server: _, "
        'request: "GET /unknown/x HTTP/1.1", host: "localhost"'
    )
    assert passed == '{"s":"502","u":"/unknown/x","a":""}'


def test_probes_and_port_forwards_are_requests_too(town: Town) -> None:
    probe = {"httpGet": {"path": "/x", "port": 80}, "periodSeconds": 5}
    town.apply({**server("back", "1.25", readinessProbe=probe), "metadata": {"name": "probed"}})
    line = town.kubectl("logs", "probed", "--tail=1")
    assert '"GET /x HTTP/1.1" 200 ' in line
    assert '"kube-probe/1.36" "-"' in line
    town.kubectl("delete", "pod", "probed", "--now", seconds=3)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("foo bar;", 'unknown directive "foo" in /etc/nginx/x.conf:1'),
        ("http { listen 80; }", '"listen" directive is not allowed here in /etc/nginx/x.conf:1'),
        ("http { server { listen; } }", 'invalid number of arguments in "listen" directive in /etc/nginx/x.conf:1'),
        ("http {\n proxy_read_timeout 5x;\n}", '"proxy_read_timeout" directive invalid value in /etc/nginx/x.conf:2'),
        ("http {\n client_max_body_size abc;\n}", '"client_max_body_size" directive invalid value in /etc/nginx/x.conf:2'),
        ("http {\n keepalive_requests abc;\n}", '"keepalive_requests" directive invalid number in /etc/nginx/x.conf:2'),
        ("worker_processes x;", '"worker_processes" directive invalid value in /etc/nginx/x.conf:1'),
        ("events {\n worker_connections x;\n}", 'invalid number "x" in /etc/nginx/x.conf:2'),
        ("http {\n server {\n  set x 1;\n }\n}", 'invalid variable name "x" in /etc/nginx/x.conf:3'),
        ("http {\n sendfile yes;\n}", 'invalid value "yes" in "sendfile" directive, it must be "on" or "off" in /etc/nginx/x.conf:2'),
        ("http { server { listen 80 } }", 'unexpected "}" in /etc/nginx/x.conf:1'),
        ("http {\n server {\n", 'unexpected end of file, expecting "}" in /etc/nginx/x.conf:3'),
        ("http { server { listen 80", 'unexpected end of file, expecting ";" or "}" in /etc/nginx/x.conf:1'),
        ('http { server { return 200 "a; } }\n', 'unexpected end of file, expecting ";" or "}" in /etc/nginx/x.conf:2'),
        ('http { server { return 200 "a"b; } }', 'unexpected "b" in /etc/nginx/x.conf:1'),
        ("http { ; }", 'unexpected ";" in /etc/nginx/x.conf:1'),
        ("}", 'unexpected "}" in /etc/nginx/x.conf:1'),
        ("http { server; }", 'directive "server" has no opening "{" in /etc/nginx/x.conf:1'),
        ("http { sendfile on { } }", 'directive "sendfile" is not terminated by ";" in /etc/nginx/x.conf:1'),
        ("http { sendfile on;\n sendfile off; }", '"sendfile" directive is duplicate in /etc/nginx/x.conf:2'),
        ("http { include none.conf; }", 'open() "/etc/nginx/none.conf" failed (2: No such file or directory) in /etc/nginx/x.conf:1'),
        ("http { server { listen 99999; } }", 'invalid port in "99999" of the "listen" directive in /etc/nginx/x.conf:1'),
        ("http { server { listen web:80; } }", 'host not found in "web:80" of the "listen" directive in /etc/nginx/x.conf:1'),
        ("http { server { listen 80 fast; } }", 'invalid parameter "fast" in /etc/nginx/x.conf:1'),
        ("http { server { listen 80; listen 80; } }", "a duplicate listen 0.0.0.0:80 in /etc/nginx/x.conf:1"),
        ("http { server { listen 80 default_server; } server { listen 80 default_server; } }", "a duplicate default server for 0.0.0.0:80 in /etc/nginx/x.conf:1"),
        ("http { server { location / { } location / { } } }", 'duplicate location "/" in /etc/nginx/x.conf:1'),
        ("http { server { location ?? / { } } }", 'invalid location modifier "??" in /etc/nginx/x.conf:1'),
        ("http { server { location ~ ( { } } }", 'pcre2_compile() failed: missing ), unterminated subpattern in "(" at "(" in /etc/nginx/x.conf:1'),
        ("http { upstream a { } }", "no servers are inside upstream in /etc/nginx/x.conf:1"),
        ("http { upstream a { server nobody:80; } }", 'host not found in upstream "nobody:80" in /etc/nginx/x.conf:1'),
        ("http { upstream a { server b:x; } }", 'invalid port in upstream "b:x" in /etc/nginx/x.conf:1'),
        ("http { server { location / { proxy_pass http://nobody; } } }", 'host not found in upstream "nobody" in /etc/nginx/x.conf:1'),
        ("http { server { location / { proxy_pass back; } } }", "invalid URL prefix in /etc/nginx/x.conf:1"),
        ("http { server { location / { proxy_pass http://; } } }", 'no host in upstream "" in /etc/nginx/x.conf:1'),
        ("http { server { location ~ a { proxy_pass http://127.0.0.1/x; } } }", '"proxy_pass" cannot have URI part in location given by regular expression, or inside named location, or inside "if" statement, or inside "limit_except" block in /etc/nginx/x.conf:1'),
        ("http { resolver nobody; }", 'host not found in resolver "nobody" in /etc/nginx/x.conf:1'),
        ("http { server { return 200 $nothing; } }", 'unknown "nothing" variable'),
        ("http { server { listen 443 ssl; } }", 'no "ssl_certificate" is defined for the "listen ... ssl" directive in /etc/nginx/x.conf:1'),
        ("http { server { listen 443 ssl; ssl_certificate /t.crt; } }", 'cannot load certificate "/t.crt": BIO_new_file() failed (SSL: error:80000002:system library::No such file or directory:calling fopen(/t.crt, r) error:10000080:BIO routines::no such file)'),
        ("http { }", 'no "events" section in configuration'),
    ],
)  # fmt: skip
def test_mistakes_are_named_with_their_place(town: Town, text: str, said: str) -> None:
    town.kubectl("exec", "-i", "front", "--", "sh", "-c", "cat > /etc/nginx/x.conf", stdin=text)
    lines = town.kubectl("exec", "front", "--", "nginx", "-t", "-c", "/etc/nginx/x.conf").splitlines()  # fmt: skip
    assert lines[0].partition(": ")[2] == said
    assert lines[1:3] == [
        f"nginx: [emerg] {said}",
        "nginx: configuration file /etc/nginx/x.conf test failed",
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-t",), "nginx: the configuration file /etc/nginx/nginx.conf syntax is ok\nnginx: configuration file /etc/nginx/nginx.conf test is successful\n"),
        (("-t", "-q"), ""),
        (("-v",), "nginx version: nginx/1.27.5\n"),
        (("-s", "again"), 'nginx: invalid option: "-s again"\n'),
        (("-s",), 'nginx: option "-s" requires signal\n'),
        (("-z",), 'nginx: invalid option: "z"\n'),
        (("test",), 'nginx: invalid option: "test"\n'),
        (("-t", "-c", "/none"), None),
    ],
)  # fmt: skip
def test_the_command_answers_questions(
    town: Town, words: tuple[str, ...], said: str | None
) -> None:
    found = town.kubectl("exec", "front", "--", "nginx", *words)
    found = found.removesuffix("command terminated with exit code 1\n")
    if said is None:
        said = 'open() "/none" failed (2: No such file or directory)'
        assert f"nginx: [emerg] {said}\nnginx: configuration file /none test failed\n" in found
    else:
        assert found == said


def test_a_configuration_counts_from_the_reload_on(town: Town) -> None:
    shell = ("exec", "other", "--", "sh", "-c")
    town.kubectl("run", "other", "--image=nginx:1.28", seconds=10)
    town.kubectl(*shell, "echo 'server { listen 81; return 200 new; }' > /etc/nginx/conf.d/n.conf")
    assert "Connection refused" not in town.kubectl(*shell, "curl -s localhost:80")
    assert town.kubectl(*shell, "curl -s localhost:81").startswith("command terminated")
    town.kubectl(*shell, "nginx -s reload", seconds=1)
    assert town.kubectl(*shell, "curl -s localhost:81") == "new"
    town.kubectl(*shell, "echo 'oops' > /etc/nginx/conf.d/n.conf; kill -HUP 1", seconds=1)
    assert town.kubectl(*shell, "curl -s localhost:81") == "new"
    last = town.kubectl("logs", "other").splitlines()[-2]
    missing = 'unexpected end of file, expecting ";" or "}" in /etc/nginx/conf.d/n.conf:2'
    assert last.partition(": ")[2] == missing
    town.kubectl("delete", "pod", "other", seconds=3)


def test_a_server_whose_upstream_is_no_service_does_not_start(town: Town) -> None:
    conf = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "lost"}, "data": {"default.conf": "server {\n location / { proxy_pass http://lost-backend:80; }\n}\n"}}  # fmt: skip
    town.apply(conf, server("lost"))
    said = 'host not found in upstream "lost-backend" in /etc/nginx/conf.d/default.conf:2'
    first, second = town.kubectl("logs", "lost", "--tail=2").splitlines()
    assert first.endswith(f"[emerg] 1#1: {said}")
    assert second == f"nginx: [emerg] {said}"
    town.kubectl("create", "service", "clusterip", "lost-backend", "--tcp=80", seconds=60)
    assert town.kubectl("get", "pod", "lost", "-o", "jsonpath={.status.phase}") == "Running"
    town.kubectl("delete", "pod", "lost", seconds=3)


@pytest.mark.parametrize(
    ("context", "said"),
    [
        ({"runAsUser": 1000}, 'mkdir() "/var/cache/nginx/client_temp" failed (13: Permission denied)'),
        ({"readOnlyRootFilesystem": True}, 'mkdir() "/var/cache/nginx/client_temp" failed (30: Read-only file system)'),
    ],
)  # fmt: skip
def test_it_needs_folders_of_its_own(town: Town, context: dict[str, Any], said: str) -> None:
    town.apply(server("back", securityContext=context) | {"metadata": {"name": "needy"}})
    assert town.kubectl("logs", "needy", "--tail=1") == f"nginx: [emerg] {said}\n"
    town.kubectl("delete", "pod", "needy", "--now", seconds=3)


def test_templates_are_filled_in_from_the_environment(town: Town) -> None:
    text = "server { listen ${PORT}; return 200 '${WORD} $uri'; }"
    conf = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "made"}, "data": {"m.conf.template": text}}  # fmt: skip
    pod = server("made", env=[{"name": "PORT", "value": "8081"}, {"name": "WORD", "value": "hi"}])
    pod["spec"]["containers"][0]["volumeMounts"][0]["mountPath"] = "/etc/nginx/templates"
    town.apply(conf, pod)
    shell = ("exec", "made", "--", "curl", "-s", "localhost:8081/x")
    assert town.kubectl(*shell) == "hi /x"
    line = "20-envsubst-on-templates.sh: Running envsubst on /etc/nginx/templates/m.conf.template to /etc/nginx/conf.d/m.conf"  # fmt: skip
    assert line in town.kubectl("logs", "made").splitlines()
    town.kubectl("delete", "pod", "made", "--now", seconds=3)


def test_envsubst_fills_in_what_is_exported(town: Town) -> None:
    script = (
        "export A='x y'; B=z; echo 'is $A${B} $1.' | envsubst; echo '$A $HOME' | envsubst '$HOME'"
    )
    shown = town.kubectl("exec", "front", "--", "sh", "-c", script)
    assert shown == "is x y $1.\n$A /root\n"


def test_tls_shows_the_certificate_of_the_secret(town: Town) -> None:
    with town.cluster.live.open() as world:
        authority = certificate_authority(world)
    data = {"tls.crt": base64.b64encode(authority.encode()).decode(), "tls.key": "eA=="}
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "tls"}, "data": data}
    text = "server { listen 443 ssl; ssl_certificate /tls/tls.crt; ssl_certificate_key /tls/tls.key; return 200 $scheme; }"  # fmt: skip
    conf = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "safe"}, "data": {"s.conf": text}}  # fmt: skip
    pod = server("safe")
    pod["spec"]["containers"][0]["volumeMounts"].append({"name": "tls", "mountPath": "/tls"})
    pod["spec"]["volumes"].append({"name": "tls", "secret": {"secretName": "tls"}})
    town.apply(secret, conf, pod)
    shell = ("exec", "safe", "--", "curl", "-s")
    assert town.kubectl(*shell, "-k", "https://localhost/") == "https"
    assert town.kubectl(*shell, "https://localhost/") == "command terminated with exit code 60\n"
    assert "The plain HTTP request was sent to HTTPS port" in town.kubectl(*shell, "http://localhost:443/")  # fmt: skip
    town.kubectl("delete", "pod", "safe", "--now", seconds=3)


def test_it_ends_in_order_when_asked_to(town: Town) -> None:
    town.kubectl("run", "going", "--image=nginx:alpine", "--restart=Never", seconds=10)
    town.kubectl("exec", "going", "--", "nginx", "-s", "quit", seconds=3)
    assert town.kubectl("get", "pod", "going", "-o", "jsonpath={.status.phase}") == "Succeeded"
    lines = [line.partition("[notice] ")[2] for line in town.kubectl("logs", "going").splitlines()]
    assert lines[-7:] == [
        "1#1: signal 3 (SIGQUIT) received, shutting down", "29#29: gracefully shutting down", "29#29: exiting", "29#29: exit",
        "1#1: signal 17 (SIGCHLD) received from 29", "1#1: worker process 29 exited with code 0", "1#1: exit",
    ]  # fmt: skip
