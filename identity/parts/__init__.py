"""The parts of a campaign's state that `identity` brings: opposed pairs, and marks with what comes of them."""
