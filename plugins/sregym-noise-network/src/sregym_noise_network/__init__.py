"""Transient delay, loss and partitions between pods that heal by themselves."""
