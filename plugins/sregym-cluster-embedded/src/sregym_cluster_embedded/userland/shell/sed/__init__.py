"""`sed`: its language, as BusyBox and GNU carry it out."""
