"""Faults in Kubernetes objects: services, selectors, configuration, limits, replicas, images."""
