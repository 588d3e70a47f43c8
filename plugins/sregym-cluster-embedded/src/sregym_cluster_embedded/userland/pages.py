"""What nginx, and what is built upon it, answers by itself: pages of errors and redirects."""

from __future__ import annotations

REASONS = {
    200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 206: "Partial Content",
    301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
    307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request",
    401: "Authorization Required", 402: "Payment Required", 403: "Forbidden", 404: "Not Found",
    405: "Not Allowed", 406: "Not Acceptable", 408: "Request Time-out", 409: "Conflict",
    410: "Gone", 411: "Length Required", 412: "Precondition Failed",
    413: "Request Entity Too Large", 414: "Request-URI Too Large", 415: "Unsupported Media Type",
    416: "Requested Range Not Satisfiable", 421: "Misdirected Request", 429: "Too Many Requests",
    500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
    503: "Service Temporarily Unavailable", 504: "Gateway Time-out",
    505: "HTTP Version Not Supported", 507: "Insufficient Storage",
}  # fmt: skip
REDIRECTS = (301, 302, 303, 307, 308)


def page(status: int, signature: str, said: str = "") -> str:
    """The page of a code, empty for one that has none.

    Args:
        status: The code.
        signature: What stands below: name, and version unless it is kept secret.
        said: What else stands there: why a request is a bad one.
    """
    reason = REASONS.get(status)
    if reason is None or (status < 400 and status not in REDIRECTS):
        return ""
    title = f"{status} {reason}"
    center = f"<center>{said}</center>\r\n" if said else ""
    shown = f"{status} {said}" if said else title
    return (
        f"<html>\r\n<head><title>{shown}</title></head>\r\n<body>\r\n"
        f"<center><h1>{title}</h1></center>\r\n{center}<hr><center>{signature}</center>\r\n"
        "</body>\r\n</html>\r\n"
    )
