"""Cases: worked examples that live with a pack and run through the engine that plays."""

from rules.cases.coverage import Coverage, coverage
from rules.cases.read import PlacedCase, cases_of, read_cases
from rules.cases.run import CaseResult, run_case, run_cases

__all__ = ["CaseResult", "Coverage", "PlacedCase", "cases_of", "coverage", "read_cases", "run_case", "run_cases"]
