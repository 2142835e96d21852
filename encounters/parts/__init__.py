"""Parts of a campaign's state that `encounters` brings, with their events."""
