"""The only rooms that touch the disk of a vault: files, lock, journal, graveyard, history."""
