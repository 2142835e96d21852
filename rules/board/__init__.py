"""Where a fight stands while something is done in it: who is on which side, who stands where, what lies on the ground.

    board = Board(pack, scene, subjects)     a private view; `scene` and `subjects` are left as they are
    board.sheet("ana")["might"]              sheets of all who take part, made when first read
    board.distance(one, other)               on a grid, or by the game master's word where there is none

Programs (`rules.tests`) read and change a board; what they change is also listed as effects, which
`apply_to_scene` and `rules.tests.apply_effects` carry over to what is stored.
"""

from rules.board.board import NOWHERE, Board, Warm
from rules.board.geometry import Cell
from rules.board.scene import Area, Scene, apply_to_scene, copy_scene

__all__ = ["NOWHERE", "Area", "Board", "Cell", "Scene", "Warm", "apply_to_scene", "copy_scene"]
