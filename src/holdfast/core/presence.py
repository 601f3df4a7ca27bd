"""How a person showed that they are there: at a terminal, in Studio, by a key; or that nothing shows it."""

from collections.abc import Mapping

from holdfast.core.value import Value

TERMINAL, STUDIO, KEY, RULE, LIBRARY = "terminal", "studio", "key", "rule", "library"
# Nobody is to be seen: a program of the user, a token that every program of theirs can read, a client's agent.
SCRIPT, TOKEN, AGENT = "script", "token", "agent"
UNPROVEN = "not proven to be a person"


class Presence(Value):
    """Who decides, how that is known, and from where. `why`: what keeps it from being proven, where it is not."""

    who: str
    how: str
    where: str = ""
    proven: bool = True
    why: str = ""


def presence_json(presence: Presence) -> dict[str, object]:
    """A presence for files and programs."""
    form: dict[str, object] = {"who": presence.who, "how": presence.how, "where": presence.where}
    return form if presence.proven else {**form, "unproven": presence.why or UNPROVEN}


def presence_from_json(form: Mapping[str, object]) -> Presence:
    """A presence as it was written down."""
    why = form.get("unproven")
    texts = {name: str(form.get(name, "")) for name in ("who", "how", "where")}
    return Presence(**texts, proven=why is None, why="" if why is None else str(why))
