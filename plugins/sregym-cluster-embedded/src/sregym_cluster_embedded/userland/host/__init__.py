"""Nodes as machines that one can log in to: their files, services and processes, and the commands for them.

What stands here reads and changes the state that the rest of the cluster goes by (`machines`, the
kubelets, links, images on nodes); it keeps only what no other layer does: which services were stopped,
and what was written to the disk.
"""
