"""Records without behaviour that the layers pass to each other."""
