from __future__ import annotations

from sregym_core.interfaces import Command
from sregym_testing import FullShop

from sregym_injectors import commands

component = FullShop().component

CATALOG = component("catalog").workload


def test_commands_read_as_people_type_them():
    typed = [
        commands.patch(CATALOG, {"spec": {"replicas": 1}}, "merge"),
        commands.scale(CATALOG, 3),
        commands.set_image(CATALOG, "catalog", "shop/catalog:latest"),
        commands.execute(CATALOG, "catalog", ("sh", "-c", "echo hi")),
        *commands.restart_and_wait((CATALOG,)),
    ]
    assert [str(command) for command in typed] == [
        """kubectl patch deployment/catalog -n shop --type=merge -p '{"spec": {"replicas": 1}}'""",
        "kubectl scale deployment/catalog -n shop --replicas=3",
        "kubectl set image deployment/catalog -n shop catalog=shop/catalog:latest",
        "kubectl exec deployment/catalog -n shop -c catalog -- sh -c 'echo hi'",
        "kubectl rollout restart deployment/catalog -n shop",
        "kubectl rollout status deployment/catalog -n shop --timeout=300s",
    ]


def test_apply_writes_texts_as_blocks():
    manifest = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "a", "namespace": "shop"},
        "data": {"a.json": '{\n  "b": "1"\n}\n', "c": "d"},
    }
    assert commands.apply(manifest) == Command(
        ("kubectl", "apply", "-f", "-"),
        """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: a
  namespace: shop
data:
  a.json: |
    {
      "b": "1"
    }
  c: d
""",
    )
