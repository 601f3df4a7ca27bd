"""A model at an address, whatever its dialect: asked again with growing pauses, a shape asked for in other ways."""

import random
import time
from collections.abc import AsyncGenerator, Iterator, Mapping
from itertools import count

from holdfast.core.model import Ask, Delta, Done, Reply
from holdfast.core.model_port import Traits
from holdfast.core.value import Value, replace
from holdfast.llm import model_errors
from holdfast.llm.dialect import (
    Dialect,
    ModelStreamError,
    ReplyReader,
    ShapeForm,
    ask_in_words,
    object_or_empty,
    objects_in,
    parse_json,
    text_or_empty,
)
from holdfast.llm.prices import TokenPrice, token_cost
from holdfast.llm.threaded_reply import read_in_thread
from holdfast.llm.wire import ModelWire, TryAgain
from holdfast.system.http import Halt
from holdfast.system.http_errors import one_line

END = "[DONE]"
SECONDS_TO_LOOK = 5.0


class ModelIdentity(Value):
    """A model's name for the user and for its endpoint, its price and traits."""

    name: str
    model: str
    price: TokenPrice | None = None
    traits: Traits = Traits()


class EndpointModel:
    """One model behind one endpoint."""

    def __init__(self, named: ModelIdentity, dialect: Dialect, wire: ModelWire, key: str) -> None:
        self._named, self._dialect, self._wire = named, dialect, wire
        self._headers = dialect.headers(key)
        self._key = key
        self._model = named.model
        self._form = dialect.forms[0]

    def __repr__(self) -> str:
        return f"Spoken({self.name!r}, {self._wire.host!r})"

    @property
    def name(self) -> str:
        """As the user names it."""
        return self._named.name

    @property
    def traits(self) -> Traits:
        """Where it differs."""
        return self._named.traits

    def complete(self, ask: Ask) -> Reply:
        """The whole reply; one that breaks off is asked for again."""
        *_, done = self._pieces(ask, Halt(), whole=True)
        if not isinstance(done, Done):
            raise model_errors.BadModelAnswer(self.name, self._wire.host, "nothing")
        return done.reply

    def stream(self, ask: Ask) -> AsyncGenerator[Delta, None]:
        """The reply as it comes; what was given once is not asked for again."""
        return read_in_thread(lambda halt: self._pieces(ask, halt, whole=False))

    def _pieces(self, ask: Ask, halt: Halt, *, whole: bool) -> Iterator[Delta]:
        patience = self._wire.patience
        ends = time.monotonic() + patience.total
        form, given = self._form, False
        for attempt in count(1):
            try:
                for delta in self._once(ask, form, ends, halt):
                    given = given or not whole
                    if isinstance(delta, Done):
                        self._form = form
                    if not whole or isinstance(delta, Done):
                        yield delta
            except TryAgain as again:
                if given or attempt >= patience.attempts or not self._rested(again, attempt, ends, halt):
                    raise again.error from None
            except model_errors.ModelRequestRefused:
                # The endpoint may not know this way of asking for a shape.
                later = self._dialect.forms[self._dialect.forms.index(form) + 1 :]
                if ask.shape is None or not later:
                    raise
                form = later[0]
            else:
                return

    def _rested(self, again: TryAgain, attempt: int, ends: float, halt: Halt) -> bool:
        patience = self._wire.patience
        grown = patience.first_pause * 2 ** (attempt - 1)
        # Spread, so that many who were refused at once do not come back at once.
        pause = min(grown, patience.longest_pause) * random.uniform(0.5, 1.0) if again.pause is None else again.pause  # noqa: S311  # no secret
        if pause > patience.longest_pause or time.monotonic() + pause >= ends:
            return False
        halt.pause(pause)
        return not halt

    def _once(self, ask: Ask, form: ShapeForm, ends: float, halt: Halt) -> Iterator[Delta]:
        asked = ask_in_words(ask, ask.shape) if ask.shape is not None and form is ShapeForm.PLAIN else ask
        request = self._dialect.request(asked, self._named_there(), form)
        reader = self._dialect.reader(form)
        for data in self._wire.ask(request.path, self._headers, request.body, ends, halt):
            if data.strip() == END:
                break
            try:
                yield from reader.take(self._event(data))
            except ModelStreamError as said:
                raise self._trouble(said) from None
        yield Done(reply=self._whole(reader))

    def _event(self, data: str) -> Mapping[str, object]:
        found = parse_json(data)
        if not isinstance(found, dict):
            raise model_errors.BadModelAnswer(self.name, self._wire.host, "an event that is no JSON object")
        return found

    def _trouble(self, said: ModelStreamError) -> Exception:
        words = one_line(str(said), self._key)
        if said.again:
            return TryAgain(model_errors.ModelBusy(self.name, self._wire.host, 200, words))
        return model_errors.BadModelAnswer(self.name, self._wire.host, f"an error: {words}")

    def _whole(self, reader: ReplyReader) -> Reply:
        reply = reader.reply()
        if reply is None:
            raise TryAgain(model_errors.BadModelAnswer(self.name, self._wire.host, "something that broke off"))
        spent = 0.0 if self.traits.free else token_cost(self._named.price, reply.usage)
        return replace(reply, model=reply.model or self._model, cost=spent)

    def _named_there(self) -> str:
        """The endpoint's name for the model; where the user gave none, the first it lists."""
        if not self._model:
            listed = objects_in(object_or_empty(self._wire.look("/models", self._headers, SECONDS_TO_LOOK)).get("data"))
            self._model = next(
                (text_or_empty(each.get("id")) for each in listed if text_or_empty(each.get("id"))), "default"
            )
        return self._model
