"""Simulated fights of a small game: the same seed, whom they turn to, what wins, what is counted, what is refused."""

from __future__ import annotations

import pytest

from rules.board import Area, Scene
from rules.packs import Pack
from rules.problems import PackError
from rules.sheets import Subject
from rules.simulation import Arena, Tally, merged, simulate
from rules.simulation.designs import measure
from rules.simulation.tally import whole
from tests.rules.small import pack as small

GAME = """
encounter: {kinds: [hero, beast], holds: [fights], budgets: [ap], acts: "turn(user) and user.hp > 0"}
kinds:
  hero:
    title: Hero
    sheet: {tracks: {hp: top}}
    stats:
      hp: {type: int, min: 0, default: 12, bounds: clamp}
      top: {formula: "12"}
      ap: {type: int, min: 0, default: 2}
      rank: {type: int, default: 1}
  beast:
    title: Beast
    sheet: {tracks: {hp: top}}
    stats:
      hp: {type: int, min: 0, max: 99, default: 4, bounds: clamp}
      top: {formula: "4"}
      ap: {type: int, min: 0, default: 2}
      teeth: {type: int, default: 1}
card_types:
  kit: {title: Kit, by_hand: true}
  breed: {title: Breed, by_hand: true, fields: {hp: {type: int}, teeth: {type: int}}}
cards:
  breed: {rat: {title: Rat, values: {hp: 4, teeth: 1}}}
  kit:
    fights:
      title: Fights
      triggers: [{at: turn_start, late: true, kinds: [hero, beast], steps: [{set: {holder.ap: 2}}]}]
      actions:
        poke:
          title: Poke
          cost: {ap: 1}
          roles: {target: {kinds: [hero, beast], where: option != user}}
          steps: [{change: {target.hp: "0 - 1"}}]
        hit:
          title: Hit
          cost: {ap: 1}
          roles: {target: {kinds: [hero, beast], where: option != user}}
          steps: [{roll: harm, dice: 1d4}, {change: {target.hp: 0 - harm.total}}]
"""
TACTICS = """
tactics:
  out: user.hp == 0
  track: hp
  aim: {hero: weakest, beast: first}
"""


def arena(pack: Pack, beasts: tuple[int, ...] = (4, 3)) -> Arena:
    subjects = [Subject(id="ana", kind="hero")]
    subjects += [Subject(id=f"rat{n}", kind="beast", values={"hp": hp}) for n, hp in enumerate(beasts, 1)]
    sides = {"ana": "party", **{one.id: "rats" for one in subjects[1:]}}
    return Arena(pack, subjects, sides, initiative={name: 10 - at for at, name in enumerate(sides)})


@pytest.fixture(scope="module")
def game() -> Pack:
    return small(GAME, TACTICS)


def test_the_same_seed_is_the_same_fight_and_pieces_make_the_whole(game: Pack) -> None:
    ring = arena(game)
    assert ring.fight("a") == ring.fight("a") == arena(game).fight("a")
    *_, first = simulate(ring, 12, "tide")
    *_, second = simulate(arena(game), 8, "tide", begin=12)
    assert merged(first, second) == whole(ring, 20, "tide")


def test_without_preferences_they_do_what_harmed_most_when_tried(game: Pack) -> None:
    """A hit takes 2.5 on average, a poke 1, idling nothing."""
    assert arena(game).tactician.worth["ana"] == ["fights.hit", "fights.poke"]


def test_preferences_come_first_and_what_is_never_done_is_not() -> None:
    pack = small(GAME, TACTICS + "  acts: [{action: fights.poke, kinds: [hero], times: 1}]\n  never: [fights.hit]\n")
    over = arena(pack, (2,)).fight("x")
    assert over.won == "party" and over.rounds == 1 and over.blows["ana"].took == 2 and over.blows["ana"].acts == 2


def test_what_is_counted_adds_up(game: Pack) -> None:
    """A rat of 1 falls to the first blow: one round, 100 of it in part, the rest of the pool counted as lost."""
    over = arena(game, (1,)).fight("x")
    assert (over.won, over.rounds, over.out, over.fell, over.lost["rats"]) == ("party", 1, ["rat1"], {"rat1": 1}, [1])
    assert over.blows["ana"].acts == over.blows["ana"].landed == 1 and over.blows["ana"].shares == 2500
    tally = whole(arena(game), 50, "tide")
    assert sum(tally.rounds.values()) == sum(tally.won.values()) == tally.fights == 50
    assert sum(tally.lost["rats"]) <= 7 * 50 and tally.won["party"] * 7 <= sum(tally.lost["rats"])


def test_heroes_turn_to_the_weakest(game: Pack) -> None:
    over = arena(game, (4, 1)).fight("s")
    assert next(iter(over.fell)) == "rat2"


def test_a_fight_without_end_is_undecided() -> None:
    pack = small(GAME, TACTICS + "  never: [fights.hit, fights.poke]\n")
    over = arena(pack).fight("x", 3)
    assert (over.won, over.rounds, over.length) == ("", 3, 300)


def test_a_pack_without_tactics_is_fought_by_its_first_bar() -> None:
    tally: Tally = whole(arena(small(GAME)), 5, "tide")
    assert tally.fights == 5 and sum(tally.won.values()) == 5


DESIGNS = """
creation:
  hero:
    steps: [{id: one, title: One, choices: [{id: sort, title: Sort, type: number, min: 1, max: 3, sets: rank}]}]
    ready: {brun: {name: Brun, choices: {sort: 1}}}
designs:
  lasts:
    title: Rounds
    measure: rounds
    parts: 100
    party: {hero: [brun]}
    why: So it is.
    rows: [{foes: {rat: 1}, printed: 200}, {foes: {rat: 1}, printed: 400}]
"""


def test_printed_numbers_are_measured_and_compared() -> None:
    """Two pokes a turn at a rat of 4: it falls in the second round, whichever of the two begins it."""
    pack = small(GAME, TACTICS + "  never: [fights.hit]\n", DESIGNS)
    right, wrong = (measure(pack, "lasts", at, 4, "x") for at in (0, 1))
    assert 150 <= right.found <= 200 and (right.parts, right.printed) == (100, 200)
    assert not wrong.bears and wrong.words.endswith("% less than printed")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("  never: [fights.bite]\n", "no action or reaction is called 'fights.bite'"),
        ("  acts: [{action: fights.bite}]\n", "no action is called 'fights.bite'"),
        ("  acts: [{tag: attack}]\n", "no action has the tag 'attack'"),
        ("  acts: [{when: user.hp > 1}]\n", "say one of `action` and `tag`"),
        ("  acts: [{action: fights.hit, kinds: [villain]}]\n", "no kind that can take part is called 'villain'"),
        ("  acts: [{action: fights.hit, given: {x: '1'}}]\n", "the action has no input 'x'"),
        ("  choices: {price: user.gold}\n", "gold"),
        ("  approach: {action: fights.hit, place: to, reach: '3'}\n", "the action has no input 'to'"),
    ],
)
def test_a_slip_in_the_tactics_stops_the_pack(more: str, said: str) -> None:
    with pytest.raises(PackError) as found:
        small(GAME, TACTICS + more)
    assert said in str(found.value)


GROUND = """
moments: {}
cards:
  kit:
    wall: {title: Wall, blocks: true}
    walks:
      title: Walks
      actions:
        walk:
          title: Walk
          cost: {ap: 1}
          inputs: {to: {type: place, title: Where to}}
          steps:
            - {move: user, to: to, into: way}
            - {require: not way.stopped, reason: barred, text: Barred.}
            - {require: way.units <= 3, reason: too_far, text: Too far.}
"""
CLOSE = GAME.replace("where: option != user", 'where: "option != user and distance(user, option) <= 1"').replace(
    "holds: [fights]", "holds: [fights, walks]"
)
WALKING = TACTICS + "  approach: {action: walks.walk, place: to, reach: '3'}\n"


def on_a_grid(places: dict[str, tuple[int, int]], walls: list[Area]) -> Arena:
    pack = small(CLOSE, GROUND, WALKING)
    subjects = [Subject(id="ana", kind="hero"), Subject(id="rat", kind="beast", values={"hp": 4})]
    ground = Scene(areas={wall.id: wall for wall in walls})
    return Arena(pack, subjects, {"ana": "party", "rat": "rats"}, places, {"ana": 2, "rat": 1}, ground=ground)


def wall_of(at: tuple[int, int], to: tuple[int, int], size: int) -> Area:
    return Area(id="wall", card="wall", shape="wall", at=at, to=to, size=size, blocks=True)


def test_whoever_stands_far_off_comes_near_and_then_strikes() -> None:
    """Nobody is in reach when the fight begins: what an act is worth does not hang on that."""
    over = on_a_grid({"ana": (0, 5), "rat": (9, 5)}, []).fight("tide")
    assert over.won and over.rounds > 1


def test_a_wall_is_gone_around_and_nothing_goes_through_it() -> None:
    """A wall of eleven squares between two who stand three apart: straight they would meet in the first turn."""
    places = {"ana": (3, 5), "rat": (6, 5)}
    open_ground, walled = on_a_grid(places, []).fight("tide"), on_a_grid(places, [wall_of((4, 0), (4, 10), 11)])
    assert open_ground.lost["rats"][0] > 0
    assert walled.fight("tide").lost["rats"][0] == 0 and walled.fight("tide").won


def test_behind_walls_on_all_sides_nobody_comes_and_the_fight_is_undecided() -> None:
    ring = [
        Area(id=f"wall{x}{y}", card="wall", at=(x, y), blocks=True)
        for x in range(2, 5)
        for y in range(4, 7)
        if (x, y) != (3, 5)
    ]
    assert on_a_grid({"ana": (3, 5), "rat": (8, 5)}, ring).fight("tide").won == ""
