"""tidb-operator for simulated clusters."""
