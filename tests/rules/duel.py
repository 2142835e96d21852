"""A small pack of fights, of no game but of all that cards can do: blows, answers, grounds, leaps."""

from __future__ import annotations

from rules.packs import load_files
from rules.packs.pack import Pack

MANIFEST = """\
id: duel
version: 1.0.0
title: Duel
source: Made for tests.
rights: Ours.
"""

PACK = """\
encounter:
  kinds: [fighter, beast]
  holds: [everybody]
  acts: (round_now() == 0 or turn(user)) and not has(user, 'down')
  reacts: not turn(user) and not has(user, 'down')
  budgets: [ap, steps]
  initiative: swift
  size: bulk

kinds:
  fighter:
    title: Fighter
    stats:
      might: {type: int, min: 0, max: 20, default: 3}
      guard: {type: int, default: 12, min: 0, max: 99}
      hp: {type: int, min: 0, max: 99, bounds: clamp, default: 20}
      hp_max: {type: int, min: 0, max: 99, default: 20}
      ap: {type: int, min: 0, max: 9, default: 3}
      steps: {type: int, min: 0, max: 20, default: 5}
      speed: {type: int, min: 0, max: 20, default: 5}
      mana: {type: int, min: 0, max: 9, default: 3}
      wounds: {type: int, min: 0, max: 5, bounds: clamp, default: 0}
      fear: {type: int, min: 0, max: 99, default: 0}
      bulk: {type: int, min: 1, max: 9, default: 1}
  beast:
    title: Beast
    stats:
      might: {type: int, min: 0, max: 20, default: 3}
      guard: {type: int, default: 12, min: 0, max: 99}
      hp: {type: int, min: 0, max: 99, bounds: clamp, default: 20}
      hp_max: {type: int, min: 0, max: 99, default: 20}
      ap: {type: int, min: 0, max: 9, default: 3}
      steps: {type: int, min: 0, max: 20, default: 5}
      speed: {type: int, min: 0, max: 20, default: 5}
      mana: {type: int, min: 0, max: 9, default: 3}
      wounds: {type: int, min: 0, max: 5, bounds: clamp, default: 0}
      fear: {type: int, min: 0, max: 99, default: 0}
      bulk: {type: int, min: 1, max: 9, default: 1}

card_types:
  kit: {title: Kit, by_hand: true}
  condition: {title: Condition, by_hand: true}
  ground: {title: Ground}

moments:
  aimed:
    title: A blow is coming
    roles: {actor: {kinds: [fighter, beast]}, target: {kinds: [fighter, beast]}}
    values: {dimmed: {type: int, default: 0}}
  struck:
    title: A blow falls
    roles: {actor: {kinds: [fighter, beast]}, target: {kinds: [fighter, beast]}}
    values: {damage: {type: int, min: 0}, fire: {type: flag, default: false}}
  dropping:
    title: Somebody goes down
    roles: {target: {kinds: [fighter, beast]}}
    values: {stands: {type: flag, default: false}}
  opening:
    title: An opening
    roles: {actor: {kinds: [fighter, beast]}, target: {kinds: [fighter, beast]}}

procedures:
  strike:
    takes:
      actor: {type: subject, kinds: [fighter, beast]}
      target: {type: subject, kinds: [fighter, beast]}
    steps:
      - {moment: aimed, with: {actor: actor, target: target}, into: aim}
      - {roll: blow, count: 1 + aim.dimmed, sides: 20}
      - {keep: blow, lowest: 1, when: aim.dimmed > 0}
      - {let: {hit: blow.total + actor.might >= target.guard}}
      - do:
          - {roll: harm, count: 1, sides: 6}
          - {moment: struck, with: {actor: actor, target: target, damage: harm.total + actor.might}, into: left}
          - {call: hurt, with: {target: target, damage: left.damage, fire: left.fire}}
        when: hit
      - {moment: opening, with: {actor: target, target: actor}, when: not hit and blow.total == 1}
    gives: [hit]
  hurt:
    takes:
      target: {type: subject, kinds: [fighter, beast]}
      damage: {type: int}
      fire: {type: flag, default: false}
    steps:
      - {change: {target.hp: 0 - damage}}
      - {apply: burnt, of: target, until: {at: turn_start, of: target}, when: fire and damage > 0}
      - do:
          - {moment: dropping, with: {target: target}, into: drop}
          - do:
              - {change: {target.wounds: 1}}
              - {apply: down, of: target}
            when: not drop.stands
        when: target.hp == 0 and damage > 0 and not has(target, 'down')

cards:
  kit:
    everybody:
      title: Everybody
      triggers:
        - at: turn_start
          late: true
          kinds: [fighter, beast]
          steps:
            - {set: {holder.ap: 3, holder.steps: holder.speed}}
        - at: encounter_start
          kinds: [fighter, beast]
          steps:
            - {set: {holder.ap: 3, holder.steps: holder.speed}}
      actions:
        strike:
          title: Strike
          cost: {ap: 1}
          roles:
            target: {kinds: [fighter, beast], where: "not same_side(user, option) and distance(user, option) <= 1"}
          steps:
            - {call: strike, with: {actor: user, target: target}, into: blow}
            - {outcome: hit, when: blow.hit}
            - {outcome: miss}
          outcomes:
            hit: {title: A hit, success: true}
            miss: {title: A miss, success: false}
        walk:
          title: Walk
          inputs: {to: {type: place}}
          steps:
            - {move: user, to: to, into: way}
            - {require: way.cost <= user.steps, reason: too_far}
            - {change: {user.steps: 0 - way.cost}}
      reactions:
        seize:
          title: Seize the opening
          at: opening
          of: {actor: self, target: foe}
          when: distance(user, moment.target) <= 1
          cost: {ap: 1}
          steps:
            - {call: strike, with: {actor: user, target: moment.target}, into: back}
    commanding:
      title: Commanding
      actions:
        command:
          title: Command
          cost: {ap: 1}
          roles: {target: {kinds: [fighter, beast], where: option != user}}
          steps:
            - {let: {others: "[x for x in everyone() if x != target]"}}
            - {act: target, who: user, where: option.ap == 1, among: others, into: deed}
            - {change: {user.fear: 1}, when: deed.done}
    growing:
      title: Growing
      actions:
        grow:
          title: Grow
          steps:
            - {grow: user, to: 3}
        rush:
          title: Rush
          inputs: {to: {type: place}}
          steps:
            - {move: user, to: to, into: way}
            - {set: {user.steps: 9}, when: way.stopped}
            - each: way.through
              as: one
              steps:
                - {change: {one.hp: -1}}
    walling:
      title: Walling
      actions:
        wall:
          title: Wall
          inputs: {at: {type: place}, toward: {type: place}}
          steps:
            - {place: hedge, at: at, shape: wall, toward: toward, size: 3, until: {at: turn_start, of: user}}
        open:
          title: Open
          when: "any(distance(user, a) <= 1 for a in areas('hedge'))"
          steps:
            - let: {nearest_one: "[a for a in areas('hedge') if distance(user, a) <= 1][0]"}
            - {lift: hedge, where: item.id == nearest_one.id}
    raging:
      title: Raging
      triggers:
        - at: turn_end
          kinds: [fighter, beast]
          steps:
            - let: {near: "[x for x in everyone() if x != holder and distance(x, holder) <= 1]"}
            - do:
                - {ask: prey, among: near, who: gm}
                - {change: {prey.hp: -3}}
              when: count(near) > 0
    parrying:
      title: Parrying
      reactions:
        parry:
          title: Parry
          at: struck
          of: {target: self}
          cost: {ap: 1}
          steps:
            - {set: {moment.damage: down(moment.damage / 2)}}
    warding:
      title: Warding
      reactions:
        cover:
          title: Cover
          at: aimed
          of: {target: ally}
          when: distance(user, moment.target) <= 1
          limit: {per: round, of: target}
          steps:
            - {set: {moment.dimmed: "max(moment.dimmed, 1)"}}
        step_in:
          title: Step in
          at: struck
          of: {target: ally}
          when: distance(user, moment.target) <= 1 and moment.damage > 0
          cost: {ap: 1}
          steps:
            - {let: {taken: moment.damage}}
            - {set: {moment.damage: "0"}}
            - {call: hurt, with: {target: user, damage: taken}}
    bearing:
      title: Bearing
      reactions:
        bear:
          title: Bear the wound
          at: dropping
          of: {target: ally}
          cost: {ap: 1, mana: 2}
          steps:
            - {change: {user.wounds: 1}}
            - {set: {moment.target.hp: "1", moment.stands: "true"}}
    grudge:
      title: Grudge
      reactions:
        remember:
          title: Remember
          at: struck
          of: {target: friend}
          asks: false
          always: true
          when: moment.damage > 0
          steps:
            - {change: {user.fear: 1}}
    knitting:
      title: Knitting
      triggers:
        - at: turn_start
          kinds: [beast]
          when: not has(holder, 'burnt')
          steps:
            - {set: {holder.hp: "min(holder.hp + 5, holder.hp_max)"}}
    burning_hand:
      title: Burning hand
      actions:
        burning_hand:
          title: Burning hand
          cost: {ap: 1, mana: 1}
          roles: {target: {kinds: [fighter, beast], where: "distance(user, option) <= 5"}}
          steps:
            - {roll: flame, dice: 1d6}
            - {call: hurt, with: {target: target, damage: flame.total, fire: "true"}}
    leaping:
      title: Leaping fire
      actions:
        leap:
          title: Leap
          cost: {ap: 2}
          roles: {target: {kinds: [fighter, beast], where: "not same_side(user, option)"}}
          steps:
            - {roll: arc, dice: 1d8}
            - {let: {touched: "[target]", last: "target"}}
            - {call: hurt, with: {target: target, damage: arc.total}}
            - repeat: 2
              as: jump
              steps:
                - {let: {near: "[x for x in foes(user) if distance(last, x) <= 3 and x not in touched]"}}
                - do:
                    - {ask: next, among: near, who: user}
                    - {let: {touched: "joined(touched, [next])", last: "next"}}
                    - {call: hurt, with: {target: next, damage: down(arc.total / 2)}}
                  when: count(near) > 0
    storming:
      title: Storming
      actions:
        storm:
          title: Storm
          cost: {ap: 2}
          inputs: {at: {type: place}}
          steps:
            - {require: "distance(user, at) <= 10", reason: too_far}
            - {place: tempest, at: at, size: 2, slows: 2, until: {at: turn_start, of: user, count: 3}}
    sweeping:
      title: Sweeping
      actions:
        sweep:
          title: Sweep
          cost: {ap: 2}
          roles: {targets: {kinds: [fighter, beast], many: true, max: 3, where: "distance(user, option) <= 1"}}
          steps:
            - {roll: blow, dice: 1d20}
            - {roll: harm, dice: 1d6}
            - each: targets
              as: target
              steps:
                - call: hurt
                  with: {target: target, damage: harm.total}
                  when: blow.total + user.might >= target.guard
            - each: within(user, 1)
              as: near
              steps:
                - {move: near, how: forced, away: user, distance: 2}
    stances:
      title: Stances
      grants:
        - {card: parrying, when: might >= 5}
  condition:
    down: {title: Down}
    burnt: {title: Burnt}
    braced:
      title: Braced
      modifiers: [{stat: guard, add: "2 + (2 if has(self, 'parrying') else 0)"}]
  ground:
    hedge: {title: Hedge, blocks: true}
    tempest:
      title: Tempest
      modifiers: [{stat: guard, add: -2}]
      triggers:
        - at: turn_start
          kinds: [fighter, beast]
          steps:
            - {roll: hail, dice: 1d6}
            - {call: hurt, with: {target: holder, damage: hail.total}}
        - at: enter
          kinds: [fighter, beast]
          steps:
            - {change: {holder.fear: 1}}

tests:
  swift:
    title: Swift
    roles: {who: {kinds: [fighter, beast]}}
    steps:
      - {roll: die, dice: 1d20}
    facts: {initiative: die.total + who.might, tie: who.might}
"""


def duel(more: str = "", change: tuple[str, str] = ("", "")) -> Pack:
    """The pack, perhaps with another file of entries, or with a word changed."""
    files = {"pack.yaml": MANIFEST.encode(), "duel.yaml": PACK.replace(*change, 1).encode()}
    return load_files({**files, **({"more.yaml": more.encode()} if more else {})})
