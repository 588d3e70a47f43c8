"""Templates that several applications of the suite are made from: see `sregym_apps.table`."""
