"""Neighbours and short troubles of nodes that heal by themselves."""
