"""The `mongo` shell: command lines, expressions, and what it prints."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sregym_core.model import Account, Component

# The shell prints values that JSON does not have as constructor calls: UUID("..."), NumberLong(1).
# The series of a public image, and the first one without the old shell.
_SERIES = re.compile(r"mongo(?:db)?(?:[\w-]*)?:v?(\d+)")
_MODERN = 6
_CONSTRUCTOR = re.compile(r"\b(?:UUID|ObjectId|NumberLong|NumberInt|ISODate|BinData)\(([^()]*)\)")


def program(component: Component) -> str:
    """The shell that an image brings: `mongo`, from its sixth series on `mongosh` alone."""
    found = _SERIES.search(component.image)
    return "mongosh" if found is not None and int(found.group(1)) >= _MODERN else "mongo"


def as_admin(component: Component, account: Account, expression: str) -> tuple[str, ...]:
    """Command line that evaluates an expression as the account's administrator."""
    user, password = account.admin_user, account.admin_password
    return (program(component), "admin", "--quiet", *_login(user, password, "admin", expression))


def as_user(component: Component, account: Account, expression: str) -> tuple[str, ...]:
    """Command line that evaluates an expression as the account itself, on its database."""
    login = _login(account.user, account.password, account.auth_database, expression)
    return (program(component), account.database, "--quiet", *login)


def _login(user: str, password: str, auth_database: str, expression: str) -> tuple[str, ...]:
    login = ("-u", user, "-p", password, "--authenticationDatabase", auth_database)
    return (*login, "--eval", expression)


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


def show_user(component: Component, account: Account) -> str:
    """Print the account as a document, or null."""
    asked = _call(account, "getUser", account.user)
    if program(component) == "mongosh":
        return f"print(JSON.stringify({asked}))"
    return f"printjson({asked})"


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


def change_password(account: Account, password: str) -> str:
    """Give the account another password."""
    return _call(account, "changeUserPassword", account.user, password)


def _call(account: Account, method: str, *arguments: Any) -> str:
    text = ", ".join(json.dumps(argument) for argument in arguments)
    return f"db.getSiblingDB({json.dumps(account.auth_database)}).{method}({text})"
