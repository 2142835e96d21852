"""What tests need around them: servers of their own, a browser, and the site started for real.

Nothing here knows Django; a missing program is installed where that is possible, and otherwise said, never skipped.
"""
