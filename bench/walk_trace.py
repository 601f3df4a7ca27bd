"""Run a script as `python SCRIPT` would and note, in order, each module of a package whose functions it enters.

    python walk_trace.py FOLDER OUT SCRIPT [ARGUMENT…]      FOLDER/ is the package; OUT gets one name a line

Counted are functions with a name: the bodies of modules and classes, lambdas and comprehensions are no step of a walk,
and neither is what runs while a module of the package is imported.
"""

import os
import sys
import threading
from types import FrameType

folder, out, script = (os.path.abspath(word) for word in sys.argv[1:4])
package = os.path.basename(folder)
# Names, in the order in which they were first entered.
entered: dict[str, None] = {}
NOT_A_CLASS = 1  # inspect.CO_OPTIMIZED
# Modules of the package that are being imported at this moment, one for the sake of the other.
importing: list[str] = []


def note(frame: FrameType, event: str, _: object) -> None:
    """A function begins."""
    code, name = frame.f_code, str(frame.f_globals.get("__name__"))
    if name.partition(".")[0] != package:
        return
    if code.co_name == "<module>":
        if event == "call":
            importing.append(name)
        elif event == "return":
            importing.pop()
    elif event == "call" and not importing and code.co_name[0] != "<" and code.co_flags & NOT_A_CLASS:
        entered.setdefault(name)


def leave(status: int) -> None:
    """The end by `_exit`, which the hook takes; what was found is kept before."""
    keep()
    really_leave(status)


def keep() -> None:
    """Write the names."""
    sys.setprofile(None)
    with open(out, "w", encoding="utf-8") as file:
        file.write("".join(f"{name}\n" for name in entered))


really_leave = os._exit
for module in (os, sys.modules[os.name]):
    # By the second name the hook imports it.
    vars(module)["_exit"] = leave
sys.argv = [script, *sys.argv[4:]]
sys.path[0] = os.path.dirname(script)
with open(script, encoding="utf-8") as text:
    body = compile(text.read(), script, "exec")
threading.setprofile(note)
sys.setprofile(note)
try:
    exec(body, {"__name__": "__main__", "__file__": script})
finally:
    keep()
