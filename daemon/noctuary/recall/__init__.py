"""Recall: finding in memory, answering within a budget, and what an agent is given on waking."""
