"""Commands of `identity`: pairs, marks, development."""
