"""Kubectl command lines: what is understood, what is refused and in which words."""

from __future__ import annotations

import pytest
from sregym_core.interfaces import Command, CommandRefusedError
from sregym_kubernetes.command_lines import check, parse, reads_only, verb


@pytest.mark.parametrize(
    ("line", "argv"),
    [
        ("kubectl get pods -n shop", ("kubectl", "get", "pods", "-n", "shop")),
        ("get pods", ("kubectl", "get", "pods")),
        ("kubectl exec cart -- sh -c 'a | b > c'", ("kubectl", "exec", "cart", "--", "sh", "-c", "a | b > c")),
        ("kubectl get pods -l 'a=b,c!=d' # all", ("kubectl", "get", "pods", "-l", "a=b,c!=d", "#", "all")),
    ],
)  # fmt: skip
def test_lines_are_split_as_a_shell_would(line: str, argv: tuple[str, ...]) -> None:
    assert parse(line) == Command(argv)


def test_here_documents_are_standard_input() -> None:
    command = Command(("kubectl", "apply", "-f", "-"), "kind: A\n---\nkind: B\n")
    assert parse(str(command)) == command
    assert parse("kubectl apply -f - <<EOF\nkind: A\nEOF\n") == Command(command.argv, "kind: A\n")
    assert parse("kubectl apply -f -", "kind: A") == Command(command.argv, "kind: A")


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("kubectl get pods | grep cart", "there is no shell behind this: '|' cannot be used; run one kubectl command at a time"),
        ("kubectl get pods > /tmp/x", "there is no shell behind this: '>' cannot be used; run one kubectl command at a time"),
        ("kubectl get a && kubectl get b", "there is no shell behind this: '&&' cannot be used; run one kubectl command at a time"),
        ("kubectl get 'pods", "No closing quotation"),
    ],
)  # fmt: skip
def test_lines_that_need_a_shell_are_refused(line: str, text: str) -> None:
    with pytest.raises(CommandRefusedError) as refused:
        parse(line)
    assert str(refused.value) == text


NO_FILE = "names a file of the machine where kubectl runs, and you have none there"
FOREVER = "never ends; leave it out and ask again for what is new"


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("edit deployment cart", "kubectl edit needs a terminal or stays open; use get, patch, apply -f -, exec or logs instead"),
        ("-n shop port-forward cart 80", "kubectl port-forward needs a terminal or stays open; use get, patch, apply -f -, exec or logs instead"),
        ("cp shop/cart:/etc/passwd .", "kubectl cp works on files of the machine it runs on, and you have none there"),
        ("apply -f /etc/passwd", "-f /etc/passwd is a file, and you have none on the machine where kubectl runs; give the manifest on standard input (-f -)"),
        ("apply -Rf.", "-f . is a file, and you have none on the machine where kubectl runs; give the manifest on standard input (-f -)"),
        ("create --filename=http://a/b", "--filename http://a/b is a file, and you have none on the machine where kubectl runs; give the manifest on standard input (-f -)"),
        ("logs cart -f", "logs -f never ends; leave -f out and ask again for what is new"),
        ("create configmap x --from-file=/root", f"--from-file {NO_FILE}"),
        ("create secret tls x --cert a --key b", f"--cert {NO_FILE}"),
        ("get pods --kubeconfig /root/.kube/config", f"--kubeconfig {NO_FILE}"),
        ("apply -k .", f"--kustomize {NO_FILE}"),
        ("patch svc x --patch-file y", f"--patch-file {NO_FILE}"),
        ("get pods -ojsonpath-file=/etc/passwd", f"-o jsonpath-file=/etc/passwd {NO_FILE}"),
        ("get pods -o go-template-file=x", f"-o go-template-file=x {NO_FILE}"),
        ("get pods -Aw", f"-w {FOREVER}"),
        ("get pods --watch", f"--watch {FOREVER}"),
        ("logs --follow cart", f"--follow {FOREVER}"),
    ],
)  # fmt: skip
def test_what_reaches_beyond_the_cluster_is_refused(line: str, text: str) -> None:
    with pytest.raises(CommandRefusedError) as refused:
        check(parse(line))
    assert str(refused.value) == text


@pytest.mark.parametrize(
    "line",
    [
        "apply -f -",
        "-n shop apply -f - --server-side",
        "logs -p cart",
        "get pods -nfoo -o wide",
        "get pods -l app=fx --watch=false",
        "exec -it cart -- tail -f /var/log/x",
        "rollout status deployment/cart",
        "patch service x -p {} --type=merge",
    ],
)
def test_what_stays_in_the_cluster_runs(line: str) -> None:
    check(parse(line))


@pytest.mark.parametrize(
    ("line", "words", "reads"),
    [
        ("get pods", ("get",), True),
        ("-n shop get pods", ("get",), True),
        ("--namespace=shop delete pod x", ("delete",), False),
        ("rollout status deploy/x", ("rollout", "status"), True),
        ("rollout -n shop restart deploy/x", ("rollout", "restart"), False),
        ("auth can-i get pods", ("auth", "can-i"), True),
        ("set image deploy/x a=b", ("set", "image"), False),
        ("exec x -- ls", ("exec",), False),
        ("", (), True),
    ],
)
def test_verbs(line: str, words: tuple[str, ...], reads: bool) -> None:
    assert verb(parse(line)) == words
    assert reads_only(parse(line)) is reads
