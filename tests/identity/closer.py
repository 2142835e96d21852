"""A worker process for tests: does what is due in campaigns at a given moment, as `campaigns.tasks` does it.

    python -m tests.identity.closer <iso time> <stop after so many commands, or 0> <campaign id> ...
    python -m tests.identity.closer <iso time> <stop> batch:<name of the batch> <campaign id> ...

With a batch, the campaigns are worked on together, and what is printed is nothing.

With a stop, the process kills itself with SIGKILL inside the transaction of the next command, after its events were
written and before they are committed.
"""

import os
import signal
import sys
from datetime import datetime
from uuid import UUID

import django
import time_machine


def main() -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "deploy.settings"
    django.setup()
    from campaigns import entrance
    from campaigns.tasks import do_all, do_due

    now, stop = datetime.fromisoformat(sys.argv[1]), int(sys.argv[2])
    done, really = 0, entrance.leave

    def leave(*arguments: object) -> None:
        nonlocal done
        really(*arguments)  # type: ignore[arg-type]
        done += 1
        if stop and done > stop:
            os.kill(os.getpid(), signal.SIGKILL)

    entrance.leave = leave  # type: ignore[assignment]
    with time_machine.travel(now, tick=False):
        if sys.argv[3].startswith("batch:"):
            do_due(sys.argv[4:], sys.argv[3].removeprefix("batch:"))
        else:
            print(sum(do_all(UUID(campaign), now) for campaign in sys.argv[3:]))


if __name__ == "__main__":
    main()
