"""What is wrong with a formula's text."""


class FormulaError(Exception):
    """`offset` is the column within the formula, from 0."""

    def __init__(self, message: str, offset: int = 0, suggestion: str = "") -> None:
        self.message, self.offset, self.suggestion = message, offset, suggestion
        hint = f" (did you mean {suggestion!r}?)" if suggestion else ""
        super().__init__(f"{message}{hint}")
