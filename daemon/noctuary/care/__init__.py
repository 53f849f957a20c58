"""What a person asks of memory: undo, review, forget, verify."""
