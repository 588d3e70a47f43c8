"""`awk`: its language, as BusyBox and mawk carry it out."""
