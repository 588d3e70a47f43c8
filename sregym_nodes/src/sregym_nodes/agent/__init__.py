"""What runs on a node: one file of pure Python (3.9 or newer) that changes what the kernel does, and undoes it."""
