"""Measurements against the works of others, in the same run on the same machine: `make bench`.

A benchmark is a module here with `main() -> list[Row]`. Rounds of ours and the rival's are interleaved and medians
reported (`measure`), because absolute figures do not travel and a machine's pace drifts within a minute. Rivals run in
environments of their own (`rivals.py`), never among our dependencies.
"""
