"""The wire: the API of a world over plain HTTP and websockets, and the pace of its time.

`live.LiveWorld` guards a world that several threads touch and decides how its virtual time moves;
`server.ApiEndpoint` serves it to any Kubernetes client. Nothing is imported here: whoever guards a
world without serving it need not load a web server.
"""

from __future__ import annotations
