"""Applications of DeathStarBench with their service models and problems."""
