"""curl, with the messages of 7.88 as Debian has it, and of 8 in its own image."""

from __future__ import annotations

import re
from typing import Any

import pytest
from sregym_cluster_embedded.cluster import Embedded
from sregym_core.interfaces import ClusterSpec, Command

PAGE = "<html>\r\n<head><title>404 Not Found</title></head>\r\n<body>\r\n<center><h1>404 Not Found</h1></center>\r\n<hr><center>nginx/1.27.5</center>\r\n</body>\r\n</html>\r\n"
METER = (
    "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n"
    "                                 Dload  Upload   Total   Spent    Left  Speed\n"
    "\r  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0\n"
)
REFUSED = (
    "curl: (7) Failed to connect to localhost port 81 after 1 ms: Couldn't connect to server\n"
)
ANSWER = """< HTTP/1.1 404 Not Found
< Server: nginx/1.27.5
< Date: ...
< Content-Type: text/html
< Content-Length: 153
< Connection: keep-alive
<\x20
"""


@pytest.fixture(scope="module")
def kubectl() -> Any:
    cluster = Embedded().provision(ClusterSpec())

    def run(*words: str) -> tuple[int, str, str]:
        answer = cluster.kubectl(Command(("kubectl", *words)))
        tail = f"command terminated with exit code {answer.exit_code}\n" if answer.exit_code else ""
        return answer.exit_code, answer.stdout, answer.stderr.removesuffix(tail)

    run("run", "site", "--image=nginx:1.27")
    run("run", "new", "--image=curlimages/curl:8.12.1", "--command", "--", "sleep", "9999")
    cluster.clock.advance(60)
    yield run
    cluster.close()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("curl -s -S http://localhost:81/", (7, "", REFUSED)),
        (
            "curl -sSv localhost:81",
            (7, "", "*   Trying 127.0.0.1:81...\n"
             "* connect to 127.0.0.1 port 81 failed: Connection refused\n"
             "* Failed to connect to localhost port 81 after 1 ms: Couldn't connect to server\n"
             f"* Closing connection 0\n{REFUSED}"),
        ),
        (
            "curl --retry 1 --retry-delay 1 --retry-all-errors localhost:81",
            (7, "", f"{METER}{REFUSED}Warning: Problem (retrying all errors). Will retry in 1 seconds. 1 retries \nWarning: left.\n{METER}{REFUSED}"),
        ),
        ("curl -sS http://localhost:99999/", (3, "", "curl: (3) URL using bad/illegal format or missing URL\n")),
        ("curl -sS http://", (3, "", "curl: (3) URL using bad/illegal format or missing URL\n")),
        ("curl -sS file:///none", (37, "", "curl: (37) Couldn't open file /none\n")),
        ("curl -sS file:///etc/hostname", (0, "site\n", "")),
        ("curl -sS -x http://nothing:81 http://foo/", (5, "", "curl: (5) Could not resolve proxy: nothing\n")),
        ("curl -sSf localhost/none", (22, "", "curl: (22) The requested URL returned error: 404\n")),
        ("curl -sS --fail-with-body localhost/none", (22, PAGE, "curl: (22) The requested URL returned error: 404\n")),
        ("curl -sS -o /dev/null -w '%{http_code}\\n' 'localhost/{none,index.html}' 'localhost/[1-2]'", (0, "404\n200\n404\n404\n", "")),
        (
            "curl -sSv -u a:b --resolve foo:80:127.0.0.1 http://foo/none -o /dev/null",
            (0, "", "* Added foo:80:127.0.0.1 to DNS cache\n* Hostname foo was found in DNS cache\n"
             "*   Trying 127.0.0.1:80...\n* Connected to foo (127.0.0.1) port 80 (#0)\n"
             "* Server auth using Basic with user 'a'\n> GET /none HTTP/1.1\n> Host: foo\n"
             "> Authorization: Basic YTpi\n> User-Agent: curl/7.88.1\n> Accept: */*\n> \n"
             f"{ANSWER}{{ [153 bytes data]\n* Connection #0 to host foo left intact\n"),
        ),
        ("curl -sS -D - -o /dev/null localhost/none", (0, ANSWER.replace("< ", "").replace("\n", "\r\n"), "")),
        ("curl -m abc localhost", (2, "", "curl: option -m: expected a proper numerical parameter\ncurl: try 'curl --help' or 'curl --manual' for more information\n")),
        (
            "mkdir /usr/share/nginx/html/d; echo in > /usr/share/nginx/html/d/index.html; curl -sSL -w '%{http_code} %{num_redirects} %{url_effective}\\n' localhost/d; curl -s -o /dev/null -w '%{http_code} %{redirect_url}\\n' localhost/d",
            (0, "in\n200 1 http://localhost/d/\n301 http://localhost/d/\n", ""),
        ),
        ("curl -sS --max-redirs 0 -L localhost/d", (47, "", "curl: (47) Maximum (0) redirects followed\n")),
    ],
)  # fmt: skip
def test_words_of_debian(kubectl: Any, line: str, expected: tuple[int, str, str]) -> None:
    code, out, err = kubectl("exec", "site", "--", "sh", "-c", line)
    assert (code, _still(out), _still(err)) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("curl -sS http://localhost:99999/", (3, "", "curl: (3) URL rejected: Port number was not a decimal number between 0 and 65535\n")),
        ("curl -sS http://[", (3, "", "curl: (3) URL rejected: Bad IPv6 address\n")),
        ("curl -sSv localhost:81", (7, "", "* Host localhost:81 was resolved.\n* IPv6: (none)\n* IPv4: 127.0.0.1\n"
         "*   Trying 127.0.0.1:81...\n* connect to 127.0.0.1 port 81 failed: Connection refused\n"
         "* Failed to connect to localhost port 81 after 1 ms: Could not connect to server\n"
         "* closing connection #0\ncurl: (7) Failed to connect to localhost port 81 after 1 ms: Could not connect to server\n")),
    ],
)  # fmt: skip
def test_words_of_version_8(kubectl: Any, line: str, expected: tuple[int, str, str]) -> None:
    assert kubectl("exec", "new", "--", "sh", "-c", line) == expected


def test_the_api_server_s_certificate_is_told(kubectl: Any) -> None:
    line = "curl -sSvk https://kubernetes.default/healthz 2>&1 | grep -E 'subject:|issuer:|verify result|HTTP/2'"
    code, out, _ = kubectl("exec", "site", "--", "sh", "-c", line)
    assert (code, out) == (
        0,
        "*  subject: CN=kube-apiserver\n*  issuer: CN=kubernetes\n"
        "*  SSL certificate verify result: unable to get local issuer certificate (20), "
        "continuing anyway.\n* using HTTP/2\n> GET /healthz HTTP/2\n< HTTP/2 200 \n",
    )


def _still(text: str) -> str:
    return re.sub(r"Date: [^\r\n]*", "Date: ...", text)
