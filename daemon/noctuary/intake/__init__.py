"""Transcripts of agents, and older memory, to entries: one module per format."""
