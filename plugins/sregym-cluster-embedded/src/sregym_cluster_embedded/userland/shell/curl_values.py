"""What curl can tell of a transfer with `-w`."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urljoin

from sregym_cluster_embedded.userland.shell.curl_words import head, is_http2

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.shell.curl_line import Call
    from sregym_cluster_embedded.userland.shell.curl_sending import Sent
    from sregym_cluster_embedded.userland.shell.http import Fetched
    from sregym_cluster_embedded.userland.shell.session import Session


def values_of(
    session: Session, call: Call, made: Sent, result: Fetched, seconds: float
) -> dict[str, str]:
    """The variables of `-w` by name.

    Args:
        session: Where curl runs.
        call: Its command line.
        made: What it has sent.
        result: What has come back.
        seconds: How long that took.
    """
    answer, facts = result.answer, result.target.facts
    connected = answer is not None or result.kind in ("empty", "garbage", "reset", "untrusted")
    status = f"{answer.status:03d}" if answer is not None else "000"
    body = answer.body if answer is not None and made.method != "HEAD" else ""
    size = len(body.encode(errors="surrogateescape"))
    secure = made.url.lower().startswith("https:") and connected
    found = {name.lower(): value for name, value in result.headers}
    location = found.get("location", "")
    jump = urljoin(made.url, location) if location and "L" not in call.flags else ""
    h2 = is_http2(call, made, result)
    heads = sum(len(line) + 2 for line in head(result, h2=h2)) + 2 if answer else 0
    return {
        "http_code": status, "response_code": status, "method": made.method,
        "time_total": f"{seconds:.6f}", "time_connect": f"{0.0009 if connected else 0:.6f}",
        "time_namelookup": f"{0.0006 if result.kind != 'dns' else 0:.6f}",
        "time_starttransfer": f"{seconds * 0.95 if answer is not None else 0:.6f}",
        "time_appconnect": f"{seconds * 0.8 if secure and answer is not None else 0:.6f}",
        "time_pretransfer": f"{seconds * 0.82 if secure and answer else 0.001 if connected else 0:.6f}",
        "time_redirect": "0.000000", "size_download": str(size), "size_header": str(heads),
        "size_request": str(sum(len(n) + len(v) + 4 for n, v in made.headers) + 20),
        "size_upload": str(len(made.body.encode(errors="surrogateescape"))),
        "remote_ip": facts["ip"] if connected else "", "num_connects": str(int(connected)),
        "remote_port": facts["port"] if connected else "0",
        "local_ip": session.process.config.pod_ip if connected else "",
        "local_port": "43210" if connected else "0",
        "content_type": answer.content_type if answer is not None else "",
        "http_version": ("2" if h2 else "1.1") if answer else "0",
        "scheme": made.url.partition(":")[0].upper() if connected else "",
        "ssl_verify_result": "20" if result.kind == "untrusted" else "0",
        "speed_download": str(int(size / seconds) if seconds else 0), "speed_upload": "0",
        "redirect_url": jump, "urlnum": "0", "filename_effective": "", "proxy_ssl_verify_result": "0",
    }  # fmt: skip
