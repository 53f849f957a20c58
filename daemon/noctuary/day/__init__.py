"""By day: what comes in, what is asked, how an agent wakes, works and compacts."""
