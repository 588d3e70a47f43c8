"""Existing deployments as first application packages: what `sregym new app NAME --from PATH` does.

In the order of the work: `sources` reads what a team has (`manifests`, `charts`, `compose`) into
Kubernetes objects, `cleaning` makes them those of one application, `parts` sees their containers
with all that these read, `servers` and `services` guess what runs in them, `references` who calls
whom, `entrance` where users come in, and `application` writes it all down.
"""
