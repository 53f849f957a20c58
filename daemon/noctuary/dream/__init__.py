"""How a night thinks: from entries to a plan. No I/O, no clock."""
