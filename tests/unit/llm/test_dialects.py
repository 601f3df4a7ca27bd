"""What is posted to each vendor, and what is read from each."""

import asyncio
import json
from contextlib import aclosing
from typing import Any

import pytest
from tests.unit.llm.talking import DIALECTS, KEY, Events, asking, model_at, serving, status, streaming

from holdfast.core.model import (
    Ask,
    CallDelta,
    Delta,
    Done,
    Message,
    Role,
    Shape,
    Stop,
    TextDelta,
    Tool,
    ToolCall,
    ToolResult,
    Usage,
    reply_as_message,
)

EVERY = pytest.mark.parametrize("dialect", DIALECTS)
LOOK = Tool(
    name="look", description="Look at a file", schema={"type": "object", "properties": {"path": {"type": "string"}}}
)
SHAPE = Shape(
    name="thing",
    schema={
        "type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False,
    },
)  # fmt: skip
ARGUMENTS = '{"path": "src/ä b.py"}'


def calling(dialect: str) -> Events:
    """A tool call whose arguments come in pieces, as each vendor sends it."""
    a, b = ARGUMENTS[:9], ARGUMENTS[9:]
    match dialect:
        case "anthropic":
            begin = {"type": "tool_use", "id": "c1", "name": "look", "input": {}}
            pieces = [{"type": "input_json_delta", "partial_json": piece} for piece in (a, b)]
            thought = {"type": "thinking", "thinking": "", "signature": ""}
            return [
                {"type": "message_start", "message": {"model": "m-1", "usage": {"input_tokens": 3}}},
                {"type": "content_block_start", "index": 0, "content_block": thought},
                {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hm"}},
                {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "s1"}},
                {"type": "content_block_start", "index": 1, "content_block": begin},
                *({"type": "content_block_delta", "index": 1, "delta": piece} for piece in pieces),
                {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 5}},
                {"type": "message_stop"},
            ]
        case "chat":
            first: dict[str, Any] = {
                "index": 0,
                "id": "c1",
                "type": "function",
                "function": {"name": "look", "arguments": ""},
            }
            more: Events = [{"index": 0, "function": {"arguments": piece}} for piece in (a, b)]
            return [
                *({"choices": [{"index": 0, "delta": {"tool_calls": [piece]}}]} for piece in (first, *more)),
                {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
            ]
        case "responses":
            item = {"type": "function_call", "id": "fc", "call_id": "c1", "name": "look", "arguments": ARGUMENTS}
            reasoned = {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "e1"}
            return [
                {"type": "response.output_item.done", "output_index": 0, "item": reasoned},
                {"type": "response.output_item.added", "output_index": 1, "item": {**item, "arguments": ""}},
                *(
                    {"type": "response.function_call_arguments.delta", "output_index": 1, "delta": piece}
                    for piece in (a, b)
                ),
                {"type": "response.output_item.done", "output_index": 1, "item": item},
                {"type": "response.completed", "response": {"status": "completed", "output": [item]}},
            ]
    call = {"functionCall": {"name": "look", "args": json.loads(ARGUMENTS)}, "thoughtSignature": "s1"}
    return [{"candidates": [{"content": {"parts": [call]}, "finishReason": "STOP"}]}]


@EVERY
@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_a_reply_in_pieces_of_any_size_is_put_together(dialect: str, size: int) -> None:
    with serving(streaming(DIALECTS[dialect][1]("Grüße, 世界 🎉."), size=size)) as server:
        reply = model_at(server, dialect).complete(asking())

    assert reply.text == "Grüße, 世界 🎉."
    assert (reply.stop, reply.model, reply.calls) == (Stop.END, "m-1", ())
    assert reply.usage == Usage(input=16, output=5, cached=4, written=2 if dialect == "anthropic" else 0)


@EVERY
def test_the_key_goes_in_a_header_and_nowhere_else(dialect: str) -> None:
    with serving(streaming(DIALECTS[dialect][1]())) as server:
        model = model_at(server, dialect)
        model.complete(asking(system="Be brief."))

    [(path, headers, body)] = server.seen
    assert [name for name, value in headers.items() if KEY in value]
    assert KEY not in path + json.dumps(body) + repr(model) + repr(vars(model)["_wire"])
    assert "Be brief." in json.dumps(body)
    assert "Say hello" in json.dumps(body)


@EVERY
def test_a_tool_call_in_pieces_is_put_together(dialect: str) -> None:
    with serving(streaming(calling(dialect))) as server:
        reply = model_at(server, dialect).complete(asking(tools=(LOOK,)))

    [call] = reply.calls
    assert (call.name, call.arguments, call.broken) == ("look", {"path": "src/ä b.py"}, "")
    assert reply.stop is Stop.TOOLS


@EVERY
def test_a_result_goes_back_with_its_call_and_what_the_vendor_wants_back(dialect: str) -> None:
    with serving(streaming(calling(dialect)), streaming(DIALECTS[dialect][1]())) as server:
        model = model_at(server, dialect)
        first = asking(tools=(LOOK,))
        reply = model.complete(first)
        [call] = reply.calls
        result = ToolResult(call=call.id, name=call.name, text="no such file", failed=True)
        model.complete(
            Ask(messages=(*first.messages, reply_as_message(reply), Message(role=Role.USER, results=(result,))))
        )

    sent = json.dumps(server.seen[1][2])
    assert "no such file" in sent
    assert call.id in sent or dialect == "gemini"
    marks = {"anthropic": ("s1", "is_error"), "chat": ("tool_call_id",), "responses": ("e1", "function_call_output")}
    assert all(mark in sent for mark in marks.get(dialect, ("s1", "functionResponse")))
    assert '"fc"' not in sent


@EVERY
def test_arguments_that_are_no_json_are_kept_as_they_came(dialect: str) -> None:
    events = json.loads(
        json.dumps(calling(dialect)).replace('"path\\": \\"src', '"path\\" \\"src').replace('"path\\":', '"path\\"')
    )
    with serving(streaming(events)) as server:
        reply = model_at(server, dialect).complete(asking(tools=(LOOK,)))

    if dialect != "gemini":  # its arguments are JSON, or the event is none
        assert (reply.calls[0].arguments, "src" in reply.calls[0].broken) == ({}, True)


@EVERY
def test_a_shape_is_asked_for_in_the_vendors_own_way(dialect: str) -> None:
    with serving(streaming(DIALECTS[dialect][1]('{"a": "b"}'))) as server:
        reply = model_at(server, dialect).complete(asking(shape=SHAPE))

    body = server.seen[0][2]
    match dialect:
        case "anthropic":
            found = body["output_config"]["format"]["schema"]
        case "chat":
            found = body["response_format"]["json_schema"]["schema"]
        case "responses":
            found = body["text"]["format"]["schema"]
        case _:
            found = {**body["generationConfig"]["responseSchema"], "additionalProperties": False}
    assert found == SHAPE.schema
    assert json.loads(reply.text) == {"a": "b"}


@EVERY
def test_an_endpoint_that_knows_no_shapes_is_asked_in_words_and_that_is_remembered(dialect: str) -> None:
    good = streaming(DIALECTS[dialect][1]('{"a": "b"}'))
    refusals = [status(400, "unknown field")] * (2 if dialect == "anthropic" else 1)
    with serving(*refusals, good) as server:
        model = model_at(server, dialect)
        assert model.complete(asking(shape=SHAPE)).text == '{"a": "b"}'
        asked = len(server.seen)
        model.complete(asking(shape=SHAPE))

        assert len(server.seen) == asked + 1
    last = json.dumps(server.seen[-1][2])
    assert "nothing else" in last
    assert all(word not in last for word in ("response_format", "output_config", "responseSchema", "tool_choice"))


def test_anthropic_gives_a_shape_as_a_tools_arguments_where_it_must() -> None:
    events = json.loads(json.dumps(calling("anthropic")).replace('"look"', '"answer"'))
    with serving(status(400, "output_config: unknown"), streaming(events)) as server:
        reply = model_at(server).complete(asking(shape=SHAPE))

    assert server.seen[1][2]["tool_choice"] == {"type": "tool", "name": "answer"}
    assert (json.loads(reply.text), reply.calls, reply.stop) == ({"path": "src/ä b.py"}, (), Stop.END)


def test_anthropic_caches_the_system_and_a_conversation() -> None:
    turns = tuple(Message(role=role, text="x") for role in (Role.USER, Role.ASSISTANT, Role.USER))
    with serving(streaming(DIALECTS["anthropic"][1]())) as server:
        model_at(server).complete(Ask(messages=turns, system="s"))
        model_at(server).complete(asking(system="s"))

    long, short = (body for _, _, body in server.seen)
    assert long["system"][0]["cache_control"] == short["system"][0]["cache_control"] == {"type": "ephemeral"}
    assert "cache_control" in long["messages"][-1]["content"][-1]
    assert "cache_control" not in short["messages"][-1]["content"][-1]


def test_a_server_that_is_given_no_name_is_asked_for_its_first_model() -> None:
    with serving(streaming(DIALECTS["chat"][1]())) as server:
        model_at(server, "chat", name="").complete(asking())

    assert server.seen[0][2]["model"] == "first"


@pytest.mark.parametrize(
    ("dialect", "event", "stop"),
    [
        ("anthropic", {"type": "message_delta", "delta": {"stop_reason": "max_tokens"}, "usage": {}}, Stop.LENGTH),
        ("anthropic", {"type": "message_delta", "delta": {"stop_reason": "refusal"}, "usage": {}}, Stop.REFUSED),
        ("chat", {"choices": [{"delta": {}, "finish_reason": "length"}]}, Stop.LENGTH),
        ("chat", {"choices": [{"delta": {"refusal": "no"}, "finish_reason": "stop"}]}, Stop.REFUSED),
        ("responses", {"type": "response.incomplete", "response": {"status": "incomplete"}}, Stop.LENGTH),
        ("gemini", {"candidates": [{"content": {}, "finishReason": "MAX_TOKENS"}]}, Stop.LENGTH),
        ("gemini", {"promptFeedback": {"blockReason": "SAFETY"}}, Stop.REFUSED),
    ],
)
def test_why_a_reply_ends_is_told(dialect: str, event: dict[str, Any], stop: Stop) -> None:
    last = [{"type": "message_stop"}] if dialect == "anthropic" else []
    with serving(streaming([event, *last])) as server:
        assert model_at(server, dialect).complete(asking()).stop is stop


def gathered(dialect: str, events: Events) -> list[Delta]:
    async def run() -> list[Delta]:
        with serving(streaming(events)) as server:
            async with aclosing(model_at(server, dialect).stream(asking())) as deltas:
                return [delta async for delta in deltas]

    return asyncio.run(run())


@EVERY
def test_a_stream_gives_what_completing_gives(dialect: str) -> None:
    *pieces, done = gathered(dialect, DIALECTS[dialect][1]("Hello there."))

    assert isinstance(done, Done)
    assert "".join(piece.text for piece in pieces if isinstance(piece, TextDelta)) == done.reply.text == "Hello there."
    assert len(pieces) == 2


@EVERY
def test_a_streamed_call_says_its_name_once_and_its_arguments_in_pieces(dialect: str) -> None:
    *pieces, done = gathered(dialect, calling(dialect))

    assert isinstance(done, Done)
    calls = [piece for piece in pieces if isinstance(piece, CallDelta)]
    assert [piece.name for piece in calls if piece.name] == ["look"]
    assert json.loads("".join(piece.arguments for piece in calls)) == done.reply.calls[0].arguments
    assert isinstance(done.reply.calls[0], ToolCall)


@EVERY
@pytest.mark.parametrize("odd", [None, 7, "x", [], {"a": 1}, [[1]], [None]])
def test_fields_of_another_kind_than_the_format_says_break_nothing(dialect: str, odd: object) -> None:
    kept = {"type", "finish_reason", "finishReason"}

    def twisted(value: Any, depth: int) -> Any:
        if isinstance(value, dict):
            bent = depth > 1
            return {
                name: odd if bent and name not in kept else twisted(each, depth + 1) for name, each in value.items()
            }
        return [twisted(each, depth + 1) for each in value] if isinstance(value, list) else value

    for events in (DIALECTS[dialect][1](), calling(dialect)):
        with serving(streaming([twisted(event, 0) for event in events])) as server:
            model_at(server, dialect).complete(asking())
