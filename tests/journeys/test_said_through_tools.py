"""An answer in a form, the words of a refusal and a stop: shown with the session, found by search, shown to a model."""

import os
from pathlib import Path
from typing import Any

from tests.transcripts import Claude

from holdfast.app import build_app
from holdfast.distil.model.render_conversation import number_turns, render_part, split_parts
from holdfast.records.sessions import open_session

REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
    "new_string was NOT written to the file). To tell you how to proceed, the user said:\nbuild it in the pipeline"
)
QUESTION = {"question": "Which queue?", "options": [{"label": "vermilion"}, {"label": "teal"}]}


def test_what_is_said_through_tools_reaches_every_view(holdfast: Any, folder: Path) -> None:
    session = Claude(folder, Path(os.environ["HOME"]))
    session.prompt("Set up the queue")
    asked = session.calls("AskUserQuestion", questions=[QUESTION])
    answer = {"type": "tool_result", "tool_use_id": asked, "content": "User has answered your questions"}
    session.record(
        "user", promptId=session.turn, message={"role": "user", "content": [answer]},
        toolUseResult={"questions": [QUESTION], "answers": {"Which queue?": "vermilion"}},
    )  # fmt: skip
    session.gets(session.calls(command="make image"), REFUSED, failed=True)
    session.prompt("[Request interrupted by user]")
    session.prompt("no, stop: never deploy from a laptop")
    holdfast("harvest")

    shown = holdfast("session", "show", session.session).out
    found = [holdfast("search", words, "--in", "turns").out for words in ("vermilion", "pipeline", "laptop")]
    talk = open_session(build_app(str(folder)), session.session)
    seen = "\n".join(render_part(part) for part in split_parts(number_turns(talk.conversation), 4000))

    assert "user: Which queue? → vermilion" in shown
    assert "user: refused Bash: build it in the pipeline" in shown
    assert "the user stopped the agent" in shown
    assert ["vermilion" in found[0], "pipeline" in found[1], "laptop" in found[2]] == [True, True, True]
    assert all(words in seen for words in ("vermilion", "teal", "build it in the pipeline", "from a laptop"))
    assert "stopped the agent" not in seen
