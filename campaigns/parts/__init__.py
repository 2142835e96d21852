"""The parts of a campaign's state that `campaigns` itself brings, each with its events, its fold and its deciders."""
