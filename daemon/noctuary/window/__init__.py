"""A running agent's own window of context: which messages stay, and what is kept of the rest. Pure."""
