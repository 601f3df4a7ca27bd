"""What goes wrong between us and a model. No message holds a key."""

from holdfast.core.errors import BadRequest, NotFound, Refused, Unavailable


class ModelUnreached(Unavailable):
    """Nobody answered at the address."""

    def __init__(self, model: str, host: str, why: str, hint: str = "") -> None:
        super().__init__(
            f"Model {model!r}: {host!r} was not reached: {why}.", hint or "see that it runs, and the address."
        )


class ModelTooSlow(Unavailable):
    """No answer, or no end of it, in time."""

    def __init__(self, model: str, host: str, why: str) -> None:
        super().__init__(
            f"Model {model!r}: {host!r} was too slow: {why}.",
            "try again, or give it longer: `holdfast config model_seconds 600`.",
        )


class CertificateUntrusted(Refused):
    """A certificate that proves nothing."""

    def __init__(self, model: str, host: str, why: str) -> None:
        super().__init__(
            f"Model {model!r}: the certificate of {host!r} is not trusted: {why}.",
            "nothing was sent. Behind a proxy of your company, name its certificate in SSL_CERT_FILE.",
        )


class ModelKeyRefused(Refused):
    """The key was not taken."""

    def __init__(self, model: str, host: str, status: int, said: str) -> None:
        super().__init__(
            f"Model {model!r}: {host!r} does not take the key (status {status}{_after_colon(said)}).",
            "check the key that `holdfast config model list` names, and what it is allowed to use.",
        )


class NoSuchModel(NotFound):
    """The endpoint does not know the model, or the path."""

    def __init__(self, model: str, host: str, said: str) -> None:
        super().__init__(
            f"Model {model!r}: {host!r} does not have it (status 404{_after_colon(said)}).",
            "check the model's name and `model_url`; a server that is not OpenAI's own is `openai-compatible:NAME`.",
        )


class ModelLimitReached(Unavailable):
    """Too many requests, or no credit."""

    def __init__(self, model: str, host: str, said: str, pause: float | None) -> None:
        wait = f" It asks to wait {pause:.0f} s." if pause else ""
        super().__init__(
            f"Model {model!r}: {host!r} takes no more requests for now (status 429{_after_colon(said)}).{wait}",
            "wait, or look at your plan and credit there.",
        )


class ModelBusy(Unavailable):
    """The other side had trouble of its own."""

    def __init__(self, model: str, host: str, status: int, said: str) -> None:
        super().__init__(
            f"Model {model!r}: {host!r} had trouble of its own (status {status}{_after_colon(said)}).",
            "try again later.",
        )


class ModelRequestRefused(BadRequest):
    """The request itself was refused."""

    def __init__(self, model: str, host: str, status: int, said: str) -> None:
        super().__init__(
            f"Model {model!r}: {host!r} did not take the request (status {status}{_after_colon(said)}).",
            "check the model's name; a smaller `model_input_tokens` fixes a request that is too long.",
        )
        self.status = status


class BadModelAnswer(Unavailable):
    """An answer that is not what the format says."""

    def __init__(self, model: str, host: str, why: str) -> None:
        super().__init__(
            f"Model {model!r}: {host!r} answered with {why}.", "check that `model_url` is the address of a model's API."
        )


class RequestHalted(Unavailable):
    """Whoever asked went away."""

    def __init__(self, model: str) -> None:
        super().__init__(f"Model {model!r}: the request was given up.", "")


class BudgetSpent(Refused):
    """A budget is used up; nothing was sent."""

    def __init__(self, what: str, spent: str, most: str, setting: str) -> None:
        super().__init__(
            f"The model's budget for {what} is used up: {spent} of {most}. Nothing was sent.",
            f"`holdfast report cost` shows what it went to; `holdfast config {setting} N` changes it.",
        )


def _after_colon(text: str) -> str:
    return f": {text}" if text else ""
