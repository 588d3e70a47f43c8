"""Inputs that cost more than they look like: the worst times and memory of those that are known, and of random ones.

    python benchmarks/hostile_input.py [--seed N] [--count N] [--family NAME]

Each input is tried in a process of its own, on a cluster with shells and databases; what breaks the
promise (two seconds of a processor, 300 MB, and a cluster that answers afterwards) is printed.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path
from typing import Any

import yaml
from hostile_trial import Ready, Trial

KNOWN = Path(__file__).parents[1] / "tests" / "integration" / "hostile_inputs.yaml"
_NUMBERS = ("0", "1", "40", "1000", "999999999", "9999999999999999999999")
_ATOMS = {
    "regex": ("a", ".", "[a-z]", "(?i)A", "^", "$", "\\w", "x?", "a{1,30}"),
    "promql": ("up", "1", '{__name__=~".+"}', "vector(1)", "rate(up[5m])", "time()"),
    "logql": ('{namespace=~".+"}',),
    "yaml_body": ("a", "1", "{a: b}", "[x, y]"),
}
_FORMS: dict[str, tuple[str, ...]] = {
    "regex": ("({0})*", "({0})+", "({0}|{1})", "{0}{1}", "({0}){{1,9}}", "({0})?{1}"),
    "promql": (
        "({0} + {1})", "sum({0})", "max_over_time(({0})[1d:10s])", "({0} or {1})", "abs({0})",
        "quantile_over_time(0.5, ({0})[1h:1s])", "({0} * on() group_left() {1})", "topk(9, {0})",
        'label_replace({0}, "a", "$1$1$1", "job", "(.*)*")',
    ),
    "logql": (
        '{0} |~ "(a*)*b"', "{0} | logfmt", "{0} | json", '{0} | line_format "{{{{.a}}}}{{{{.a}}}}"',
        '{0} | regexp "(?P<x>.*)(?P<y>.*)"', '{0} | label_format a="{{{{ repeat 999 `x` }}}}"',
    ),
    "sh": (
        "while {0}; do {1}; done", "for i in $(seq {n}); do {0}; done", "({0}) | ({1})", "{0}; {1}",
        "f() {{ {0}; }}; f", "x=$({0}); {1}", "{0} | awk '{{a[NR]=$0; s=s s $0}} END{{print s}}'",
        "{0} | sed ':a;s/a/aa/;ta'", "{0} | grep -E '{re}'", "timeout {n} sh -c '{0}'",
    ),
    "yaml_body": ("a: &a {0}\nb: [*a, *a, *a]\n", "[{0}, {1}]", "{{k: {0}}}", "- {0}\n- {1}\n"),
    "kubectl": (),
}  # fmt: skip
_COMMANDS = (
    "true", "echo aaaaaaaaaa", "yes", "seq {n}", "cat /dev/zero", "x=$x$x", "head -c {n} /dev/zero",
    "printf '%{n}d' 1", "find /", "dd if=/dev/zero bs={n}", "echo $(({n}*{n}))", "tr a b", "sort",
)  # fmt: skip
_PATHS = (
    ".items",
    "[*]",
    "..",
    ".metadata",
    "{end}",
    "{range .items[*]}",
    ".name",
    "[?(@.a=='b')]",
)


def generated(chance: random.Random, family: str, depth: int = 5) -> str:
    """A random input of a family, nested up to a depth."""
    if family == "kubectl":
        inner = "".join(chance.choices(_PATHS, k=chance.randint(1, 40)))
        return f"get pods -A -o jsonpath={{{inner}}}".replace(" .items[*]", " .items[*]")
    if depth == 0 or chance.random() < 0.1:
        if family == "sh":
            return chance.choice(_COMMANDS).replace("{n}", chance.choice(_NUMBERS))
        return chance.choice(_ATOMS[family])
    parts = [generated(chance, family, depth - 1) for _ in range(2)]
    words = {"n": chance.choice(_NUMBERS)}
    form = chance.choice(_FORMS[family])
    if "{re}" in form:
        words["re"] = generated(chance, "regex", depth).replace("'", "")
    return form.format(*parts, **words)


def main() -> None:
    """Try them all, or random ones, and print the worst."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, help="random inputs of this seed, not the known ones")
    parser.add_argument("--count", type=int, default=50, help="random inputs of each family")
    parser.add_argument("--family", help="only these")
    arguments = parser.parse_args()
    if arguments.seed is None:
        inputs: dict[str, Any] = yaml.safe_load(KNOWN.read_text(encoding="utf-8"))
    else:
        chance = random.Random(arguments.seed)
        inputs = {
            family: [generated(chance, family) for _ in range(arguments.count)]
            for family in _FORMS
            if family != "regex"
        }
    ready = Ready()
    for family, texts in inputs.items():
        if arguments.family in (None, family):
            _report(family, [(text, ready.trial(family, text)) for text in texts])


def _report(family: str, tried: list[tuple[str, Trial]]) -> None:
    for text, trial in tried:
        if not trial.kept:
            print(f"  broken: {text[:120]!r}: {trial}")
    slowest = max(tried, key=lambda each: each[1].cpu_s)
    largest = max(tried, key=lambda each: each[1].extra_mib)
    print(
        f"{family:16} {len(tried):4} inputs, "
        f"{slowest[1].cpu_s:6.2f} s at most ({slowest[0][:40]!r}), "
        f"{largest[1].extra_mib:5.0f} MB at most ({largest[0][:40]!r})"
    )


if __name__ == "__main__":
    main()
