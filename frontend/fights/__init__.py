"""Encounters as templates draw them: the board, its grid, the log, forms of actions and answers, foes made quickly."""
