"""A small game of Pursuits for tests: private ones that earn renown, the party's that raises everybody, schooling."""

from __future__ import annotations

from rules.packs import Pack, load_files
from rules.pursuits import PursuitRules

MANIFEST = """
id: wake
version: 1.0.0
title: Wake
source: Written for these tests.
rights: None needed.
settings:
  pacing.own: {type: name, options: [usual, faster, slower], default: usual, text: What is one's own., ruling: usual}
  pacing.joint: {type: name, options: [usual, faster], default: usual, text: The party's., ruling: usual}
  between: {type: name, options: [gm_award, none_at_all], default: gm_award, text: Without one., ruling: The GM may.}
"""
RULES = """
card_types: {craft: {title: Craft}}
cards: {craft: {rigging: {title: Rigging}, charts: {title: Charts}}}
kinds:
  sailor:
    title: Sailor
    stats:
      tier: {type: int, min: 1, max: 5, default: 1, title: Tier}
      renown: {type: int, min: 0, max: 3, default: 0, title: Renown}
      knows: {type: flag, each: craft, default: false, title: Knows}
  ship: {title: Ship}
tests:
  rise:
    title: Rise a tier
    called_by: [gm]
    roles: {who: {kinds: [sailor]}}
    steps:
      - {require: who.tier < 5, reason: highest, text: There is no higher tier.}
      - {change: {who.tier: 1}}
      - {set: {who.renown: 0}}
  earn:
    title: Earn renown
    called_by: [gm]
    roles: {who: {kinds: [sailor]}}
    steps:
      - {require: who.renown < 3, reason: enough, text: Three in a tier are all.}
      - {change: {who.renown: 1}}
  learn:
    title: Learn a craft
    called_by: [gm]
    roles: {who: {kinds: [sailor]}}
    inputs: {craft: {type: card, card: craft}}
    steps:
      - {set: {"who.knows[craft]": true}}
"""
PURSUITS = """
pursuits:
  settings: {kinds.own.pace: pacing.own, kinds.joint.pace: pacing.joint, kinds.own.without: between}
  kinds:
    - id: own
      title: Own Pursuit
      owner: subject
      kinds: [sailor]
      seen: holders
      pace: usual
      paces:
        - {id: usual, title: Usual, gives: advance, remark: 1}
        - {id: faster, title: Faster, gives: advance}
        - {id: slower, title: Slower, gives: resolve}
      without: gm_award
      gives: {title: Renown, test: earn, role: who}
    - id: joint
      title: Joint Pursuit
      owner: party
      kinds: [sailor]
      consent: everyone
      pace: usual
      paces:
        - {id: usual, title: Usual, gives: resolve}
        - {id: faster, title: Faster, gives: stage}
      gives: {title: a Tier, test: rise, role: who}
    - id: schooling
      title: Schooling
      owner: subject
      kinds: [sailor]
      consent: gm
      by_calendar: true
      pace: usual
      paces: [{id: usual, title: Usual, gives: resolve}]
      gives: {title: a Craft, test: learn, role: who, inputs: [craft]}
"""


def files(pursuits: str = PURSUITS) -> dict[str, bytes]:
    """The pack's files."""
    return {"pack.yaml": MANIFEST.encode(), "rules.yaml": RULES.encode(), "pursuits.yaml": pursuits.encode()}


def wake(pursuits: str = PURSUITS) -> Pack:
    """The pack."""
    return load_files(files(pursuits))


def rules_of(pack: Pack) -> PursuitRules:
    """Its section."""
    found: PursuitRules = pack.source.sections["pursuits"]
    return found
