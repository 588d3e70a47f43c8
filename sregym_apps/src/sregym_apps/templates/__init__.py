"""Templates for the tables of applications, see `sregym_apps.table`."""
