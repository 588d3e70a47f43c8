"""Keys of submitters: Ed25519, in a file of their own."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from sregym_core.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


def key_of(file: Path) -> Ed25519PrivateKey:
    """The key of a file, PEM without a password; made where there is no file.

    Raises:
        UsageError: It cannot be read or made, or is no such key.
    """
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import (
        Encoding,
        NoEncryption,
        PrivateFormat,
        load_pem_private_key,
    )

    try:
        if not file.exists():
            key = Ed25519PrivateKey.generate()
            text = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
            opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(opened, "wb") as stream:
                stream.write(text)
            return key
        found = load_pem_private_key(file.read_bytes(), password=None)
    except OSError as error:
        msg = f"key {str(file)!r}: {error.strerror}; name a file that can be read, or made"
        raise UsageError(msg) from error
    except (ValueError, TypeError) as error:
        msg = f"key {str(file)!r} is no Ed25519 key in PEM without a password"
        raise UsageError(msg) from error
    if not isinstance(found, Ed25519PrivateKey):
        raise UsageError(f"key {str(file)!r} is no Ed25519 key in PEM without a password")
    return found
