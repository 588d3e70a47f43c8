from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sregym_apps.lint import lint_folder
from sregym_apps.manifests import load_manifests
from sregym_apps.model import parse_service_model
from sregym_apps.notes import load_notes
from sregym_apps.table import expanded, with_table
from sregym_core.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

TABLE = """\
templates:
  web:
    defaults: {port: 8080, calls: [], image: "acme/{{ name }}"}
    objects:
      - apiVersion: v1
        kind: ConfigMap
        metadata: {name: "{{ name }}", namespace: shop}
        data: {"{{ each call in calls }}": {"{{ call }}": "http://{{ call }}:8080"}}
    components:
      "{{ name }}": {kind: service}
    programs:
      "{{ name }}":
        startup: [{listen: http}]
        listeners: {http: {protocol: http, port: "{{ port }}"}}
rows:
  - {template: web, name: front, calls: [stock]}
  - {template: web, name: stock, port: 81}
"""


def broken(old: str, new: str) -> list[str]:
    assert old in TABLE
    return [str(defect) for defect in expanded(TABLE.replace(old, new, 1), "table.yaml").defects]


def test_a_row_makes_manifests_notes_and_programs(tmp_path: Path) -> None:
    (tmp_path / "table.yaml").write_text(TABLE)
    (tmp_path / "service_model.yaml").write_text("application: shop\nprograms: {own: {}}\n")
    (tmp_path / "components.yaml").write_text("stock: {kind: datastore}\n")
    (tmp_path / "manifests").mkdir()
    (tmp_path / "manifests" / "own.yaml").write_text(
        "apiVersion: v1\nkind: Secret\nmetadata: {name: own}\n"
    )

    folder = with_table(tmp_path)
    objects = load_manifests(folder / "manifests")
    model = parse_service_model((folder / "service_model.yaml").read_text(encoding="utf-8"), "x")

    assert [(obj["kind"], obj["metadata"]["name"]) for obj in objects] == [
        ("ConfigMap", "front"),
        ("ConfigMap", "stock"),
        ("Secret", "own"),
    ]
    assert [obj.get("data") for obj in objects] == [{"stock": "http://stock:8080"}, {}, None]
    assert {name: note.kind for name, note in load_notes(folder / "components.yaml").items()} == {
        "front": "service",
        "stock": "datastore",
    }
    assert sorted(model.programs) == ["front", "own", "stock"]


def test_rows_bring_images_which_are_counted_once(tmp_path: Path) -> None:
    images = "    images:\n      - {repository: acme/base, tags: [v1], size_mib: 1}\n      - {repository: 'acme/{{ name }}', tags: [v1], size_mib: 1}\n"
    (tmp_path / "table.yaml").write_text(
        TABLE.replace("    programs:\n", f"{images}    programs:\n")
    )
    (tmp_path / "service_model.yaml").write_text(
        "application: shop\nimages: [{repository: own, tags: [v1], size_mib: 1}]\n"
    )

    text = (with_table(tmp_path) / "service_model.yaml").read_text(encoding="utf-8")
    model = parse_service_model(text, "x")

    assert [one.repository for one in model.images] == [
        "own",
        "acme/base",
        "acme/front",
        "acme/stock",
    ]


def test_a_folder_without_a_table_is_itself(tmp_path: Path) -> None:
    assert with_table(tmp_path) is tmp_path


def test_templates_of_another_package_are_included() -> None:
    include = 'include: ["sregym_apps_no_such:x.yaml"]\n'
    (defect,) = expanded(include + TABLE, "table.yaml").defects

    assert str(defect) == (
        "table.yaml:1: include[0]: 'sregym_apps_no_such:x.yaml' cannot be read: "
        "ModuleNotFoundError: No module named 'sregym_apps_no_such'"
    )


@pytest.mark.parametrize(
    ("old", "new", "messages"),
    [
        ("rows:\n", "row:\n", ["table.yaml:1: a table has 'templates' and 'rows'"]),
        (
            "rows:\n",
            "inclde: []\nrows:\n",
            [
                "table.yaml:15: inclde: there is no field 'inclde'; meant: 'include'; there is: "
                "derive, include, rows, templates, vocabulary"
            ],
        ),
        (
            "    programs:",
            "    program:",
            [
                "table.yaml:11: templates.web.program: there is no field 'program'; meant: 'programs'; "
                "there is: components, defaults, images, objects, programs"
            ],
        ),
        (
            "port: 81",
            "prot: 81",
            [
                "table.yaml:17: rows[1].prot: there is no value of template 'web' 'prot'; meant: 'port'; "
                "there is: calls, image, port"
            ],
        ),
        (
            "name: stock",
            "name: front",
            ["table.yaml:17: rows[1].name: 'front' is the name of row 1, too"],
        ),
        (
            "template: web, name: stock",
            "template: wbe, name: stock",
            ["table.yaml:17: rows[1].template: there is no template 'wbe'; meant: 'web'; there is: web"],
        ),
        (
            'port: "{{ port }}"',
            'port: "{{ porto }}"',
            [
                "table.yaml:14: templates.web.programs.{{ name }}.listeners.http.port: for row "
                f"{name!r}: there is no 'porto'; there is: calls, image, name, port, template"
                for name in ("front", "stock")
            ],
        ),
        ("  - {template: web, name: stock, port: 81}", "  - 7", ["table.yaml:17: rows[1]: a row has a 'name' and a 'template'"]),
        ("    objects:\n", "    objects: {}\n    objct:\n", [
            "table.yaml:4: templates.web.objects: is {}, not a list",
            "table.yaml:5: templates.web.objct: there is no field 'objct'; meant: 'objects'; there is: "
            "components, defaults, images, objects, programs",
        ]),
    ],
)  # fmt: skip
def test_mistakes_are_told_with_their_lines(old: str, new: str, messages: list[str]) -> None:
    assert broken(old, new) == messages


def test_two_rows_that_make_different_programs_of_one_name() -> None:
    found = broken('programs:\n      "{{ name }}":', 'programs:\n      "same":')

    assert found == [
        "table.yaml:17: rows[1]: programs: 'same' comes from an earlier row with other content, too"
    ]


def test_mistakes_stop_loading_and_are_linted(tmp_path: Path) -> None:
    (tmp_path / "table.yaml").write_text(TABLE.replace("port: 81", "prot: 81"))
    message = (
        "rows[1].prot: there is no value of template 'web' 'prot'; meant: 'port'; there is: calls, "
        "image, port"
    )

    with pytest.raises(UsageError) as raised:
        with_table(tmp_path)

    assert str(raised.value) == f"table.yaml:17: {message}"
    assert [str(defect) for defect in lint_folder(tmp_path, "shop")] == [
        f"shop/table.yaml:17: {message}"
    ]
