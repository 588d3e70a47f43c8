"""The package of an application that was read: its files, with what was guessed written beside."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from importlib.resources import files
from itertools import groupby
from typing import TYPE_CHECKING, Any

import yaml
from sregym_apps.simulation import installed

from sregym_dev.importing.cleaning import cleaned, namespaces_of
from sregym_dev.importing.guess import Guess, Guesser
from sregym_dev.importing.remarks import Remarks
from sregym_dev.importing.sources import objects_from
from sregym_dev.package import Package, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from sregym_apps.manifests import KubeObject
    from sregym_core.interfaces import Vocabulary

_TEMPLATES = "app-from"
# Templates of a new application that one from files has, too.
_SHARED = ("src/MODULE/plugin.py.template",)


@dataclass(frozen=True)
class Imported(Package):
    """A package of an application from files that a team has.

    Attributes:
        guess: What is in it.
        remarks: What was guessed and left out.
        source: What was read, as it is named to people.
    """

    guess: Guess = field(kw_only=True)
    remarks: Remarks = field(kw_only=True)
    source: str = field(kw_only=True)

    @classmethod
    def read(cls, name: str, path: Path, vocabulary: Callable[[], Vocabulary | None]) -> Imported:
        """Read a folder of manifests, a chart or a compose file.

        Args:
            name: Of the application.
            path: What is read.
            vocabulary: Gives what simulated clusters know; asked once the files have been read.

        Raises:
            UsageError: It cannot be read, or holds nothing that can be an application.
        """
        Package("app", name)  # a name that cannot be used is told first
        remarks = Remarks()
        objects = cleaned(objects_from(path, name, remarks), name, remarks)
        guess = Guesser(objects, name, vocabulary(), remarks).guess()
        return cls(
            "app", name, guess=guess, remarks=remarks, source=path.name or str(path.resolve().name)
        )

    def files(self) -> Iterator[tuple[str, str]]:
        """Path and text of each file."""
        names = self.names() | self._own_names()
        for path, template in walk(files("sregym_dev") / "templates" / "every"):
            if not path.startswith("README"):
                yield self.filled(path, template, names)
        for path, template in walk(files("sregym_dev") / "templates" / "app"):
            if path in _SHARED:
                yield self.filled(path, template, names)
        for path, template in walk(files("sregym_dev") / "templates" / _TEMPLATES):
            yield self.filled(path, template, names)
        module = f"src/{self.module}"
        yield "IMPORTED.md", self.notes()
        yield f"{module}/service_model.yaml", self._model()
        first = "# Who calls whom and what users do, as it was guessed; see IMPORTED.md.\n\n"
        yield f"{module}/components.yaml", first + _yaml(self.guess.notes)
        for name, objects in self._by_file():
            yield (
                f"{module}/manifests/{name}.yaml",
                yaml.safe_dump_all(objects, sort_keys=False, width=110),
            )

    def notes(self) -> str:
        """What was guessed, changed and left out, for people who go on by hand."""
        text = [f"# {self.name}: what was read from `{self.source}`\n"]
        titles = {
            "guessed": "Guessed: look at these first",
            "changed": "Changed",
            "left out": "Left out",
        }
        for kind, title in titles.items():
            found = self.remarks.of(kind)
            if found:
                text.append(f"\n## {title}\n\n")
                text += [f"- {one.where}: {one.text}\n" for one in found]
        text.append(
            "\n## What nobody can read from such files\n\n"
            "- times, errors and log lines of the programs: `service_model.yaml` has usual ones;\n"
            "- what a request does: each asks all that its program's configuration names;\n"
            "- what is in databases: a table `records`, where anybody reads one.\n"
        )
        return "".join(text)

    def _model(self) -> str:
        model = self.guess.model
        first = "# How the programs behave, as it was guessed; see IMPORTED.md.\n\n"
        parts = [
            _yaml({key: model[key]})
            for key in ("application", "entry_points", "images", "programs")
        ]
        return first + "\n".join(parts)

    def _by_file(self) -> Iterator[tuple[str, list[KubeObject]]]:
        """The objects by the file in which they stand: one for each workload and what has its name."""
        workloads = {
            obj["metadata"]["name"]
            for obj in self.guess.objects
            if "template" in (obj.get("spec") or {})
        }

        def file(obj: KubeObject) -> str:
            name = str(obj["metadata"]["name"])
            if obj["kind"] == "Namespace":
                return "namespace"
            return name.replace(":", "-") if name in workloads else obj["kind"].lower()

        ordered = sorted(self.guess.objects, key=file)
        for name, objects in groupby(ordered, key=file):
            yield name, list(objects)

    def _own_names(self) -> dict[str, str]:
        guess = self.guess
        spaces = namespaces_of(guess.objects)
        service = guess.entrance.service["metadata"]
        message = f"Users come in by Service {service['name']}, port {guess.entrance.port}, in namespace {service['namespace']}."
        # As errors name it: distribution and version.
        owners = {installed().owner("server kind", kind).partition(" ")[0] for kind in guess.kinds}
        needed = sorted(owners)
        return {
            "namespaces": json.dumps(spaces)[1:-1] + ("," if len(spaces) == 1 else ""),
            "description": message,
            "load_namespace": guess.load[0],
            "load_name": guess.load[1],
            "source": self.source,
            "kinds": "".join(f'    "{one}",\n' for one in needed),
        }


class _Plain(yaml.SafeDumper):
    """Without anchors: the same setting in two places is two settings for authors."""

    def ignore_aliases(self, data: Any) -> bool:
        """Whatever it is."""
        return True


def _yaml(data: Any) -> str:
    return yaml.dump(data, Dumper=_Plain, sort_keys=False, width=110, allow_unicode=True)
