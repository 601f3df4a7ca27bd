"""What a memory says of two things, as a model put it: subject, relation, object."""

from holdfast.core.value import Value


class Triple(Value):
    """One statement. It is an edge of the graph and nothing else: nobody follows what it says."""

    subject: str
    relation: str
    object: str


class Fact(Value):
    """A triple, and both its ends as names are compared; `stems` are the ends by the stems of their words."""

    triple: Triple
    ends: tuple[str, str]
    stems: tuple[str, str]


class MemoryTriples(Value):
    """The triples of one memory. `words` is the sha256 of the words they were made of, `file` that of the file then.

    `note` says why there are none, where a model gave no usable answer; `reply` is where the whole answer is kept.
    """

    id: str
    words: str
    file: str
    facts: tuple[Fact, ...] = ()
    model: str = ""
    note: str = ""
    reply: str = ""
