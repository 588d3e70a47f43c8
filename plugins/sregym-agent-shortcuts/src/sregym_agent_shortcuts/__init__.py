"""An agent without SRE knowledge: it blames the component that stands out, and measures how often that is right."""
