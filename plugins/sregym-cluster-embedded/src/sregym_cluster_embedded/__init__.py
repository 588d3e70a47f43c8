"""A deterministic Kubernetes cluster inside one process that speaks the real wire protocol."""
