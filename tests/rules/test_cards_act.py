"""Cards that act, through cases: blows and answers to them, grounds, leaps, limits, costs."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.cases.read import read_cases
from rules.cases.run import run_case
from tests.rules.duel import duel

CASES = """\
subjects:
  ana: {kind: fighter, values: {might: 4, guard: 12, hp: 20}, held: [parrying]}
  bo: {kind: fighter, values: {might: 3, guard: 14, hp: 18}, held: [warding, bearing]}
  cai: {kind: fighter, values: {might: 2, guard: 10, hp: 9}, held: [grudge]}
  wolf: {kind: beast, values: {might: 5, guard: 11, hp: 15}}
  bear: {kind: beast, values: {might: 6, guard: 10, hp: 30, hp_max: 30}, held: [knitting]}
  rat: {kind: beast, values: {might: 0, guard: 9, hp: 4}}
scene:
  sides: {friends: [ana, bo, cai], foes: [wolf, bear, rat]}
  order: [wolf, ana, bear, bo, cai, rat]
  places: {ana: [0, 0], bo: [5, 5], cai: [0, 8], wolf: [1, 0], bear: [9, 9], rat: [3, 0]}
cases:
  - case: a blow that nobody can answer asks nobody
    script:
      - {act: everybody.strike, user: wolf, roles: {target: ana}, dice: [6], expect: {outcome: miss, asked: {}}}
      # 7 + 5 = 12 meets the guard of 12
  - case: a blow is halved by the one it hits, rounded down, and pays for it
    script:
      - act: everybody.strike
        user: wolf
        roles: {target: ana}
        dice: [7, 4]
        expect: {pending: blow.left, asked: {ana: [parrying.parry]}, state: {ana: {stats: {hp: 20}}}}
      - answer: {ana: parrying.parry}
        expect: {outcome: hit, state: {ana: {stats: {hp: 16, ap: 2}}, wolf: {stats: {ap: 2}}}}
        # 4 + 5 = 9, half of it 4
  - case: silence lets it pass
    script:
      - {act: everybody.strike, user: wolf, roles: {target: ana}, dice: [7, 4], expect: {pending: blow.left}}
      - {close: true, expect: {outcome: hit, state: {ana: {stats: {hp: 11, ap: 3}}}}}
  - case: who cannot pay is not asked
    script:
      - {adjust: {set: {ana: {ap: 0}}}}
      - act: everybody.strike
        user: wolf
        roles: {target: ana}
        dice: [7, 4]
        expect: {outcome: hit, asked: {}, state: {ana: {stats: {hp: 11}}}}
  - case: cover is declared before the dice, once an ally a round
    script:
      - {place: {bo: [0, 1]}}
      - act: everybody.strike
        user: wolf
        roles: {target: ana}
        expect: {pending: blow.aim, asked: {bo: [warding.cover]}}
      - {answer: {bo: warding.cover}, dice: [17, 3], expect: {outcome: miss, rolls: {blow.blow: [3]}}}
      - {act: everybody.strike, user: wolf, roles: {target: ana}, dice: [6], expect: {outcome: miss, asked: {}}}
  - case: two are asked at once, in any order, and the first after the actor takes effect first
    script:
      - {place: {bo: [0, 1]}}
      - {act: everybody.strike, user: wolf, roles: {target: ana}, expect: {pending: blow.aim}}
      - answer: {bo: pass}
        dice: [7, 5]
        expect: {pending: blow.left, asked: {ana: [parrying.parry], bo: [warding.step_in]}}
      - {answer: {bo: warding.step_in}, expect: {pending: blow.left}}
      - answer: {ana: parrying.parry}
        expect: {outcome: hit, state: {ana: {stats: {hp: 20, ap: 2}}, bo: {stats: {hp: 13}}}}
      # 5 + 5 = 10, Ana's turn comes first and halves it to 5, Bo takes what is left: 18 - 5
  - case: what an earlier answer left nothing of is not done and not paid
    script:
      - {place: {bo: [0, 1]}}
      - {adjust: {set: {ana: {hp: 3}}, give: {bo: [parrying]}, end: {bo: [bearing]}}}
      - {act: everybody.strike, user: wolf, roles: {target: ana}, expect: {pending: blow.aim}}
      - {answer: {bo: pass}, dice: [20, 1], expect: {pending: blow.left}}
      - {close: true, expect: {state: {ana: {stats: {hp: 0, wounds: 1}, held: [down, parrying]}}}}
      # 1 + 5 = 6
  - case: the wound is borne in the instant a comrade goes down
    script:
      - {adjust: {set: {ana: {hp: 5, ap: 0}}}}
      - act: everybody.strike
        user: wolf
        roles: {target: ana}
        dice: [10, 2]
        expect: {pending: blow.drop, asked: {bo: [bearing.bear]}}
      - answer: {bo: bearing.bear}
        expect:
          outcome: hit
          state: {ana: {stats: {hp: 1, wounds: 0}, held: [parrying]}, bo: {stats: {wounds: 1, mana: 1, ap: 2}}}
  - case: declining lets them fall
    script:
      - {adjust: {set: {ana: {hp: 5, ap: 0}}}}
      - {act: everybody.strike, user: wolf, roles: {target: ana}, dice: [10, 2], expect: {pending: blow.drop}}
      - {answer: {bo: pass}, expect: {state: {ana: {stats: {hp: 0, wounds: 1}, held: [down, parrying]}}}}
  - case: cards that do not ask act by themselves
    script:
      - {place: {wolf: [0, 7]}}
      - {act: everybody.strike, user: wolf, roles: {target: cai}, dice: [8, 1], expect: {outcome: hit}}
      - {formula: cai.fear, expect: {value: 1}}
  - case: an opening is given by a one, and only the one who was struck at may take it
    script:
      - act: everybody.strike
        user: wolf
        roles: {target: ana}
        dice: [1]
        expect: {pending: blow.opening, asked: {ana: [everybody.seize]}}
      - answer: {ana: everybody.seize}
        dice: [10, 2]
        expect: {outcome: miss, state: {ana: {stats: {ap: 2}}, wolf: {stats: {hp: 9}}}}
        # 10 + 4 = 14 against 11, 2 + 4 = 6 off 15
  - case: nobody acts in another's turn, nor pays what they do not have, nor strikes who is out of reach
    script:
      - {act: everybody.strike, user: ana, roles: {target: wolf}, expect: {refused: cannot_act}}
      - {act: everybody.strike, user: wolf, roles: {target: bo}, expect: {refused: cannot_choose}}
      - {act: everybody.strike, user: wolf, roles: {target: rat}, expect: {refused: cannot_choose}}
      - {adjust: {set: {wolf: {ap: 0}}}}
      - {act: everybody.strike, user: wolf, roles: {target: ana}, expect: {refused: cannot_pay}}
      - {act: burning_hand, user: wolf, roles: {target: ana}, expect: {refused: not_theirs}}
      - {act: everybody.strike, user: wolf, roles: {targit: ana}, expect: {wrong: targit}}
      - {act: everybody.strike, user: wolf, roles: {target: anna}, expect: {wrong: target}}
  - case: a turn passes; what is late comes after what ends
    script:
      - {adjust: {set: {ana: {ap: 0, steps: 0}}}}
      - {end_turn: true, expect: {turn: ana, round: 1, state: {ana: {stats: {ap: 3, steps: 5}}}}}
  - case: a beast knits unless it was burnt since its last turn
    subjects:
      fay: {kind: fighter, values: {might: 4}, held: [burning_hand]}
    scene:
      sides: {friends: [fay], foes: [bear]}
      order: [fay, bear]
    script:
      - {act: burning_hand, user: fay, roles: {target: bear}, dice: [6], expect: {state: {bear: {stats: {hp: 24}}}}}
      - {end_turn: true, expect: {turn: bear, state: {bear: {stats: {hp: 24}, held: [knitting]}}}}
      - {end_turn: true, expect: {turn: fay, round: 2}}
      - {end_turn: true, expect: {turn: bear, state: {bear: {stats: {hp: 29}}}}}
      - {end_turn: true}
      - {end_turn: true, expect: {state: {bear: {stats: {hp: 30}}}}}
  - case: a storm acts at the start of each turn in it, for three rounds
    subjects:
      fay: {kind: fighter, values: {might: 4}, held: [storming]}
    scene:
      sides: {friends: [fay], foes: [wolf, rat]}
      order: [fay, wolf, rat]
      places: {fay: [0, 0], wolf: [8, 0], rat: [20, 20]}
    script:
      - {act: storming.storm, user: fay, given: {at: {x: 11, y: 0}}, expect: {refused: too_far}}
      - {act: storming.storm, user: fay, given: {at: {x: 9, y: 0}}, expect: {areas: [tempest]}}
      - {formula: wolf.guard, expect: {value: 9}}
      - {end_turn: true, dice: [4], expect: {turn: wolf, state: {wolf: {stats: {hp: 11}}}}}
      - {end_turn: true, expect: {turn: rat}}
      - {end_turn: true, expect: {turn: fay, round: 2, areas: [tempest]}}
      - {end_turn: true, dice: [1], expect: {turn: wolf}}
      - act: everybody.walk
        user: wolf
        given: {to: {x: 4, y: 0}}
        expect: {state: {wolf: {stats: {steps: 0, guard: 11}}}, places: {wolf: [4, 0]}}
        # out of the storm: the square that lies in it costs two, the other three one each
      - {act: everybody.walk, user: wolf, given: {to: {x: 5, y: 0}}, expect: {refused: too_far}}
      - {end_turn: true}
      - {end_turn: true, expect: {turn: fay, round: 3, areas: [tempest]}}
      - {end_turn: true, expect: {turn: wolf, state: {wolf: {stats: {hp: 10, fear: 0, steps: 5}}}}}
      - act: everybody.walk
        user: wolf
        given: {to: {x: 7, y: 0}}
        expect: {state: {wolf: {stats: {steps: 1, fear: 1}}}}
        # back into it: 1 + 1 + 2
      - {end_turn: true}
      - {end_turn: true, expect: {turn: fay, round: 4, areas: []}}
      - {end_turn: true, expect: {state: {wolf: {stats: {hp: 10, guard: 11}}}}}
  - case: leaping fire touches two more, nobody twice
    subjects:
      fay: {kind: fighter, values: {might: 4}, held: [leaping]}
    scene:
      sides: {friends: [fay], foes: [wolf, bear, rat]}
      order: [fay, wolf, bear, rat]
      places: {fay: [0, 0], wolf: [3, 0], bear: [5, 0], rat: [8, 0]}
    script:
      - act: leaping.leap
        user: fay
        roles: {target: wolf}
        dice: [7]
        expect: {pending: 1.next, options: [bear], state: {wolf: {stats: {hp: 15}}}}
      - {answer: {next: bear}, expect: {pending: 2.next, options: [rat]}}
      - {answer: {next: wolf}, expect: {wrong: 2.next}}
      - answer: {next: rat}
        expect: {state: {wolf: {stats: {hp: 8}}, bear: {stats: {hp: 27}}, rat: {stats: {hp: 1}}, fay: {stats: {ap: 1}}}}
  - case: several at once, and those beside are thrown back
    subjects:
      fay: {kind: fighter, values: {might: 4}, held: [sweeping]}
    scene:
      sides: {friends: [fay], foes: [wolf, bear, rat]}
      order: [fay, wolf, bear, rat]
      places: {fay: [0, 0], wolf: [1, 0], bear: [0, 1], rat: [9, 0]}
    script:
      - {act: sweeping.sweep, user: fay, roles: {targets: [wolf, rat]}, expect: {refused: cannot_choose}}
      - {act: sweeping.sweep, user: fay, roles: {targets: []}, expect: {refused: too_few}}
      - {act: sweeping.sweep, user: fay, roles: {targets: [wolf, wolf]}, expect: {refused: chosen_twice}}
      - {act: sweeping.sweep, user: fay, roles: {targets: wolf}, expect: {wrong: targets}}
      - act: sweeping.sweep
        user: fay
        roles: {targets: [wolf, bear]}
        dice: [6, 3]
        expect:
          state: {wolf: {stats: {hp: 15}}, bear: {stats: {hp: 27}}}
          places: {wolf: [3, 0], bear: [0, 3]}
          # 6 + 4 = 10: enough for the bear's 10, not for the wolf's 11
  - case: the order by roll, ties by might, equals by a roll-off
    subjects:
      dot: {kind: fighter, values: {might: 3}}
      eli: {kind: fighter, values: {might: 3}}
    scene:
      prepared: true
      sides: {friends: [dot, eli], foes: [wolf]}
    script:
      - {begin: {}, dice: [9, 9, 7, 4, 12], expect: {order: [wolf, eli, dot], turn: wolf, round: 1}}
  - case: outside a fight nothing is metered
    subjects:
      fay: {kind: fighter, values: {ap: 0, mana: 1}, held: [burning_hand]}
    scene: {prepared: true, sides: {friends: [fay, ana]}}
    script:
      - {act: burning_hand, user: fay, roles: {target: ana}, expect: {refused: not_running}}
"""


def cases() -> list[object]:
    board = Path(__file__).with_name("duel_board.yaml").read_bytes()
    found = [*read_cases("cases/duel.yaml", CASES.encode()), *read_cases("cases/duel_board.yaml", board)]
    return [pytest.param(case, id=case.case.title) for case in found]


@pytest.mark.parametrize("placed", cases())
def test_cases_of_the_small_pack(placed):
    result = run_case(duel_pack(), placed)
    assert result.passed, str(result)


_PACK = []


def duel_pack():
    if not _PACK:
        _PACK.append(duel())
    return _PACK[0]
