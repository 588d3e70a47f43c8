"""The `mongo` shell: command lines, expressions, and what it prints."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sregym_core.model import Account

# The shell prints values that JSON does not have as constructor calls: UUID("..."), NumberLong(1).
_CONSTRUCTOR = re.compile(r"\b(?:UUID|ObjectId|NumberLong|NumberInt|ISODate|BinData)\(([^()]*)\)")


def as_admin(account: Account, expression: str) -> tuple[str, ...]:
    """Command line that evaluates an expression as the account's administrator."""
    return _command_line(account.admin_user, account.admin_password, "admin", "admin", expression)


def as_user(account: Account, expression: str) -> tuple[str, ...]:
    """Command line that evaluates an expression as the account itself, on its database."""
    return _command_line(
        account.user, account.password, account.auth_database, account.database, expression
    )


def _command_line(
    user: str, password: str, auth_database: str, database: str, expression: str
) -> tuple[str, ...]:
    login = ("-u", user, "-p", password, "--authenticationDatabase", auth_database)
    return ("mongo", database, "--quiet", *login, "--eval", expression)


def revoke_role(account: Account) -> str:
    """Take the account's role on its database away."""
    return _call(account, "revokeRolesFromUser", account.user, [_role(account)])


def grant_role(account: Account) -> str:
    """Give the account its role on its database; harmless when it has it."""
    return _call(account, "grantRolesToUser", account.user, [_role(account)])


def drop_user(account: Account) -> str:
    """Remove the account; harmless when there is none."""
    return _call(account, "dropUser", account.user)


def create_user(account: Account) -> str:
    """Create the account with its password and its role."""
    user = {"user": account.user, "pwd": account.password, "roles": [_role(account)]}
    return _call(account, "createUser", user)


def recreate_user(account: Account) -> str:
    """Give the account exactly its password and role, whatever it has now."""
    return f"{drop_user(account)}; {create_user(account)}"


def show_user(account: Account) -> str:
    """Print the account as a document, or null."""
    return f"printjson({_call(account, 'getUser', account.user)})"


def parse_document(output: str) -> dict[str, Any] | None:
    """The document that `printjson` printed; None for null.

    Raises:
        ValueError: When the output is neither.
    """
    text = _CONSTRUCTOR.sub(lambda match: match.group(1).split(",")[-1].strip(), output)
    try:
        content = json.loads(text)
    except ValueError:
        raise ValueError(f"the mongo shell printed no document: {output.strip()!r}") from None
    if content is not None and not isinstance(content, dict):
        raise ValueError(f"the mongo shell printed no document: {output.strip()!r}")
    return content


def _role(account: Account) -> dict[str, str]:
    return {"role": account.role, "db": account.database}


def _call(account: Account, method: str, *arguments: Any) -> str:
    text = ", ".join(json.dumps(argument) for argument in arguments)
    return f"db.getSiblingDB({json.dumps(account.auth_database)}).{method}({text})"
