"""The event store on Django's database layer: append, read, fold, snapshot. The only writer of the event table."""
