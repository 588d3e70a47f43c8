"""Which directives nginx knows, where they may stand, and with how many arguments."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

# Where a directive may stand: m(ain), e(vents), h(ttp), s(erver), l(ocation), i(f in a location),
# f (if in a server), u(pstream), x (limit_except). Then its arguments: a number, a range, `n+`,
# `flag`; `{` when a block follows.
_TABLE = """
user:m:1-2 worker_processes:m:1 pid:m:1 error_log:mhsl:1+ daemon:m:flag master_process:m:flag
worker_rlimit_nofile:m:1 worker_shutdown_timeout:m:1 worker_cpu_affinity:m:1+ worker_priority:m:1
load_module:m:1 env:m:1 pcre_jit:m:flag thread_pool:m:2-3 timer_resolution:m:1 working_directory:m:1
events:m:0{ http:m:0{ include:mehsluifx:1
worker_connections:e:1 use:e:1 multi_accept:e:flag accept_mutex:e:flag accept_mutex_delay:e:1 debug_connection:e:1
server:h:0{ upstream:h:1{ map:h:2{ geo:h:1-2{ split_clients:h:2{ types:hsl:0{ location:sl:1-2{
if:sl:1+{ limit_except:l:1+{ match:h:1{
listen:s:1+ server_name:s:1+ server_names_hash_bucket_size:h:1 server_names_hash_max_size:h:1
root:hsli:1 alias:l:1 index:hsl:1+ autoindex:hsl:flag autoindex_exact_size:hsl:flag
autoindex_localtime:hsl:flag autoindex_format:hsl:1 try_files:sl:2+ error_page:hsli:2+ internal:l:0
return:slif:1-2 rewrite:slif:2-3 break:slif:0 set:slif:2 rewrite_log:hslif:flag
default_type:hsl:1 charset:hsli:1 charset_types:hsl:1+ types_hash_max_size:hsl:1 types_hash_bucket_size:hsl:1
sendfile:hsli:flag tcp_nopush:hsl:flag tcp_nodelay:hsl:flag aio:hsl:1 directio:hsl:1 output_buffers:hsl:2
keepalive_timeout:hslu:1-2 keepalive_requests:hslu:1 keepalive_time:hslu:1 keepalive:u:1 keepalive_disable:hsl:1+
client_max_body_size:hsl:1 client_body_buffer_size:hsl:1 client_body_timeout:hsl:1 client_header_timeout:hs:1
client_header_buffer_size:hs:1 large_client_header_buffers:hs:2 client_body_temp_path:hsl:1-4
client_body_in_file_only:hsl:1 client_body_in_single_buffer:hsl:flag send_timeout:hsl:1 lingering_close:hsl:1
lingering_time:hsl:1 lingering_timeout:hsl:1 reset_timedout_connection:hsl:flag max_ranges:hsl:1 etag:hsl:flag
if_modified_since:hsl:1 msie_padding:hsl:flag server_tokens:hsl:1 server_name_in_redirect:hsl:flag
port_in_redirect:hsl:flag absolute_redirect:hsl:flag merge_slashes:hs:flag underscores_in_headers:hs:flag
ignore_invalid_headers:hs:flag log_not_found:hsl:flag log_subrequest:hsl:flag recursive_error_pages:hsl:flag
satisfy:hsl:1 resolver:hslu:1+ resolver_timeout:hslu:1 variables_hash_max_size:h:1 variables_hash_bucket_size:h:1
open_file_cache:hsl:1+ open_file_cache_valid:hsl:1 open_file_cache_min_uses:hsl:1 open_file_cache_errors:hsl:flag
http2:hs:flag http2_max_concurrent_streams:hs:1 chunked_transfer_encoding:hsl:flag limit_rate:hsli:1
limit_rate_after:hsli:1 disable_symlinks:hsl:1-2 post_action:hsl:1 subrequest_output_buffer_size:hsl:1
log_format:h:2+ access_log:hslix:1+ add_header:hsli:2-3 add_trailer:hsli:2-3 expires:hsli:1-2
allow:hslx:1 deny:hslx:1 auth_basic:hslx:1 auth_basic_user_file:hslx:1 auth_request:hsl:1 auth_request_set:hsl:2
limit_req_zone:h:2-4 limit_req:hsl:1-3 limit_req_status:hsl:1 limit_req_log_level:hsl:1 limit_req_dry_run:hsl:flag
limit_conn_zone:h:2 limit_conn:hsl:2 limit_conn_status:hsl:1 limit_conn_log_level:hsl:1
set_real_ip_from:hsl:1 real_ip_header:hsl:1 real_ip_recursive:hsl:flag stub_status:sl:0-1 empty_gif:l:0 mirror:hsl:1
sub_filter:hsl:2 sub_filter_once:hsl:flag sub_filter_types:hsl:1+ addition_types:hsl:1+ ssi:hsli:flag
gzip:hsli:flag gzip_types:hsl:1+ gzip_min_length:hsl:1 gzip_comp_level:hsl:1 gzip_vary:hsl:flag gzip_proxied:hsl:1+
gzip_disable:hsl:1+ gzip_buffers:hsl:2 gzip_http_version:hsl:1 gzip_static:hsl:1 gunzip:hsl:flag
ssl_certificate:hs:1 ssl_certificate_key:hs:1 ssl_protocols:hs:1+ ssl_ciphers:hs:1 ssl_prefer_server_ciphers:hs:flag
ssl_session_cache:hs:1-2 ssl_session_timeout:hs:1 ssl_session_tickets:hs:flag ssl_dhparam:hs:1 ssl_ecdh_curve:hs:1
ssl_client_certificate:hs:1 ssl_verify_client:hs:1 ssl_verify_depth:hs:1 ssl_trusted_certificate:hs:1
ssl_stapling:hs:flag ssl_stapling_verify:hs:flag ssl_buffer_size:hs:1 ssl_password_file:hs:1 ssl_reject_handshake:hs:flag
zone:u:1-2 ip_hash:u:0 least_conn:u:0 hash:u:1-2 random:u:0-2
proxy_pass:lix:1 proxy_set_header:hsl:2 proxy_pass_header:hsl:1 proxy_hide_header:hsl:1 proxy_redirect:hsl:1-2
proxy_http_version:hsl:1 proxy_connect_timeout:hsl:1 proxy_read_timeout:hsl:1 proxy_send_timeout:hsl:1
proxy_buffering:hsl:flag proxy_buffer_size:hsl:1 proxy_buffers:hsl:2 proxy_busy_buffers_size:hsl:1
proxy_request_buffering:hsl:flag proxy_max_temp_file_size:hsl:1 proxy_temp_file_write_size:hsl:1
proxy_temp_path:hsl:1-4 proxy_next_upstream:hsl:1+ proxy_next_upstream_tries:hsl:1 proxy_next_upstream_timeout:hsl:1
proxy_intercept_errors:hsl:flag proxy_ignore_headers:hsl:1+ proxy_ignore_client_abort:hsl:flag proxy_method:hsl:1
proxy_set_body:hsl:1 proxy_bind:hsl:1-2 proxy_socket_keepalive:hsl:flag proxy_cookie_path:hsl:1-2
proxy_cookie_domain:hsl:1-2 proxy_cookie_flags:hsl:1-4 proxy_pass_request_headers:hsl:flag proxy_pass_request_body:hsl:flag
proxy_cache:hsl:1 proxy_cache_path:h:2+ proxy_cache_key:hsl:1 proxy_cache_valid:hsl:1+ proxy_cache_use_stale:hsl:1+
proxy_cache_bypass:hsl:1+ proxy_no_cache:hsl:1+ proxy_cache_lock:hsl:flag proxy_cache_methods:hsl:1+
proxy_cache_min_uses:hsl:1 proxy_cache_revalidate:hsl:flag proxy_cache_background_update:hsl:flag
proxy_ssl_verify:hsl:flag proxy_ssl_server_name:hsl:flag proxy_ssl_name:hsl:1 proxy_ssl_trusted_certificate:hsl:1
proxy_ssl_certificate:hsl:1 proxy_ssl_certificate_key:hsl:1 proxy_ssl_protocols:hsl:1+ proxy_ssl_session_reuse:hsl:flag
fastcgi_pass:li:1 fastcgi_param:hsl:2-3 fastcgi_index:hsl:1 fastcgi_split_path_info:l:1 fastcgi_read_timeout:hsl:1
fastcgi_buffers:hsl:2 fastcgi_buffer_size:hsl:1 fastcgi_temp_path:hsl:1-4 uwsgi_pass:li:1 uwsgi_param:hsl:2-3
uwsgi_temp_path:hsl:1-4 scgi_temp_path:hsl:1-4 scgi_pass:li:1 grpc_pass:li:1 grpc_set_header:hsl:2
"""
# What stands inside these blocks are no directives.
FREE = frozenset({"types", "map", "geo", "split_clients"})
# The context inside a block.
INSIDE: Mapping[str, str] = MappingProxyType(
    {
        "events": "e",
        "http": "h",
        "server": "s",
        "upstream": "u",
        "location": "l",
        "limit_except": "x",
    }
)
# Of these a block takes one only, besides all that are on or off.
ONCE = frozenset(
    {"root", "alias", "worker_processes", "pid", "worker_connections", "default_type", "proxy_pass"}
    | {"client_max_body_size", "keepalive_timeout", "resolver_timeout", "proxy_read_timeout"}
    | {"proxy_connect_timeout", "proxy_send_timeout", "ssl_session_timeout", "events", "http"}
)


# What the arguments of these must be: lengths of time, sizes, numbers.
_TIMES = frozenset(
    {"worker_shutdown_timeout", "timer_resolution", "accept_mutex_delay", "keepalive_timeout"}
    | {"keepalive_time", "client_body_timeout", "client_header_timeout", "send_timeout"}
    | {"lingering_time", "lingering_timeout", "resolver_timeout", "open_file_cache_valid"}
    | {"ssl_session_timeout", "proxy_connect_timeout", "proxy_read_timeout", "proxy_send_timeout"}
    | {"proxy_next_upstream_timeout", "fastcgi_read_timeout"}
)
_SIZES = frozenset(
    {"client_max_body_size", "client_body_buffer_size", "client_header_buffer_size", "limit_rate"}
    | {"limit_rate_after", "subrequest_output_buffer_size", "gzip_min_length", "ssl_buffer_size"}
    | {"proxy_buffer_size", "proxy_busy_buffers_size", "proxy_max_temp_file_size"}
    | {"proxy_temp_file_write_size", "fastcgi_buffer_size"}
)
_NUMBERS = frozenset(
    {"worker_rlimit_nofile", "worker_priority", "server_names_hash_bucket_size"}
    | {"server_names_hash_max_size", "types_hash_max_size", "types_hash_bucket_size", "max_ranges"}
    | {"keepalive_requests", "variables_hash_max_size", "variables_hash_bucket_size"}
    | {"open_file_cache_min_uses", "http2_max_concurrent_streams", "limit_req_status"}
    | {"limit_conn_status", "gzip_comp_level", "ssl_verify_depth", "proxy_next_upstream_tries"}
    | {"proxy_cache_min_uses"}
)
_TIME = re.compile(r"(\d+(ms|[smhdwMy])?\s*)+")
_SIZE = re.compile(r"\d+[kKmMgG]?")


def misgiven(name: str, words: tuple[str, ...]) -> str:
    """What is wrong with the arguments of a directive; empty when nothing is."""
    if any("$" in word for word in words):
        return ""
    for known, form, what in ((_TIMES, _TIME, "value"), (_SIZES, _SIZE, "value"), (_NUMBERS, _NUMBER, "number")):  # fmt: skip
        if name in known and not all(form.fullmatch(word) for word in words):
            return f'"{name}" directive invalid {what}'
    first = words[0] if words else ""
    if name == "worker_processes" and first != "auto" and not first.isdecimal():
        return '"worker_processes" directive invalid value'
    if name == "worker_connections" and not first.isdecimal():
        return f'invalid number "{first}"'
    if name == "set" and not first.startswith("$"):
        return f'invalid variable name "{first}"'
    return ""


_NUMBER = re.compile(r"-?\d+")


class Known(NamedTuple):
    """What is known of a directive.

    Attributes:
        contexts: Letters of the blocks in which it may stand.
        fewest: Arguments at least.
        most: Arguments at most; None when there may be any number.
        flag: Whether it is on or off.
        block: Whether a block follows.
    """

    contexts: str
    fewest: int
    most: int | None
    flag: bool
    block: bool


def _entry(text: str) -> tuple[str, Known]:
    name, contexts, count = text.split(":")
    block = count.endswith("{")
    count = count.rstrip("{")
    if count == "flag":
        return name, Known(contexts, 1, 1, flag=True, block=False)
    if count.endswith("+"):
        return name, Known(contexts, int(count[:-1]), None, flag=False, block=block)
    low, _, high = count.partition("-")
    return name, Known(contexts, int(low), int(high or low), flag=False, block=block)


DIRECTIVES: Mapping[str, Known] = MappingProxyType(dict(map(_entry, _TABLE.split())))
# Inside an upstream a `server` is something else.
UPSTREAM_SERVER = Known("u", 1, None, flag=False, block=False)
