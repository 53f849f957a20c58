"""The ways in: the command line, and later hooks, protocols and services."""
