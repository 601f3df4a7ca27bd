"""Secrets planted in realistic surroundings, and look-alikes that must stay; the same ones in every run."""

import random
from collections.abc import Iterator

from tests.data.redact.made import make, parts

from holdfast.core.value import Value
from holdfast.redact.secret_rules import BLOCK, NAMED, PLACES, TOKENS

SEED = 20261115

# Where people and programs leave a token: `@` is where it stands.
SURROUNDINGS = (
    "# .env\nNODE_ENV=production\nPORT=8080\nVENDOR_SETTING=@\nLOG_LEVEL=info\n",
    "$ curl -sS https://api.example.com/v1/items -H 'X-Vendor: @' | jq .\n",
    '{"status": 200, "config": {"region": "eu-west-1", "value": "@"}, "retries": 3}',
    '{\\"tool\\": \\"deploy\\", \\"arguments\\": {\\"with\\": \\"@\\"}}',
    "services:\n  api:\n    image: node:22\n    environment:\n      - VENDOR=@\n    ports: ['80:80']\n",
    "2026-11-15T10:12:01Z WARN vendor.client retrying with @ after 429 (attempt 2 of 5)\n",
    'client = Vendor("@", timeout=30)  # remove before commit\n',
    "Traceback (most recent call last):\n  File \"/app/run.py\", line 12, in <module>\nValueError: bad value '@'\n",
    'provider "vendor" {\n  region = "eu-central-1"\n  value  = "@"\n}\n',
    "diff --git a/config.py b/config.py\nindex 83db48f..bf269f4 100644\n-VENDOR = None\n+VENDOR = '@'\n",
    "I tried it with @ and it still fails, can you look?",
    "\x1b[32m✔\x1b[0m using \x1b[1m@\x1b[0m (from keychain)\n",
    "first line\\n@\\nlast line of an escaped text",
    "| vendor | value |\n|---|---|\n| acme | @ |\n",
)

# Secrets that are known by their place: written out where they stand.
WRITTEN = (
    ("url_password", "git remote add origin https://deploy:{20}@git.example.com/team/app.git"),
    ("url_password", "DATABASE_URL=postgresql+asyncpg://app:{16}@db.internal:5432/app?sslmode=require"),
    ("url_password", "sqlalchemy.url = mysql://root:{10}@127.0.0.1/test"),
    ("url_password", 'mongoose.connect("mongodb+srv://svc:{18}@cluster0.abcde.mongodb.net/prod")'),
    ("url_password", "amqp://worker:{12}@rabbit:5672/%2Fjobs refused the connection"),
    ("url_password", "HTTPS_PROXY=http://jdoe:{10}@proxy.corp:3128"),
    ("password", "POSTGRES_USER=app\nPOSTGRES_PASSWORD={14}\nPOSTGRES_DB=app\n"),
    ("password", "services:\n  db:\n    environment:\n      MYSQL_ROOT_PASSWORD: {12}\n      MYSQL_DATABASE: app\n"),
    ("password", 'resource "aws_db_instance" "main" {{\n  username = "app"\n  password = "{16}"\n}}\n'),
    ("password", "spring.datasource.username=app\nspring.datasource.password={12}\n"),
    ("password", "psql: connecting with PGPASSWORD={12} psql -h db -U app\n"),
    ("password", '{{"user": "admin", "password": "{10}", "remember": true}}'),
    ("password", "Server=tcp:x.database.windows.net;Database=app;User ID=app;Password={16};Encrypt=True;"),
    ("password", "sudo mount -t cifs //nas/share /mnt -o username=bob,password={10}\n"),
    ("password", "ok the staging password is {10}, please do not share it"),
    ("password", "ftp> open host\nusername: bob\npassword: {9}\n"),
    ("password", "docker login registry.example.com --username ci --password {20}\n"),
    ("password", "[client]\nuser=root\npassword={12}\n"),
    ("secret", "OAUTH_CLIENT_ID=app\nOAUTH_CLIENT_SECRET={40w}\n"),
    ("secret", "JWT_SECRET={64h}\nJWT_EXPIRES_IN=3600\n"),
    ("secret", "SECRET_KEY_BASE={128h}\n"),
    ("secret", "config :app, AppWeb.Endpoint, secret_key_base: \"{64b}\"\n"),
    ("secret", 'app.use(session({{ secret: "{24}", resave: false }}))'),
    ("aws_secret", "[default]\naws_access_key_id = AKIA{16u}\naws_secret_access_key = {40b}\nregion = us-east-1\n"),
    ("aws_secret", 'const creds = {{ region: "eu-west-1", secretAccessKey: "{40b}" }};'),
    ("aws_secret", "      AWS_SECRET_ACCESS_KEY: {40b}\n"),
    ("azure_key", "AZURE_OPENAI_API_KEY={32h}\n"),
    ("azure_storage_key", "CS=DefaultEndpointsProtocol=https;AccountName=a;AccountKey={86b}==;EndpointSuffix=x\n"),
    ("datadog_key", "agents:\n  datadog:\n    DD_API_KEY: {32h}\n    DD_SITE: datadoghq.eu\n"),
    ("datadog_key", "docker run -e DD_API_KEY={32h} -e DD_SITE=datadoghq.eu datadog/agent:7\n"),
    ("twilio_token", "TWILIO_ACCOUNT_SID=AC{32h}\nTWILIO_AUTH_TOKEN={32h}\n"),
    ("heroku_key", "HEROKU_API_KEY={8h}-{4h}-4{3h}-8{3h}-{12h}\n"),
    ("cloudflare_token", "export CLOUDFLARE_API_TOKEN={40w}\n"),
    ("mistral_key", "MISTRAL_API_KEY={32}\n"),
    ("cohere_key", 'co = cohere.Client(api_key="{40}")\n'),
    ("key", "algolia: {{ appId: 'LATENCY', apiKey: '{32h}' }}"),
    ("key", '<add key="ServiceApiKey" value="{32}" />\n<SubscriptionKey>{32h}</SubscriptionKey>\napi_key={32}'),
    ("key", "GET /v1/forecast?q=Berlin&api_key={32h}&units=metric HTTP/1.1\n"),
    ("key", "curl https://api.example.com -H 'x-api-key: {32}'\n"),
    ("token", "//registry.example.com/:_authToken={36}\nsave-exact=true\n"),
    ("token", "- name: API_TOKEN\n  value: {32}\n- name: REGION\n  value: eu\n"),
    ("token", 'headers={{"PRIVATE-TOKEN": "{20w}"}}\n'),
    ("token", "hub --token {40h} release create v1.2.3\n"),
    ("token", "your new access token: {40h} (shown once)\n"),
    ("token", "GET /callback?access_token={48w}&state=af0ifjsldkj HTTP/1.1\n"),
    ("authorization", "> GET /me HTTP/2\n> Host: api.example.com\n> Authorization: Bearer {40w}\n> Accept: */*\n"),
    ("authorization", "fetch(url, {{ headers: {{ Authorization: 'Bearer {64h}' }} }})"),
    ("authorization", "Proxy-Authorization: Basic {24}==\n"),
    ("authorization", '{{"headers": {{"authorization": "Token {40h}"}}}}'),
    ("cookie", "Cookie: session={48w}; theme=dark; csrftoken={32}\n"),
    ("cookie", "< Set-Cookie: connect.sid=s%3A{32w}.{43}; Path=/; HttpOnly\n"),
    ("private_key", '"private_key": "-----BEGIN PRIVATE KEY-----\\n{64b}\\n{28b}\\n-----END PRIVATE KEY-----\\n"\n'),
    ("private_key", "-----BEGIN OPENSSH PRIVATE KEY-----\n{70b}\n{40b}\n-----END OPENSSH PRIVATE KEY-----\n"),
    ("private_key", "tls.key: |\n    -----BEGIN RSA PRIVATE KEY-----\n    {64b}\n    {64b}\n    {64b}\n"),
)  # fmt: skip

# What names things in public, and code that speaks of secrets without holding one.
LOOKALIKES = (
    "commit {40h}\nAuthor: Jane Roe <jane@example.com>\nDate:   Sat Nov 15 10:12:01 2026 +0100\n",
    "{7h} Fix the flaky token refresh test\n{7h} Add key rotation docs\n",
    "index {7h}..{7h} 100644\n--- a/src/auth/token.py\n+++ b/src/auth/token.py\n",
    "Merge commit '{40h}' into main\n",
    "Change-Id: I{40h}\n",
    "{64h}  dist/holdfast-0.1.0-py3-none-any.whl\n",
    "sha256:{64h} docker.io/library/postgres:17\n",
    "FROM python:3.11-slim@sha256:{64h}\n",
    '      "integrity": "sha512-{86b}==",\n      "resolved": "https://registry.example.com/left-pad/-/left-pad-1.3.0.tgz"\n',
    "  resolution: {{integrity: sha512-{86b}==}}\n  engines: {{node: '>=18'}}\n",
    "left-pad@^1.3.0:\n  version \"1.3.0\"\n  resolved \"https://registry.yarnpkg.com/left-pad/-/left-pad-1.3.0.tgz#{40h}\"\n",
    "requests==2.32.3 \\\n    --hash=sha256:{64h} \\\n    --hash=sha256:{64h}\n",
    "golang.org/x/text v0.14.0 h1:{43b}=\n",
    'name = "serde"\nversion = "1.0.203"\nchecksum = "{64h}"\n',
    "request id {8h}-{4h}-4{3h}-8{3h}-{12h} took 31 ms\n",
    '{{"session_id": "{8h}-{4h}-4{3h}-8{3h}-{12h}", "cwd": "/srv/app", "hook_event_name": "Stop"}}',
    "traceparent: 00-{32h}-{16h}-01\n",
    "Superseded by DEC-7K2MQ4; see LRN-{6c} and the run 01J{23c}\n",
    "event 01J{23c} was folded into 01J{23c}\n",
    'ETag: W/"{32h}"\n',
    "docker: {12h} exited with 137\n",
    "pod/api-7d9c5b6f4-x2k9q 1/1 Running 0 3d\n",
    "/nix/store/{32l}-python3-3.11.7/bin/python\n",
    "/home/me/projects/holdfast/src/holdfast/backends/sqlite/index_store_of_passages_and_terms.py:128\n",
    "C:\\Users\\me\\AppData\\Local\\Programs\\Python\\Python311\\Lib\\site-packages\\holdfast\\__init__.py\n",
    "arn:aws:iam::{12d}:role/service-role/my-lambda-execution-role\n",
    "--brand: #3fa9f5; --ink: #0b1c2dff; background: linear-gradient(#fff, #f8fafc);\n",
    ".sk-loading-indicator-container-wide {{ color: #a1b2c3; }}\n",
    "<div class=\"sk-fading-circle sk-circle-12 pa-4 fc-direction-ltr\"></div>\n",
    "!function(e,t){{var n=r(42),o=n.createElement;e.exports={{renderToken:t,keyFor:o}}}}(window,document)\n",
    "Collecting typing-extensions>=4.16.0\n  Downloading typing_extensions-4.16.0-py3-none-any.whl (44 kB)\n",
    "v1.2.3-rc.1+build.20261115.{7h}\n",
    "ssh-rsa AAAAB3NzaC1yc2EAAAADAQAB{200b} me@laptop\n",
    "-----BEGIN CERTIFICATE-----\n{64b}\n{64b}\n-----END CERTIFICATE-----\n",
    "-----BEGIN PUBLIC KEY-----\n{64b}\n{64b}\n-----END PUBLIC KEY-----\n",
    "System.Xml, Version=4.0.0.0, Culture=neutral, PublicKeyToken=b77a5c561934e089\n",
    "stripe = Stripe('pk_live_{24}')\n",
    "account AC{32h} is suspended\n",
    "cache_key: linux-npm-{64h}\n",
    "actions/cache: key: v1-deps-{{{{ checksum }}}}\n",
    "Cache restored from key: Linux-pip-{64h}\n",
    "password: ${{DB_PASSWORD}}\n",
    "PASSWORD=$DB_PASSWORD docker compose up\n",
    "api_key = os.environ[\"OPENAI_API_KEY\"]\n",
    "apiKey: process.env.OPENAI_API_KEY,\n",
    "token: ${{{{ secrets.GITHUB_TOKEN }}}}\n",
    "const token = await getToken(user.id);\n",
    "def login(user: str, password: str, token: str | None = None) -> Session:\n",
    "if not password or len(password) < MIN_PASSWORD_LENGTH:\n    raise WeakPassword(password_policy)\n",
    "self.api_key = api_key or settings.api_key\n",
    "export GITHUB_TOKEN=<your-token>\n",
    "OPENAI_API_KEY=your-api-key-here\n",
    "ANTHROPIC_API_KEY=sk-ant-...\n",
    "AWS_SECRET_ACCESS_KEY=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n",
    "password: changeme  # placeholder\n",
    "Authorization: Bearer <token>\n",
    "-H \"Authorization: Bearer $TOKEN\"\n",
    "Authorization header is required; use a bearer token with the right scope\n",
    "usage: input_tokens=1204 output_tokens=388 cache_read_tokens=20480\n",
    "max_tokens: 128000, token_budget: 2000\n",
    "primary key ({8h}-{4h}-4{3h}-8{3h}-{12h}) already exists\n",
    "duplicate key value violates unique constraint \"users_pkey\"\n",
    "KeyError: 'session_{6d}'\n",
    "press any key to continue, or Ctrl-C to quit\n",
    "SELECT token_id, secret_name FROM vault WHERE key = ?1 ORDER BY created_at\n",
    "secretName: my-app-tls\n  secretKeyRef:\n    name: db-credentials\n    key: password\n",
    "SSH_AUTH_SOCK=/run/user/1000/keyring/ssh\nSSH_KEY_PATH=~/.ssh/id_ed25519\n",
    "PWD=/srv/main\nOLDPWD=/srv\n",
    "password_hash: {64h}\n",
    "postgres://user:password@localhost:5432/app\n",
    "git clone ssh://git@github.com/acme/app.git && git remote -v\n",
    "https://example.com:8443/@scope/package?key=value&page=2\n",
    "docker run -u 1000:1000 -v $PWD:/src node:22 npm test\n",
    "the author of the token parser wrote: a key is a name, a secret is a promise\n",
    "keyboard shortcuts: key: Enter, key: Escape, key: ArrowDown\n",
    "monkey-patching turkey_count hockey_team donkey=kong\n",
    "X-Request-Id: {32h}\nX-Amz-Request-Id: {16u}\n",
    "Cookie policy: we set no cookies; the cookie banner is gone\n",
    "token bucket refills 100 tokens per second\n",
    "fingerprint: SHA256:{43b}\n",
    "\"passwordResetTokenExpiresAt\": \"2026-11-15T10:12:01.000Z\",\n",
    "eyJ is how base64 of JSON begins; see {12l}.example.com\n",
    "s3://bucket/key/2026/11/15/{32h}.parquet\n",
)  # fmt: skip


class Planted(Value):
    """A text with one secret in it, or several; none of `parts` may survive."""

    kind: str
    text: str
    parts: tuple[str, ...]
    fixed: bool


def planted() -> list[Planted]:
    """Every kind in several surroundings."""
    chance = random.Random(SEED)
    return [*_tokens(chance), *_written(chance)]


def _tokens(chance: random.Random) -> Iterator[Planted]:
    number = 0
    for rule in TOKENS:
        for template in rule.yes:
            for _ in range(3):
                secret, random_parts = parts(template, lambda abc, count: "".join(chance.choices(abc, k=count)))
                text = SURROUNDINGS[number % len(SURROUNDINGS)].replace("@", secret)
                yield Planted(kind=rule.kind, text=text, parts=(secret, *random_parts), fixed=True)
                number += 1


def _written(chance: random.Random) -> Iterator[Planted]:
    ours = [(rule.kind, template) for rule in (BLOCK, *PLACES, NAMED) for template in rule.yes]
    for kind, template in (*WRITTEN, *ours):
        for _ in range(3):
            text, secret = parts(template, lambda abc, count: "".join(chance.choices(abc, k=count)))
            if secret:
                # The name of an account is no secret.
                kept = tuple(part for part in secret if f"AC{part}" not in text and f'_id": "{part}' not in text)
                yield Planted(kind=kind, text=f"before\n{text}\nafter\n", parts=kept, fixed=False)


def lookalikes() -> list[str]:
    """Texts without a secret."""
    chance = random.Random(SEED + 1)
    return [make(template, chance) for template in LOOKALIKES for _ in range(4)]
