"""The collector of cycles, tuned for a server: what was loaded is not searched again and again.

A full collection walks every object of the process, a tenth of a second and more with Django and the packs loaded, and
whoever waits for a frame waits for it. Measured in tests/bench/fanout.py: without this, the slowest in a hundred events
took ten times the median.
"""

import gc

# Containers made and not freed before the youngest are searched; then how many such searches before the next stage.
THRESHOLDS = (10_000, 20, 50)


def settle() -> None:
    """Call once the application is loaded: what is there by then stays for good and is left out of every search."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
