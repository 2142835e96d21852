"""The API: every registered command and every registered read, described by their own types.

* ``bodies``: JSON into typed commands, with the place of what is wrong.
* ``problems``: refusals as RFC 9457 answers.
* ``reading``: :func:`~campaigns.api.reading.register_read`, by which any app adds a read.
* ``sending``: one address a command, made from the registry.
* ``schema``: the OpenAPI description of both, from the same types.
"""
