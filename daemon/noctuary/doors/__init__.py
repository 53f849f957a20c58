"""The ways in: the command line, the errands of the daemon, services of the system."""
