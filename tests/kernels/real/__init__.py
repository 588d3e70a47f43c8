"""What tests on real kernels share."""
