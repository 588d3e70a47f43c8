"""Options, kubeconfigs, and what is said when they are wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from sregym_cluster_kubernetes.kubeconfig import read_config
from sregym_cluster_kubernetes.options import ClusterOptions, parse
from sregym_cluster_kubernetes.provider import Kubeconfig
from sregym_core.errors import UsageError
from sregym_core.interfaces import ClusterSpec


def config(name: str = "one", **cluster: Any) -> dict[str, Any]:
    return {
        "current-context": name,
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
        "clusters": [{"name": name, "cluster": cluster or {"server": f"https://{name}"}}],
        "users": [{"name": name, "user": {"token": f"secret of {name}"}}],
    }


def write(path: Path, content: Any) -> str:
    path.write_text(content if isinstance(content, str) else yaml.safe_dump(content))
    return str(path)


def test_options_get_their_types() -> None:
    given = {"context": "c", "kubeconfig": "f", "pace": "60", "prometheus": "http://p"}
    assert parse(given) == ClusterOptions("c", "f", 60.0, {"prometheus": "http://p"})
    assert parse({"suffix": "-mine"}).suffix == "-mine"
    assert parse({}) == ClusterOptions("", "", 1.0, {})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"colour": "red"},
            "cluster 'kubeconfig' has no option 'colour'; known: context, kubeconfig, pace, "
            "prometheus, loki, jaeger, alertmanager, nodes, ssh-user, ssh-config, enter-nodes, "
            "suffix, telemetry",
        ),
        (
            {"pace": "fast"},
            "cluster 'kubeconfig', option 'pace': a positive number is needed, not 'fast'",
        ),
        (
            {"pace": "0"},
            "cluster 'kubeconfig', option 'pace': a positive number is needed, not '0'",
        ),
        (
            {"loki": "loki"},
            "cluster 'kubeconfig', option 'loki': a URL, or NAMESPACE/SERVICE[:PORT][/PATH] of a "
            "Service in the cluster, not 'loki'",
        ),
        (
            {"suffix": "-Mine"},
            "cluster 'kubeconfig', option 'suffix': at most 20 small letters, digits and dashes, "
            "the last no dash, not '-Mine'",
        ),
    ],
)
def test_wrong_options(options: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError) as refused:
        Kubeconfig().provision(ClusterSpec(options=options))
    assert str(refused.value) == message


def test_one_context_is_taken_out(tmp_path: Path) -> None:
    one, two = config("one"), config("two")
    both = {"current-context": "two", **{k: one[k] + two[k] for k in one if k[-1] == "s"}}
    file = write(tmp_path / "config", both)
    wanted = {"apiVersion": "v1", "kind": "Config"}
    assert read_config(ClusterOptions(kubeconfig=file)) == {**wanted, **two}
    assert read_config(ClusterOptions(kubeconfig=file, context="one")) == {**wanted, **one}


def test_several_files_are_joined_and_the_first_wins(tmp_path: Path) -> None:
    first = write(tmp_path / "first", config("one"))
    other = config("one", server="https://other")
    other["contexts"].append({"name": "more", "context": {"cluster": "one", "user": "one"}})
    second = write(tmp_path / "second", other)
    found = read_config(ClusterOptions(kubeconfig=f"{first}:{second}:absent", context="more"))
    assert found["clusters"] == [{"name": "one", "cluster": {"server": "https://one"}}]


def test_file_names_become_absolute(tmp_path: Path) -> None:
    content = config("one", server="https://one", **{"certificate-authority": "pki/ca.crt"})
    content["users"][0]["user"] = {"client-certificate": "/etc/me.crt", "client-key": "me.key"}
    found = read_config(ClusterOptions(kubeconfig=write(tmp_path / "config", content)))
    assert found["clusters"][0]["cluster"] == {
        "server": "https://one",
        "certificate-authority": str(tmp_path / "pki/ca.crt"),
    }
    assert found["users"][0]["user"] == {
        "client-certificate": "/etc/me.crt",
        "client-key": str(tmp_path / "me.key"),
    }


def _without(content: dict[str, Any], key: str) -> dict[str, Any]:
    return {k: v for k, v in content.items() if k != key}


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (
            None,
            {},
            "no kubeconfig at '{file}'; set KUBECONFIG or use --cluster kubeconfig:kubeconfig=FILE",
        ),
        (config(), {"context": "two"}, "kubeconfig '{file}' has no context 'two'; known: one"),
        (
            _without(config(), "current-context"),
            {},
            "kubeconfig '{file}' has no current context; known: one",
        ),
        ({}, {"context": "two"}, "kubeconfig '{file}' has no context 'two'; known: none"),
        (
            {**config(), "users": []},
            {},
            "kubeconfig '{file}': context 'one' names 'one', which is not among its users",
        ),
        (
            config("one", proxy="x"),
            {},
            "kubeconfig '{file}', cluster 'one': it has no server",
        ),
        (
            "a: 1\nb: 2: 3",
            {},
            "kubeconfig '{file}', line 2: not YAML: mapping values are not allowed here",
        ),
        (
            "just text",
            {},
            "kubeconfig '{file}': a mapping of fields is needed, this is str",
        ),
        (
            {"clusters": [{"cluster": {}}]},
            {},
            "kubeconfig '{file}': an entry of 'clusters' has no name",
        ),
    ],
)
def test_wrong_kubeconfigs(
    tmp_path: Path, content: Any, options: dict[str, str], message: str
) -> None:
    file = tmp_path / "config"
    if content is not None:
        write(file, content)
    with pytest.raises(UsageError) as refused:
        Kubeconfig().provision(ClusterSpec(options={"kubeconfig": str(file), **options}))
    assert str(refused.value) == message.format(file=file)


def test_a_folder_is_no_kubeconfig(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        read_config(ClusterOptions(kubeconfig=str(tmp_path)))
    assert str(refused.value) == f"kubeconfig {str(tmp_path)!r} cannot be read: Is a directory"
