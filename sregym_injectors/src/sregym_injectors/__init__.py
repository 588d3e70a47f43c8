"""Toolkit for authors of SREGym faults: journaled edits of API objects, commands in containers, undo.

Modules: `edits` (journaled changes), `workloads` (pods, restarts, commands in containers),
`manifests` (what the application's manifests say), `commands` (kubectl commands of a reference
fix), `scope` (who suffers, what users see), `defects` (the answer of `Fault.present`),
`quantities`, and `testing` (a cluster in memory to test faults against).
"""
