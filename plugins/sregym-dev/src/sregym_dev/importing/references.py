"""Where a container's configuration names a Service: variables, flags, files, command lines."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sregym_apps.model import FormError, parsed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sregym_apps.manifests import KubeObject

    from sregym_dev.importing.container_inputs import Part

# Names of settings whose value is a host or an address, as far as the name tells.
_OF_ADDRESSES = re.compile(
    r"(HOST|HOSTS|HOSTNAME|ADDR|ADDRESS|ADDRESSES|URL|URLS|URI|SERVER|SERVERS|ENDPOINT|ENDPOINTS|BROKER|"
    r"BROKERS|DSN|CONN|CONNECTION|UPSTREAM|BACKEND|TARGET|NODES|SERVICE|PROXY|BOOTSTRAP|"
    r"LINK|CONNECTIONSTRING|MASTER|PEER|API)$",
    re.IGNORECASE,
)
# Words between the name of a setting and the thing it is of.
_TAIL = {
    "port": ("PORT",),
    "user": ("USER", "USERNAME", "LOGIN"),
    "password": ("PASSWORD", "PASS", "PWD"),
    "database": ("DATABASE", "DB", "NAME", "DB_NAME", "DBNAME", "DATABASE_NAME", "SCHEMA"),
}
_ADDRESSES = "HOSTNAME|HOST|ADDRESS|ADDR|URL|URI|SERVER|ENDPOINT"
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_URL_PATH = re.compile(r"://[^/]*/([\w-]+)")


@dataclass(frozen=True)
class Source:
    """Where a value stands: a variable, a flag, an argument, a key of a file, or somewhere in a text.

    Attributes:
        env: Name of the variable.
        flag: Name of the flag.
        file: Path of the file.
        key: Dotted key in it.
        value: The whole value.
        called: What the setting is called, where none of these tells.
    """

    env: str = ""
    flag: str = ""
    file: str = ""
    key: str = ""
    value: str = ""
    called: str = ""

    @property
    def name(self) -> str:
        """What the setting is called, as its end tells what it is."""
        return self.called or self.env or self.flag or self.key.rpartition(".")[2]

    @property
    def shown(self) -> str:
        """As remarks name it."""
        if self.env:
            return f"variable {self.env}"
        if self.flag:
            return f"flag {self.flag}"
        if self.file:
            return f"file {self.file}" + (f", key {self.key}" if self.key else "")
        return "its command line"

    def setting(self) -> dict[str, Any] | None:
        """As a setting of a program; None where it is no value of its own."""
        if self.env:
            return {"env": self.env}
        if self.flag:
            return {"flag": self.flag}
        if self.file and self.key:
            return {"file": self.file, "key": self.key}
        return {"file": self.file} if self.file and self.called else None


@dataclass(frozen=True)
class Reference:
    """A container's configuration names a Service.

    Attributes:
        service: The Service.
        port: The port that is named with it; 0 for none.
        scheme: Of a URL; empty for none.
        source: Where.
        whole: Whether the value is one address and nothing else.
    """

    service: KubeObject
    port: int
    scheme: str
    source: Source
    whole: bool


def references_of(part: Part, services: Iterable[KubeObject]) -> list[Reference]:
    """The Services that a container's configuration names, each once, the best source first."""
    found: list[Reference] = []
    every = list(services)
    for source in _sources(part):
        for service in every:
            one = _named(source, service, part)
            if one is not None:
                found.append(one)
    best: dict[tuple[int, int], Reference] = {}
    for one in sorted(found, key=lambda one: (not one.whole, not one.port)):
        key = (id(one.service), one.port)
        there = {entry["port"] for entry in one.service["spec"].get("ports") or ()}
        told = not one.port and any(k[0] == key[0] and k[1] in there for k in best)
        if key not in best and not told:
            best[key] = one
    ordered = {id(one): n for n, one in enumerate(found)}
    return sorted(best.values(), key=lambda one: ordered[id(one)])


def sibling(part: Part, source: Source, what: str) -> Source | None:
    """The setting beside another that is its port, user, password or database.

    Args:
        part: The container.
        source: `DB_HOST`, say.
        what: `port`, `user`, `password` or `database`.
    """
    names = {one.name: one for one in _sources(part) if one.name and one.name != source.name}
    stem = _stem(source.name)
    for name, one in names.items():
        for tail in _TAIL[what]:
            if _upper(name) in {f"{stem}_{tail}", f"{stem.removesuffix('_DB')}_{tail}"}:
                return one
    # `WORDPRESS_DATABASE_USER` beside `MARIADB_HOST`, where no other is of a database; that of
    # `ORDERS_DB_USER` is the one at `ORDERS_DB_HOST`, where there is that.
    ends = tuple(f"{before}_{tail}" for before in ("DATABASE", "DB") for tail in _TAIL[what])
    upper = {_upper(name): one for name, one in names.items()}
    others = [
        one
        for name, one in upper.items()
        if name.endswith(ends) and not _has_address(name, _TAIL[what], upper)
    ]
    return others[0] if len(others) == 1 and what != "port" else None


def database_in(value: str) -> str:
    """The database that a URL names."""
    found = _URL_PATH.search(value)
    return found[1] if found else ""


def _has_address(name: str, tails: Iterable[str], names: Iterable[str]) -> bool:
    """Whether the address of whom an account belongs to stands beside it."""
    stems = {name.removesuffix(f"_{tail}") for tail in tails if name.endswith(f"_{tail}")}
    addresses = {f"{stem}_{word}" for stem in stems for word in _ADDRESSES.split("|")}
    return not addresses.isdisjoint(names)


def _stem(name: str) -> str:
    """`DB` of `DB_HOST`."""
    return re.sub(rf"_?({_ADDRESSES}|NAME)$", "", _upper(name))


def _upper(name: str) -> str:
    return _CAMEL.sub("_", name).upper().replace("-", "_").replace(".", "_")


def _sources(part: Part) -> Iterator[Source]:
    """All values that a container reads, each with its place."""
    for name, value in part.env.items():
        yield Source(env=name, value=value)
        if name.endswith("_FILE") and value in part.files:
            stem = name.removesuffix("_FILE")
            yield Source(file=value, value=part.files[value].strip(), called=stem)
    words = part.words
    for index, word in enumerate(words):
        flag, equals, value = word.partition("=")
        if word.startswith("-") and equals:
            yield Source(flag=flag.lstrip("-"), value=value)
        elif index and words[index - 1].startswith("-") and "=" not in words[index - 1]:
            yield Source(flag=words[index - 1].lstrip("-"), value=word)
        elif not word.startswith("-"):
            yield Source(value=word)
    for path, text in part.files.items():
        yield from _in_file(path, text)


def _in_file(path: str, text: str) -> Iterator[Source]:
    try:
        data = parsed(text, path)
    except FormError:
        data = None
    if not isinstance(data, dict):
        yield Source(file=path, value=text)
        return
    for key, value in _leaves(data):
        yield Source(file=path, key=key, value=value)


def _leaves(data: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    for key, value in data.items():
        here = f"{before}{key}"
        if isinstance(value, dict):
            yield from _leaves(value, f"{here}.")
        elif isinstance(value, list):
            yield here, " ".join(str(one) for one in value)
        elif value is not None:
            yield here, str(value)


def _named(source: Source, service: KubeObject, part: Part) -> Reference | None:
    """The reference of a value to a Service, or None."""
    name, space = service["metadata"]["name"], service["metadata"]["namespace"]
    if name not in source.value:
        return None
    suffix = rf"(?:\.{re.escape(space)}(?:\.svc(?:\.cluster\.local)?)?)?"
    needed = suffix if space == part.namespace else suffix.removesuffix("?")
    pattern = rf"(?<![\w.-])(?:(?P<scheme>[a-z][a-z0-9+.:-]*)://(?:[^\s/@]*@)?|(?P<at>[^\s/@:]+:[^\s/@]*@(?:tcp\()?))?(?<![\w.-]){re.escape(name)}(?P<rest>{needed})\.?(?::(?P<port>\d{{1,5}}))?(?![\w.-])"  # fmt: skip
    for found in re.finditer(pattern, source.value):
        scheme, port = found["scheme"] or "", int(found["port"] or 0)
        alone = found[0] == source.value.strip()
        telling = bool(scheme or port or found["rest"] or found["at"])
        if not telling and not (alone and _names_an_address(source, name)):
            continue
        ends = source.value[found.end() :]
        whole = found.start() == 0 and (not ends or ends[0] == "/") and "," not in ends
        if found["at"] and "(" in found["at"]:
            whole = False
        return Reference(service, port, scheme.rpartition(":")[2], source, whole)
    return None


def _names_an_address(source: Source, service: str) -> bool:
    if not source.name:
        return False
    name = _upper(source.name)
    if _OF_ADDRESSES.search(name) or source.name in ("h", "host"):
        return True
    # `REDIS: redis`; but `DB_NAME: catalogue` is no address.
    return name == _upper(service)
