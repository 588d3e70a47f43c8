"""Hook specifications, plugin loading, model, conductor and command line of SREGym."""
