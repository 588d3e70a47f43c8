"""nginx as a command: tests of the configuration, its version, signals to the one that runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.commands import Output, send_to_main

from sregym_server_nginx.configuration import MAIN_FILE, sources
from sregym_server_nginx.loading import load
from sregym_server_nginx.program import NginxProgram
from sregym_server_nginx.server_log import error_line
from sregym_server_nginx.tokens import ConfigurationError

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.commands import Session

_SIGNALS = {"stop": 15, "quit": 3, "reopen": 10, "reload": 1}
_TAKING = ("-c", "-g", "-p", "-e", "-s")


def nginx(session: Session, words: list[str], _stdin: str) -> Output:
    """The command `nginx`, where it starts no server."""
    given, error = _options(words[1:])
    if error:
        return Output(1, "", f"nginx: {error}\n")
    version = f"nginx version: nginx/{_version(session)}\n"
    if "-v" in given:
        return Output(0, "", version)
    if "-V" in given:
        return Output(0, "", f"{version}built by gcc 12.2.0 (Debian 12.2.0-14+deb12u1) \nconfigure arguments: --prefix=/etc/nginx --sbin-path=/usr/sbin/nginx --conf-path=/etc/nginx/nginx.conf\n")  # fmt: skip
    path = given.get("-c", MAIN_FILE)
    try:
        load(session.world, session.files.container.pod, session.files, path)
    except ConfigurationError as wrong:
        return _failed(session, path, str(wrong), tested="-t" in given or "-T" in given)
    if "-t" in given or "-T" in given:
        good = (
            f"nginx: the configuration file {path} syntax is ok\n"
            f"nginx: configuration file {path} test is successful\n"
        )
        shown = _shown(session, path) if "-T" in given else ""
        return Output(0, shown, "" if "-q" in given else good)
    if "-s" in given:
        line = error_line(session.world, "notice", session.pid, "signal process started")
        send_to_main(session, _SIGNALS[given["-s"]])
        return Output(0, "", f"{line}\n")
    return Output(1, "", "".join(f"{error_line(session.world, 'emerg', session.pid, _TAKEN)}\n" for _ in range(5)) + f"nginx: [emerg] {_TAKEN}\n")  # fmt: skip


_TAKEN = "bind() to 0.0.0.0:80 failed (98: Address already in use)"


def is_asked(words: list[str]) -> bool:
    """Whether a command line is a question or an order, and starts no server."""
    return any(
        word in ("-t", "-T", "-v", "-V", "-s", "-h", "-?", "-q", "-tq") for word in words[1:]
    )


def _version(session: Session) -> str:
    given = session.environment.get("NGINX_VERSION")
    known = session.runtime.known(session.process).programs.values()
    return given or next(one.version for one in known if isinstance(one, NginxProgram))


def _options(words: list[str]) -> tuple[dict[str, str], str]:
    """The options with what they take, or what is wrong with them."""
    given: dict[str, str] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("-") or word == "-":
            return given, f'invalid option: "{word}"'
        if word in _TAKING:
            if not rest:
                what = "signal" if word == "-s" else "parameter" if word == "-g" else "file name"
                return given, f'option "{word}" requires {what}'
            given[word] = rest.pop(0)
        else:
            given.update({f"-{letter}": "" for letter in word[1:]})
    unknown = [word for word in given if word not in (*_TAKING, "-t", "-T", "-q", "-v", "-V")]
    if unknown:
        return given, f'invalid option: "{unknown[0][1:]}"'
    if given.get("-s", "stop") not in _SIGNALS:
        return given, f'invalid option: "-s {given["-s"]}"'
    return given, ""


def _failed(session: Session, path: str, text: str, *, tested: bool) -> Output:
    line = error_line(session.world, "emerg", session.pid, text)
    tail = f"nginx: configuration file {path} test failed\n" if tested else ""
    return Output(1, "", f"{line}\nnginx: [emerg] {text}\n{tail}")


def _shown(session: Session, path: str) -> str:
    """All files of a configuration, each under its name."""
    texts = [(file, session.files.read(file) or "") for file in sources(session.files, path)]
    return "".join(f"# configuration file {file}:\n{text}\n" for file, text in texts)
