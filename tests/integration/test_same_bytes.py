"""The same seed, salt and actions give the same bytes in a new process, whatever its hash seed is."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

# What somebody does and sees in a world, one line of JSON for each look.
PLAY = """
import json
import sys

from sregym_core.conductor import ComponentFactory
from sregym_core.conductor.journal import UndoJournal
from sregym_core.interfaces import Command
from sregym_core.settings import Settings

NAMESPACE = "hotel-reservation"
LOOKS = (
    "get pods,deployments,replicasets,services,endpointslices,configmaps,secrets,pvc,leases -A -o yaml",
    "get nodes,namespaces,serviceaccounts,clusterroles,rolebindings,persistentvolumes -A -o json",
    "get events -A", "top pods -A", "top nodes", "create token default -n default",
    "describe pods -n hotel-reservation", "get --raw /metrics",
    *(f"logs -n {NAMESPACE} deployment/{name} --tail 300 --timestamps"
      for name in ("frontend", "search", "geo", "mongodb-geo", "memcached-rate", "consul", "jaeger")),
    "logs -n load deployment/hotel-load --tail 60",
    "exec -n hotel-reservation deployment/mongodb-geo -- ps aux",
)
QUERIES = (
    ("prometheus", "/api/v1/query", (("query", '{__name__=~".+"}'),)),
    ("prometheus", "/api/v1/rules", ()),
    ("loki", "/loki/api/v1/query_range", (("query", '{namespace="hotel-reservation"}'), ("limit", "2000"))),
    ("jaeger", "/api/traces", (("service", "frontend"), ("limit", "40"), ("lookback", "1h"))),
    ("jaeger", "/api/dependencies", (("lookback", "3600000"),)),
)
problem_id, seed, salt = sys.argv[1], int(sys.argv[2]), sys.argv[3]
bench = ComponentFactory(Settings())
worlds = bench.worlds("embedded", {}, salt)
problem = bench.problems.get(problem_id)
application = bench.application(problem.application)
cluster = worlds.make(application, problem.timing.warm_up_s, seed, served=False).cluster
seen = {}


def look(when):
    for command in LOOKS:
        done = cluster.kubectl(Command(("kubectl", *command.split())))
        seen[f"{when}: {command}"] = done.stdout + done.stderr
    for service, path, query in QUERIES:
        answer = cluster.observe(service, path, query)
        seen[f"{when}: {service} {path}"] = answer.body.decode()


look("healthy")
for ref in problem.faults:
    fault, context = bench.fault_in_context(ref, application, cluster, UndoJournal(), seed)
    fault.inject(context)
cluster.clock.advance(150.0)
cluster.kubectl(Command(("kubectl", "delete", "pod", "-n", NAMESPACE, "--all", "--wait=false")))
cluster.clock.advance(60.0)
look("broken")
for name, text in seen.items():
    print(json.dumps([name, text]))
cluster.close()
"""
QUIET = {
    "top nodes",
    "logs -n hotel-reservation deployment/memcached-rate --tail 300 --timestamps",
}


def seen(tmp_path: Path, problem: str, seed: int, hash_seed: str) -> dict[str, str]:
    done = subprocess.run(
        [sys.executable, "-c", PLAY, problem, str(seed), "a salt"],
        env={"PYTHONHASHSEED": hash_seed, "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(line) for line in done.stdout.splitlines())


@pytest.mark.parametrize(("problem", "seed"), [("revoke_auth_mongodb-1", 3)])
def test_two_processes_see_the_same_world(tmp_path: Path, problem: str, seed: int) -> None:
    first, other = (seen(tmp_path, problem, seed, hash_seed) for hash_seed in ("1", "4711"))
    assert list(first) == list(other)
    assert [name for name in first if first[name] != other[name]] == []
    # Each of them tells something while all is well: caches log nothing, and nodes are few.
    little = {name for name, text in first.items() if len(text) < 200}
    assert {name.partition(": ")[2] for name in little if name.startswith("healthy")} <= QUIET
