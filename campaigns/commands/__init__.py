"""What can be asked of a campaign, by subject matter. Every decider here is a pure function."""
