"""Command lines by which an administrator works in a store's container.

Each runs as it is on any cluster: what the container's own environment says (users, passwords,
databases) is looked up there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_injector_datastore import mongo_shell
from sregym_injector_datastore.families import Family

if TYPE_CHECKING:
    from sregym_core.model import Account, Component

_PSQL = 'exec psql -U "${POSTGRES_USER:-postgres}" -d "${POSTGRES_DB:-postgres}" -tA "$@"'
_MYSQL = 'exec mysql -uroot -p"$MYSQL_ROOT_PASSWORD" -N "$MYSQL_DATABASE" -e "$0"'
_MEMBERS = (
    'for member in $("$@" --eval "rs.conf().members.forEach(m => print(m.host))"); '
    'do "$@" --host "$member" --eval "$0"; done'
)
_PSQL_MEMBERS = (
    'for member in "$@"; do PGPASSWORD="$POSTGRES_PASSWORD" '
    'psql -h "$member" -U "${POSTGRES_USER:-postgres}" -d "${POSTGRES_DB:-postgres}" -tAc "$0" || exit 1; done'
)
_MYSQL_MEMBERS = 'for member in "$@"; do mysql -h "$member" -uroot -p"$MYSQL_ROOT_PASSWORD" -N -e "$0" || exit 1; done'
# Where the images of Apache and of Bitnami have Kafka's scripts.
_KAFKA = 'PATH="$PATH:/opt/kafka/bin:/opt/bitnami/kafka/bin"; exec "$@" --bootstrap-server localhost:9092'


def psql(*statements: str) -> tuple[str, ...]:
    """SQL as the superuser of a PostgreSQL, each statement in a transaction of its own."""
    words = [word for statement in statements for word in ("-c", statement)]
    return ("sh", "-c", _PSQL, "psql", *words)


def psql_as(account: Account, statement: str) -> tuple[str, ...]:
    """SQL as another role of a PostgreSQL, from its own machine."""
    return ("psql", "-U", account.user, "-d", account.database, "-tA", "-c", statement)


def mysql(statement: str) -> tuple[str, ...]:
    """SQL as root of a MySQL or MariaDB."""
    return ("sh", "-c", _MYSQL, statement)


def mysql_as(account: Account, statement: str) -> tuple[str, ...]:
    """SQL as another user of a MySQL."""
    login = (f"-u{account.user}", f"-p{account.password}")
    return ("mysql", *login, "-N", account.database, "-e", statement)


def redis(component: Component, *words: str, password: str = "") -> tuple[str, ...]:
    """A command to a Redis or Valkey; with a password where one is demanded."""
    name = "valkey-cli" if "valkey" in component.image else "redis-cli"
    login = ("-a", password, "--no-auth-warning") if password else ()
    return (name, *login, *words)


def mongo(component: Component, expression: str) -> tuple[str, ...]:
    """An expression as the administrator of a MongoDB; without log-in where there are no accounts."""
    account = next((a for a in component.accounts if a.engine == Family.MONGODB), None)
    if account is not None:
        return mongo_shell.as_admin(component, account, expression)
    return (mongo_shell.program(component), "admin", "--quiet", "--eval", expression)


def mongo_members(component: Component, expression: str) -> tuple[str, ...]:
    """An expression at each member of the replica set, one after the other."""
    # What is given to --eval comes last, whichever user logs in.
    return ("sh", "-c", _MEMBERS, expression, *mongo(component, "")[:-2])


def members(component: Component) -> tuple[str, ...]:
    """The names by which the pods of a StatefulSet reach each other, in order."""
    assert component.service is not None
    name, service = component.workload.name, component.service.name
    return tuple(f"{name}-{number}.{service}" for number in range(component.replicas))


def psql_members(component: Component, statement: str) -> tuple[str, ...]:
    """A statement as the superuser at each member of a set of PostgreSQL servers, one after the other."""
    return ("sh", "-c", _PSQL_MEMBERS, statement, *members(component))


def mysql_members(component: Component, statement: str) -> tuple[str, ...]:
    """A statement as root at each of several MySQL servers, one after the other."""
    return ("sh", "-c", _MYSQL_MEMBERS, statement, *members(component))


def kafka(script: str, *words: str) -> tuple[str, ...]:
    """A script of Kafka's bin folder at the broker of the same container."""
    return ("sh", "-c", _KAFKA, "sh", f"{script}.sh", *words)


def rabbitmq(*words: str) -> tuple[str, ...]:
    """`rabbitmqctl`."""
    return ("rabbitmqctl", "--quiet", *words)


def unless(printed: str, asks: tuple[str, ...], does: tuple[str, ...]) -> tuple[str, ...]:
    """One command line for two: the second is run unless the first prints this."""
    head = len(asks) - 1
    words = [*asks, *does]
    first = " ".join(f'"${{{place}}}"' for place in range(1, head + 2))
    second = " ".join(f'"${{{place}}}"' for place in range(head + 2, len(words) + 1))
    return ("sh", "-c", f'test "$({first})" = {printed} || {second}', "sh", *words)
