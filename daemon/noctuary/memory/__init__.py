"""What memory is: entries, episodes, cards, facts and languages. No I/O, no clock."""
