"""A pool of seven d12 with cancelling, protected naturals and adjustments: the hardest check, as a small pack."""

from __future__ import annotations

from functools import cache

from rules.packs import Pack
from tests.rules.small import pack

POOL = """
functions:
  over:
    takes: {faces: {type: list, of: {type: int}}}
    value: count(f for f in faces if f == 12) - count(f for f in faces if f == 1)
  net:
    takes: {faces: {type: list, of: {type: int}}}
    text: Passes less fails. Pairs of 12 and 1 are set aside; a 12 that is left counts twice.
    value: >-
      count(f for f in faces if f >= 9) - count(f for f in faces if f <= 3) + max(over(faces), 0)
tests:
  check:
    title: Seven d12
    inputs: {adjustments: {type: int, default: 0}}
    steps:
      - {roll: pool, dice: 7d12}
      - let:
          twelves: count(f for f in pool.faces if f == 12)
          ones: count(f for f in pool.faces if f == 1)
          epic: twelves - ones >= 2
          epic_failure: ones - twelves >= 2
      - adjust: pool
        by: adjustments
        aim: net(faces)
        protect: epic and face == 12 or epic_failure and face == 1
        into: moves
      - let: {net: moves.value}
      - pick: auto
        from: [{is: pass, when: twelves - ones >= 3}, {is: fail, when: ones >= 3}, {is: none}]
      - pick: band
        from:
          - {is: success, when: auto == 'pass' and net < 3}
          - {is: partial, when: auto == 'fail' and net >= 3}
          - {is: epic_success, when: net >= 12}
          - {is: superb, when: net >= 7}
          - {is: success, when: net >= 3}
          - {is: partial, when: net >= 1}
          - {is: failure, when: net >= -2}
          - {is: penalty}
      - {outcome: passed, when: "band in ('success', 'superb', 'epic_success')"}
      - {outcome: failed}
    facts: {band: band, net: net, used: moves.used}
    outcomes: {passed: {title: Passed, success: true}, failed: {title: Failed, success: false}}
"""


@cache
def pool_pack() -> Pack:
    return pack(POOL)
