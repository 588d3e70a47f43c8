"""Diagnosis oracle that scores claims or text against the structured ground truth."""
