"""An agent that knows no SRE: it blames whoever stands out, and tells how often that hits."""
