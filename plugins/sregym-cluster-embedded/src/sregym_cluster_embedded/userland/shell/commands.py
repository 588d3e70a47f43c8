"""All commands by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.consul.client import CONSUL_COMMANDS
from sregym_cluster_embedded.userland.etcd.client import ETCD_COMMANDS
from sregym_cluster_embedded.userland.kafka.client import KAFKA_COMMANDS
from sregym_cluster_embedded.userland.mongodb.client import MONGO_COMMANDS
from sregym_cluster_embedded.userland.nginx.client import NGINX_COMMANDS, is_asked
from sregym_cluster_embedded.userland.rabbitmq.client import RABBITMQ_COMMANDS
from sregym_cluster_embedded.userland.redis.client import REDIS_COMMANDS
from sregym_cluster_embedded.userland.shell.awk.command import AWK_COMMANDS
from sregym_cluster_embedded.userland.shell.changing import CHANGING_COMMANDS
from sregym_cluster_embedded.userland.shell.columns import COLUMN_COMMANDS
from sregym_cluster_embedded.userland.shell.conditions import CONDITION_COMMANDS
from sregym_cluster_embedded.userland.shell.copying import COPYING_COMMANDS
from sregym_cluster_embedded.userland.shell.curl import CURL_COMMANDS
from sregym_cluster_embedded.userland.shell.dates import DATE_COMMANDS
from sregym_cluster_embedded.userland.shell.dumping import DUMPING_COMMANDS
from sregym_cluster_embedded.userland.shell.ends import ENDS_COMMANDS
from sregym_cluster_embedded.userland.shell.expressions import EXPRESSION_COMMANDS
from sregym_cluster_embedded.userland.shell.grep import GREP_COMMANDS
from sregym_cluster_embedded.userland.shell.identity import IDENTITY_COMMANDS
from sregym_cluster_embedded.userland.shell.links import LINK_COMMANDS
from sregym_cluster_embedded.userland.shell.listing import LISTING_COMMANDS
from sregym_cluster_embedded.userland.shell.lookups import LOOKUP_COMMANDS
from sregym_cluster_embedded.userland.shell.network import NETWORK_COMMANDS
from sregym_cluster_embedded.userland.shell.openssl import OPENSSL_COMMANDS
from sregym_cluster_embedded.userland.shell.packages import PACKAGE_COMMANDS
from sregym_cluster_embedded.userland.shell.packing import PACKING_COMMANDS
from sregym_cluster_embedded.userland.shell.places import PLACE_COMMANDS
from sregym_cluster_embedded.userland.shell.printing import PRINTING_COMMANDS
from sregym_cluster_embedded.userland.shell.rearranging import REARRANGING_COMMANDS
from sregym_cluster_embedded.userland.shell.searching import SEARCHING_COMMANDS
from sregym_cluster_embedded.userland.shell.sed.command import EDITING_COMMANDS
from sregym_cluster_embedded.userland.shell.sorting import SORTING_COMMANDS
from sregym_cluster_embedded.userland.shell.starting import STARTING_COMMANDS
from sregym_cluster_embedded.userland.shell.tabling import TABLING_COMMANDS
from sregym_cluster_embedded.userland.shell.tasks import TASK_COMMANDS
from sregym_cluster_embedded.userland.shell.text import TEXT_COMMANDS
from sregym_cluster_embedded.userland.shell.wget import WGET_COMMANDS
from sregym_cluster_embedded.userland.sql.mysql import MYSQL_COMMANDS
from sregym_cluster_embedded.userland.sql.psql import PSQL_COMMANDS
from sregym_cluster_embedded.userland.sql.psql_tools import PSQL_TOOLS

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.shell.session import Command

COMMANDS: dict[str, Command] = {
    **TEXT_COMMANDS,
    **COLUMN_COMMANDS,
    **PRINTING_COMMANDS,
    **SORTING_COMMANDS,
    **EXPRESSION_COMMANDS,
    **AWK_COMMANDS,
    **CHANGING_COMMANDS,
    **CONDITION_COMMANDS,
    **DATE_COMMANDS,
    **DUMPING_COMMANDS,
    **EDITING_COMMANDS,
    **ENDS_COMMANDS,
    **GREP_COMMANDS,
    **IDENTITY_COMMANDS,
    **LINK_COMMANDS,
    **LISTING_COMMANDS,
    **OPENSSL_COMMANDS,
    **PACKAGE_COMMANDS,
    **PACKING_COMMANDS,
    **PLACE_COMMANDS,
    **REARRANGING_COMMANDS,
    **SEARCHING_COMMANDS,
    **STARTING_COMMANDS,
    **TABLING_COMMANDS,
    **TASK_COMMANDS,
    **COPYING_COMMANDS,
    **NETWORK_COMMANDS,
    **CURL_COMMANDS,
    **WGET_COMMANDS,
    **LOOKUP_COMMANDS,
    **MONGO_COMMANDS,
    **MYSQL_COMMANDS,
    **PSQL_COMMANDS,
    **PSQL_TOOLS,
    **NGINX_COMMANDS,
    **REDIS_COMMANDS,
    **KAFKA_COMMANDS,
    **CONSUL_COMMANDS,
    **ETCD_COMMANDS,
    **RABBITMQ_COMMANDS,
}


def serves(words: list[str]) -> bool:
    """Whether a command line starts a server whose executable is a command besides."""
    return words[0].rpartition("/")[2] in NGINX_COMMANDS and not is_asked(words)
