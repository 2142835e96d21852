"""Commands of `encounters`: preparing a fight, playing it, and the GM's hand in it."""
