"""What a name announces: a password, a secret, a token, a key, a header, or nothing, as `cache_key` does."""

import re

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_PASSWORD = ("password", "passwd", "passphrase", "passwort", "pwd")
_JOINED = (
    "token",
    "secret",
    "apikey",
    "secretkey",
    "accesskey",
    "privatekey",
    "accountkey",
    "authkey",
    "sharedkey",
    "signingkey",
    "appkey",
)


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_STRONG_BEFORE_KEY = _words(
    """
    api secret access private auth signing sign encryption encrypt master account shared app application service
    server license deploy webhook admin root hmac jwt session cookie aes subscription integration project team org
    rest client consumer maps write ingest host function
    """
)
_HARMLESS_LAST = _words(
    """
    id ids hash hashes digest name names path paths file files filename dir folder url uri urls endpoint type types
    kind count counts length len size ttl expiry expires expiration exp at in index version policy field fields
    label hint prefix suffix pattern regex env var header headers placeholder arn ref refs fingerprint alg algorithm
    usage limit limits budget min max status error errors message required enabled disabled tokens keys words
    manager store provider format strategy mode rotation age days seconds ms present valid exists column table class
    factory mgr func function callback handler generator validator input box prompt reset up down press event code
    binding bindings frame frames word map mapping pair bits algo params used left remaining rate per cost price
    window spec schema checksum sha sha1 sha256 md5 uid uuid sub title description text
    """
)
_HARMLESS_BEFORE = _words(
    """
    public pub cache primary foreign partition sort shard row idempotency dedupe object bucket page next
    continuation cursor pagination sync resume group hot short map config lookup natural composite candidate unique
    surrogate join index cancellation verification
    """
)
_VENDORS = _words(
    """
    aws azure gcp google datadog dd twilio cloudflare cf heroku mistral cohere openai anthropic github gitlab slack
    stripe sendgrid mailgun npm docker vercel algolia okta snyk mapbox deepgram deepseek groq assemblyai newrelic
    pagerduty sentry supabase mongodb postgres mysql redis
    """
)


def kind_of(name: str) -> str:
    """The kind of secret that a name announces, or nothing."""
    parts = _parts(name)
    at = next((at for at in reversed(range(len(parts))) if _announced_kind(parts, at)), -1)
    if at < 0 or (parts[-1] in _HARMLESS_LAST and at < len(parts) - 1) or len(parts) - at > 4:
        return ""
    if (at and parts[at - 1] in _HARMLESS_BEFORE) or parts[at - 2 : at] == ["public", "key"]:
        return ""
    kind = _announced_kind(parts, at)
    vendor = next((part for part in parts[:at] if part in _VENDORS), "")
    return f"{vendor}_{kind}" if vendor and kind not in ("authorization", "cookie") else kind


def _announced_kind(parts: list[str], at: int) -> str:
    part = parts[at]
    if part.endswith(_PASSWORD) or (part in ("pass", "pgpass") and (at or len(parts) == 1)):
        return "password"
    if part in ("authorization", "authorisation", "bearer"):
        return "authorization"
    if part == "cookie":
        return "cookie"
    if part == "secret" or part.endswith(_JOINED):
        return "secret" if part.endswith("secret") else "token" if part.endswith("token") else "key"
    if part in ("key", "credential", "credentials", "auth"):
        return {"key": "key", "auth": "auth"}.get(part, "credential")
    return ""


def is_strong(name: str, kind: str) -> bool:
    """Whether a name alone makes even a digest or a UUID a secret."""
    if not name or kind.endswith("auth"):
        return False
    if not kind.endswith("key"):
        return True
    parts = _parts(name)
    at = max((at for at, part in enumerate(parts) if part == "key"), default=-1)
    return at < 0 or (at > 0 and (parts[at - 1] in _STRONG_BEFORE_KEY or parts[at - 1] in _VENDORS))


def _parts(name: str) -> list[str]:
    """The words that a name is made of: `openaiAPIKey_2` has openai, api, key and 2."""
    return [part.lower() for part in _PARTS.findall(name)]
