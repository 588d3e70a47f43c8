"""What Go templates cost, with what Jinja takes for the same text. Prints CPU microseconds and ratios.

python benchmarks/go_templates.py: no other engine of Go's templates is known on PyPI; Jinja is
measured where it is installed, and compiles templates to Python. Above 1 it takes longer.
"""

from __future__ import annotations

import importlib
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from sregym_gotemplate import compile_template

if TYPE_CHECKING:
    from collections.abc import Callable

DATA = {
    "name": "web",
    "labels": {"app": "web", "tier": "front"},
    "pods": [{"name": f"web-{number}", "restarts": number % 5} for number in range(50)],
}
# The same text in both languages.
TEMPLATES = (
    ("{{.name}} {{.labels.app}}", "{{name}} {{labels.app}}"),
    (
        '{{if eq .name "web"}}yes{{else}}no{{end}}',
        '{% if name == "web" %}yes{% else %}no{% endif %}',
    ),
    (
        "{{range .pods}}{{.name}}={{.restarts}};{{end}}",
        "{% for p in pods %}{{p.name}}={{p.restarts}};{% endfor %}",
    ),
    (
        "{{range .pods}}{{if gt .restarts 3}}{{.name | printf `%-8s`}}{{end}}{{end}}",
        "{% for p in pods %}{% if p.restarts > 3 %}{{'%-8s' % p.name}}{% endif %}{% endfor %}",
    ),
)
RUNS, TIMES = 7, 200


def best_us(work: Callable[[], object]) -> float:
    taken = []
    for _ in range(RUNS):
        begun = time.process_time()
        for _ in range(TIMES):
            work()
        taken.append(time.process_time() - begun)
    return min(taken) / TIMES * 1e6


def jinja(text: str) -> Any:
    return importlib.import_module("jinja2").Template(text, autoescape=True)


def main() -> None:
    for own, other in TEMPLATES:
        template = compile_template(own)
        read, made = (
            best_us(partial(compile_template, own)),
            best_us(partial(template.render, DATA)),
        )
        print(f"{own}\n  {read:.0f} us to read, {made:.1f} us to carry out")
        try:
            same = jinja(other)
        except ImportError:
            print("  Jinja: not installed")
            continue
        assert same.render(DATA) == template.render(DATA)
        slower = best_us(partial(same.render, DATA)) / made
        print(f"  Jinja: x{best_us(partial(jinja, other)) / read:.2f} to read, x{slower:.2f}")


if __name__ == "__main__":
    main()
