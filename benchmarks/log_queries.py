"""What LogQL costs over 1,000 lines in memory. Prints CPU milliseconds, the best of several runs.

python benchmarks/log_queries.py
"""

from __future__ import annotations

import gc
import json
import time

from sregym_logql import Engine, Entry
from sregym_logql.memory import Memory
from sregym_logql.response_json import logs_data

_NS = 1_000_000_000
_START_NS = 1_767_258_000 * _NS
_LINES = 1000
_RUNS = 20
QUERIES = (
    '{app="web"}',
    '{app="web"} |= "error"',
    '{app="web"} | logfmt',
    '{app="web"} | logfmt --strict --keep-empty',
    '{app="web"} | logfmt level, code="status"',
    '{app="web"} | logfmt | status >= 500 | line_format "{{.path}}"',
    '{app="web"} | logfmt | line_format "{{.level}} {{.path}}"',
    '{app="web"} | logfmt | label_format code=status, where="{{.path}}"',
    '{app="api"} | json',
    '{app="api"} | json code="code", at="path"',
    '{app="api"} | json | code >= 202',
    '{app="api"} | unpack',
    '{app="nginx"} | pattern "<ip> - - <_> \\"<method> <path> <_>\\" <status> <_>"',
    '{app="nginx"} | regexp "^(?P<ip>\\\\S+) .* \\"(?P<method>\\\\w+) (?P<path>\\\\S+)"',
    'rate({app="web"}[1m])',
    'sum by (level) (count_over_time({app="web"} | logfmt [1m]))',
    'sum by (path) (sum_over_time({app="web"} | logfmt | unwrap status [1m]))',
    'avg_over_time({app="web"} | logfmt | unwrap duration(duration) [1m]) by (path)',
    'quantile_over_time(0.99, {app="api"} | json | unwrap took [5m]) by (level)',
)


def lines() -> Memory:
    """1,000 lines of each of three programs, one a second each."""
    found = []
    for number in range(_LINES):
        at_ns = _START_NS + number * _NS
        level, status = ("error", 502) if number % 5 == 0 else ("info", 200)
        path = f"/p{number % 7}"
        texts = {
            "web": f'level={level} msg="request done" status={status} duration={number}ms path={path}',
            "api": json.dumps(
                {"level": level, "code": 200 + number % 3, "took": number / 10, "path": path}
            ),
            "nginx": f'10.0.0.{number % 250} - - [01/Jan/2026:09:00:00 +0000] "GET {path} HTTP/1.1" {status} {number} "-" "curl/8"',
        }
        for app, text in texts.items():
            found.append(((("app", app), ("namespace", "shop")), Entry(at_ns, text)))
    return Memory(found)


def main() -> None:
    """Run each query on all lines of one program."""
    # As the command line has it.
    gc.set_threshold(50_000, 20, 50)
    engine = Engine(lines())
    end_ns = _START_NS + _LINES * _NS
    for query in QUERIES:
        best = float("inf")
        for _ in range(_RUNS):
            started = time.process_time()
            if engine.is_logs(query):
                logs_data(engine.logs(query, _START_NS, end_ns, _LINES))
            else:
                engine.range(query, _START_NS, end_ns, 15 * _NS)
            best = min(best, time.process_time() - started)
        print(f"{best * 1e3:8.2f} ms  {query}")


if __name__ == "__main__":
    main()
