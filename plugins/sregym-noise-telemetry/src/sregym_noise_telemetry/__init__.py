"""False alerts and noisy logs and metrics."""
