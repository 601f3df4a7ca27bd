"""Something that a source file calls."""

from holdfast.core.value import Value


class CalledName(Value):
    """Something that is called: `time.sleep`, whatever it was imported as. `empty`: without arguments."""

    name: str
    line: int
    empty: bool = False

    def means(self, wanted: str) -> bool:
        """Whether a rule speaks of it: `time.sleep`, `datetime.now()` without arguments, `.unwrap` of anything."""
        if wanted.endswith("()"):
            return self.empty and self.means(wanted[:-2])
        if wanted.startswith("."):
            return self.name.endswith(wanted)
        return self.name == wanted or ("." in wanted and self.name.endswith(f".{wanted}"))
