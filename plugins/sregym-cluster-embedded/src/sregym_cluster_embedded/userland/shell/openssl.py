"""openssl: version, x509 of files and of what s_client wrote, s_client against servers with TLS."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from sregym_cluster_embedded.network.certificates import Certificate, read
from sregym_cluster_embedded.network.records import is_address
from sregym_cluster_embedded.userland.shell.dns_queries import unresolved
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session
from sregym_cluster_embedded.userland.shell.sockets import WORDS, connect, wait_for
from sregym_cluster_embedded.userland.shell.tls import certificate_of

_VERSION = "OpenSSL 3.0.15 3 Sep 2024"
_ERRNO = {"refused": "111", "timeout": "110", "no_route": "113", "unreachable": "101"}
_NUMBERS = {
    "certificate has expired": 10,
    "certificate is not yet valid": 9,
    "self-signed certificate": 18,
    "unable to get local issuer certificate": 20,
    "unable to verify the first certificate": 21,
    "hostname mismatch": 62,
}
_CHAIN = re.compile(
    r" 0 s:CN = (?P<subject>.*)\n   i:CN = (?P<issuer>.*)\n.*\n   v:NotBefore: (?P<first>.*?); NotAfter: (?P<last>.*)"
)


def _openssl(session: Session, words: list[str], stdin: str) -> Output:
    what = words[1] if len(words) > 1 else "help"
    if what == "version":
        return Output(0, f"{_VERSION} (Library: {_VERSION})\n")
    if what == "x509":
        return _x509(session, words[2:], stdin)
    if what == "s_client":
        return _s_client(session, words[2:])
    return Output(1, "", f"Invalid command '{what}'; type \"help\" for a list.\n")


def _moment(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%b %e %H:%M:%S %Y GMT")


def _seconds(text: str) -> float:
    return datetime.strptime(text, "%b %d %H:%M:%S %Y GMT").replace(tzinfo=UTC).timestamp()


def _x509(session: Session, words: list[str], stdin: str) -> Output:
    text = stdin
    if "-in" in words[:-1]:
        path = words[words.index("-in") + 1]
        found = session.files.read(session.path(path))
        if found is None:
            return Output(
                1, "", f"Could not open file or uri for loading certificate from {path}\n"
            )
        text = found
    certificate = read(text)
    chain = _CHAIN.search(text)
    if certificate is None and chain is not None:
        first, last = _seconds(chain["first"]), _seconds(chain["last"])
        certificate = Certificate(chain["subject"], chain["issuer"], (), first, last, False)
    if certificate is None:
        return Output(
            1, "", "Could not read certificate from <stdin>\nUnable to load certificate\n"
        )
    shown = {
        "-subject": f"subject=CN = {certificate.subject}\n",
        "-issuer": f"issuer=CN = {certificate.issuer}\n",
        "-startdate": f"notBefore={_moment(certificate.not_before)}\n",
        "-enddate": f"notAfter={_moment(certificate.not_after)}\n",
    }
    shown["-dates"] = shown["-startdate"] + shown["-enddate"]
    shown["-text"] = (
        f"Certificate:\n    Data:\n        Version: 3 (0x2)\n        Issuer: CN = {certificate.issuer}\n"
        f"        Validity\n            Not Before: {_moment(certificate.not_before)}\n"
        f"            Not After : {_moment(certificate.not_after)}\n"
        f"        Subject: CN = {certificate.subject}\n        X509v3 extensions:\n"
        "            X509v3 Subject Alternative Name: \n"
        f"                {', '.join(f'DNS:{name}' for name in certificate.names)}\n"
    )
    names = ", ".join(f"DNS:{name}" for name in certificate.names)
    if "-ext" in words[:-1] and "subjectAltName" in words[words.index("-ext") + 1]:
        said = f"X509v3 Subject Alternative Name: \n    {names}\n"
        shown["-ext"] = said if names else "No extensions matching subjectAltName\n"
    out, code = "".join(shown.get(word, "") for word in words), 0
    if "-checkend" in words[:-1]:
        seconds = words[words.index("-checkend") + 1]
        ends = session.files.now + (int(seconds) if seconds.isdecimal() else 0)
        code = int(certificate.not_after < ends)
        out += f"Certificate will {'' if code else 'not '}expire\n"
    return Output(code, out if "-noout" in words else out + text)


def _s_client(session: Session, words: list[str]) -> Output:
    place = words[words.index("-connect") + 1] if "-connect" in words[:-1] else "localhost:4433"
    host, _, port = place.rpartition(":")
    number = int(port) if port.isdecimal() else 443
    target = connect(session, host, number)
    if target.kind == "dns":
        why = unresolved(session, host)
        return Output(1, "", f"BIO_lookup_ex:{why}\nconnect:errno=22\n")
    if target.kind not in ("", "protocol"):
        if target.kind == "timeout":
            wait_for(session, None)
        words_of = WORDS.get(target.kind, "Connection refused")
        errno = _ERRNO.get(target.kind, "111")
        return Output(1, "", f"BIO_connect:{words_of}\nconnect:errno={errno}\n")
    name = words[words.index("-servername") + 1] if "-servername" in words[:-1] else host
    certificate = certificate_of(session, target, name)
    if certificate is not None:
        return _handshake(session, certificate, name, words)
    return Output(
        1,
        "CONNECTED(00000003)\n---\nno peer certificate available\n---\n",
        "error:0A00010B:SSL routines:ssl3_get_record:wrong version number\n",
    )


def _handshake(session: Session, shown: Certificate, name: str, words: list[str]) -> Output:
    brief = "-brief" in words
    problems, issuer = _problems(session, shown, words)
    said = problems[-1] if problems else ""
    if not said and "-verify_hostname" in words[:-1]:
        wanted = words[words.index("-verify_hostname") + 1]
        said = "" if shown.names_host(wanted) else "hostname mismatch"
        problems = [said] if said else []
    number = _NUMBERS.get(said, 0)
    err = "Can't use SSL_get_servername\n" if brief and is_address(name) else ""
    err += f"depth=1 CN = {issuer}\nverify return:1\n" if issuer and not brief else ""
    ended = "" if brief else "verify return:1\n"
    date = {
        "certificate has expired": f"notAfter={_moment(shown.not_after)}\n",
        "certificate is not yet valid": f"notBefore={_moment(shown.not_before)}\n",
    }
    for each in problems:
        err += f"depth=0 CN = {shown.subject}\nverify error:num={_NUMBERS[each]}:{each}\n"
        err += date.get(each, "") + ended
    err += f"depth=0 CN = {shown.subject}\n" if not brief else ""
    err += date.get(said, "") + ended
    verified = f"Verification error: {said}" if said else "Verification: OK"
    if brief:
        err += (
            "CONNECTION ESTABLISHED\nProtocol version: TLSv1.3\n"
            "Ciphersuite: TLS_AES_256_GCM_SHA384\n"
            f"Peer certificate: CN = {shown.subject}\nHash used: SHA256\n"
            f"Signature type: ECDSA\n{verified}\nServer Temp Key: X25519, 253 bits\n"
        )
        return Output(0, "", f"{err}DONE\n")
    out = (
        "CONNECTED(00000003)\n---\nCertificate chain\n"
        f" 0 s:CN = {shown.subject}\n   i:CN = {shown.issuer}\n"
        "   a:PKEY: id-ecPublicKey, 256 (bit); sigalg: ecdsa-with-SHA256\n"
        f"   v:NotBefore: {_moment(shown.not_before)}; NotAfter: {_moment(shown.not_after)}\n---\n"
        f"subject=CN = {shown.subject}\nissuer=CN = {shown.issuer}\n---\n"
        "No client certificate CA names sent\nPeer signing digest: SHA256\n"
        "Peer signature type: ECDSA\nServer Temp Key: X25519, 253 bits\n---\n"
        f"SSL handshake has read 652 bytes and written 398 bytes\n{verified}\n---\n"
        "New, TLSv1.3, Cipher is TLS_AES_256_GCM_SHA384\nServer public key is 256 bit\n"
        "Secure Renegotiation IS NOT supported\nCompression: NONE\nExpansion: NONE\n"
        "No ALPN negotiated\nEarly data was not sent\n"
        f"Verify return code: {number} ({said or 'ok'})\n---\n"
    )
    return Output(0, out, f"{err}DONE\n")


def _problems(session: Session, shown: Certificate, words: list[str]) -> tuple[list[str], str]:
    """What a client has against a certificate, one after the other, and who has signed it.

    The signer is told only when the client trusts it.
    """
    found: list[str] = []
    issuer = ""
    trusted = read(session.files.read(session.path(_valued(words, "-CAfile"))) or "")
    if trusted is not None and trusted.subject == shown.issuer:
        issuer = "" if shown.self_signed else shown.issuer
    elif shown.self_signed:
        found.append("self-signed certificate")
    else:
        found += [
            "unable to get local issuer certificate",
            "unable to verify the first certificate",
        ]
    now = session.files.now
    if now < shown.not_before:
        found.append("certificate is not yet valid")
    elif now > shown.not_after:
        found.append("certificate has expired")
    return found, issuer


def _valued(words: list[str], option: str) -> str:
    return words[words.index(option) + 1] if option in words[:-1] else ""


OPENSSL_COMMANDS: dict[str, Command] = {"openssl": _openssl}
