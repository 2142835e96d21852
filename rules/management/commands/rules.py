"""`manage.py rules ...`: the command line of rule authors. Everything it does is in `rules.cli`."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from rules.cli import given as read
from rules.cli.check import check
from rules.cli.diff import diff
from rules.cli.new import new_pack
from rules.cli.simulate import report_designs, simulate_fights
from rules.cli.tries import describe, say_given, say_odds, say_run, try_test
from rules.packs import load_pack
from rules.packs.jsonschema import KINDS, schema
from rules.problems import PackError
from rules.refusal import Refused


class Command(BaseCommand):
    help = "Check, try and compare rule packs."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parts = parser.add_subparsers(dest="part", required=True)
        part = parts.add_parser("check", help="load packs, run their cases, say what no case proves")
        part.add_argument("packs", nargs="*", metavar="PACK", help="ids or folders; all packs when left out")
        part.add_argument("--cases", nargs="*", default=[], metavar="FILE", help="further case files")
        part.add_argument("--strict", action="store_true", help="warnings and unproved rules fail too")
        for name, text in (("try", "run a test by hand and read every step"), ("odds", "exact odds of a test")):
            part = parts.add_parser(name, help=text)
            part.add_argument("pack", metavar="PACK")
            part.add_argument("test", metavar="TEST")
            part.add_argument("--given", nargs="*", default=[], metavar="NAME=VALUE")
            part.add_argument("--subject", nargs="*", default=[], metavar="ROLE={kind: ..., values: {...}}")
            part.add_argument("--choose", nargs="*", default=[], metavar="ID=ANSWER")
            part.add_argument("--setting", nargs="*", default=[], metavar="NAME=VALUE", help="settings of the table")
            if name == "try":
                part.add_argument("--dice", metavar="FACES", help="chosen faces; real dice when left out")
        part = parts.add_parser("simulate", help="fights that nobody plays, by the thousand")
        part.add_argument("pack", metavar="PACK")
        part.add_argument("--foes", nargs="*", default=[], metavar="CARD:COUNT[:STAT=NUMBER,...]")
        part.add_argument("--party", nargs="*", default=[], metavar="READY", help="of the ready-made; the first four")
        part.add_argument("--level", type=int, default=1)
        designs = parts.add_parser("designs", help="numbers that the source prints, worked out again by fights")
        designs.add_argument("pack", metavar="PACK")
        designs.add_argument("design", nargs="?", default="", metavar="DESIGN")
        for found, count in ((part, 1000), (designs, 200)):
            found.add_argument("--fights", type=int, default=count, help="how many (of each number)")
            found.add_argument("--seed", default="tide", help="the same seed makes the same fights")
            found.add_argument("--setting", nargs="*", default=[], metavar="NAME=VALUE")
        part = parts.add_parser("diff", help="what changes from one version of a pack to another")
        part.add_argument("old", metavar="OLD")
        part.add_argument("new", metavar="NEW")
        part = parts.add_parser("new", help="a starter pack that passes its own check")
        part.add_argument("folder", metavar="FOLDER")
        part = parts.add_parser("schema", help="the JSON Schema of the pack format")
        part.add_argument("kind", nargs="?", default="file", choices=list(KINDS))

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if not getattr(self, "do_" + options["part"])(options):
                sys.exit(1)
        except (PackError, Refused) as exc:
            raise CommandError(str(exc)) from None
        except OSError as exc:
            raise CommandError(f"{exc.filename}: {exc.strerror}") from None

    def say(self, text: str) -> None:
        self.stdout.write(text)

    def do_check(self, options: dict[str, Any]) -> bool:
        return check(options["packs"], options["cases"], self.say, options["strict"])

    def do_try(self, options: dict[str, Any]) -> bool:
        pack = load_pack(options["pack"]).with_settings(read.assignments(options["setting"]))
        dice = None if options["dice"] is None else read.faces(options["dice"])
        given, choices = read.assignments(options["given"]), read.assignments(options["choose"])
        subjects = read.subjects(options["subject"])
        describe(pack, options["test"], self.say)
        say_given(given, subjects, self.say)
        say_run(try_test(pack, options["test"], given, dice, choices, subjects), self.say)
        return True

    def do_odds(self, options: dict[str, Any]) -> bool:
        pack = load_pack(options["pack"]).with_settings(read.assignments(options["setting"]))
        given, choices = read.assignments(options["given"]), read.assignments(options["choose"])
        return say_odds(pack, options["test"], given, choices, read.subjects(options["subject"]), self.say)

    def do_simulate(self, options: dict[str, Any]) -> bool:
        pack = load_pack(options["pack"]).with_settings(read.assignments(options["setting"]))
        party, foes, fights = options["party"], options["foes"], max(1, options["fights"])
        return simulate_fights(pack, party, options["level"], foes, fights, options["seed"], self.say)

    def do_designs(self, options: dict[str, Any]) -> bool:
        pack = load_pack(options["pack"]).with_settings(read.assignments(options["setting"]))
        return report_designs(pack, options["design"], max(1, options["fights"]), options["seed"], self.say)

    def do_diff(self, options: dict[str, Any]) -> bool:
        for change in diff(load_pack(options["old"]), load_pack(options["new"])):
            self.say(str(change))
        return True

    def do_new(self, options: dict[str, Any]) -> bool:
        for path in new_pack(Path(options["folder"])):
            self.say(f"wrote {path}")
        return True

    def do_schema(self, options: dict[str, Any]) -> bool:
        self.say(json.dumps(schema(options["kind"]), indent=2))
        return True
