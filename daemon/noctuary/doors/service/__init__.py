"""Runs the daemon in the background, by the means of each system."""
