"""A file as it is to be, and as it was."""

from holdfast.core.value import Value


class ProposedFile(Value):
    """One file as it is to be. `before`: its text until now; None where there is none, or none to compare with.

    `after`: None where the file goes, or its text cannot be read. `added`: the lines that are new; None for all.
    `new`: nothing was at this path. `compared`: whether `before` is known. `included`: a file of requirements takes it
    in.
    """

    path: str
    after: str | None
    before: str | None = None
    added: frozenset[int] | None = None
    new: bool = False
    deleted: bool = False
    compared: bool = True
    included: bool = False
