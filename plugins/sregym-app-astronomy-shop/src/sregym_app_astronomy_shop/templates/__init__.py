"""Templates that the workloads of the shop are made from: see `sregym_apps.table`."""
