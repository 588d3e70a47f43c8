"""PD, TiKV and TiDB for simulated clusters."""
