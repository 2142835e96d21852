"""The game as a plain library: packs, tests, sheets, dice, formulas. See README.md beside this file.

    from rules.packs import load_pack
    from rules.tests import odds, run

    pack = load_pack("spindrift-identity")
    result = run(pack, "identity", given, dice, choices, subjects={"holder": subject})
    result.status            "done", "pending" (answer result.pending and run again) or "refused"

Nothing in here knows Django (the app configuration and the management command apart), a clock, a database or a
source of randomness of its own.
"""
