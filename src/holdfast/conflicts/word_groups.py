"""What words mean to each other, as data. One group a line; words of one name are joined by `_`."""

# Names of one thing. The first is the one that counts.
SAME = """\
postgres postgresql psql pg
kubernetes k8s kube
javascript js ecmascript
typescript ts
python py
golang go_lang
node nodejs node.js
dotnet .net
csharp c# c_sharp
cplusplus c++ cpp
database db datastore
repository repo
configuration config conf
application app
authentication auth login signin
authorization authorisation
development dev
production prod
environment env
directory folder dir
parameter param
argument arg
function func fn
documentation docs doc
dependency dep dependencies
administrator admin
startup start-up start_up
end_to_end e2e end-to-end
frontend front-end front_end
backend back-end back_end
timeout time_out time-out times_out timed_out
email e-mail mail
licence license
forever for_ever
github_actions gha
google_cloud gcp google_cloud_platform
react reactjs react.js
vue vuejs vue.js
next.js nextjs
rabbitmq rabbit_mq rabbit
mongodb mongo
elasticsearch elastic_search
one single
several multiple many more_than_one
weekly every_week each_week once_a_week per_week
daily every_day each_day once_a_day per_day
nightly every_night each_night
hourly every_hour each_hour
monthly every_month each_month once_a_month
snake_case snakecase snake-case
camel_case camelcase camel-case
pascal_case pascalcase pascal-case uppercamelcase
kebab_case kebabcase kebab-case
long length
need require requirement needed required necessary
breaking break
large big
small short tiny brief
picture image img
user customer
personal_data pii
regular_expression regexp regex
artifact artefact
message msg
pull_request pr merge_request
make makefile
write written wrote
build built
send sent
choose chose chosen
show shown
retain retention retained keep_for
at_most_one no_more_than_one not_more_than_one
direct directly straight
"""

# Where two of one line are chosen for one purpose, they exclude each other.
FAMILIES = """\
database: postgres mysql mariadb sqlite oracle mssql sql_server mongodb dynamodb cassandra cockroachdb couchdb \
couchbase firestore firebase neo4j duckdb clickhouse bigquery snowflake redshift timescaledb influxdb rethinkdb \
realm leveldb rocksdb lmdb berkeleydb scylladb h2 tidb spanner supabase planetscale
cache: redis memcached valkey hazelcast varnish ehcache caffeine lru_cache
queue: kafka rabbitmq sqs nats pulsar activemq zeromq kinesis eventbridge pubsub mqtt celery rq sidekiq resque \
bullmq dramatiq huey temporal airflow dagster prefect beanstalkd redpanda
web_framework: fastapi flask django starlette litestar tornado bottle aiohttp_server express koa fastify hapi \
nestjs rails sinatra spring spring_boot quarkus micronaut laravel symfony phoenix gin fiber actix axum rocket \
warp aspnet
ui_framework: react vue svelte angular solid preact ember backbone lit htmx jquery next.js nuxt sveltekit remix \
astro gatsby elm alpine.js
mobile: flutter react_native swiftui uikit jetpack_compose ionic xamarin maui cordova
tui: textual curses urwid rich prompt_toolkit bubbletea ratatui blessed ink
state: redux redux_toolkit mobx zustand recoil jotai pinia vuex xstate ngrx
styling: tailwind bootstrap css_modules styled_components emotion sass less bulma material_ui chakra
python_tests: pytest unittest nose
script_tests: jest vitest mocha jasmine ava karma
other_tests: rspec minitest junit testng phpunit xunit nunit go_test
browser_test: cypress playwright selenium puppeteer testcafe webdriverio nightwatch
component_test: enzyme react_testing_library testing_library storybook_tests
python_format: black ruff_format yapf autopep8
script_format: prettier biome_format standardjs
python_lint: flake8 pylint ruff
script_lint: eslint tslint jshint biome oxlint
type_checker: mypy pyright pyre pytype
script_packages: npm yarn pnpm bun
python_packages: pip poetry uv pipenv conda pdm hatch rye
java_build: maven gradle ant sbt
apple_packages: cocoapods carthage
bundler: webpack vite rollup parcel esbuild turbopack
native_build: bazel cmake meson ninja pants buck scons
tasks: make just gulp grunt rake
monorepo_tool: nx turborepo lerna
version_manager: nvm nodenv asdf volta fnm mise pyenv rbenv
ci: jenkins github_actions gitlab_ci circleci travis travis_ci buildkite teamcity drone concourse \
azure_pipelines bitbucket_pipelines woodpecker tekton
deploy: argo_cd flux spinnaker helm kustomize jsonnet skaffold capistrano ansible_deploy
iac: terraform pulumi cloudformation opentofu cdk ansible puppet chef saltstack bicep crossplane
orchestrator: kubernetes nomad docker_swarm mesos ecs fargate aws_lambda lambda cloud_run app_engine heroku \
fly.io railway vercel netlify openshift cloud_foundry bare_metal
container: docker podman containerd rkt lxc
cloud: aws azure google_cloud digitalocean hetzner linode ovh on_premises
object_store: s3 minio gcs azure_blob ceph local_disk
secrets: vault hashicorp_vault aws_secrets_manager secrets_manager sops sealed_secrets doppler 1password
search: elasticsearch opensearch solr meilisearch typesense algolia lucene whoosh bleve tantivy postgres_full_text
metrics: prometheus datadog new_relic graphite statsd influx cloudwatch
errors: sentry honeycomb rollbar bugsnag raygun airbrake
logs: loki splunk logstash fluentd graylog papertrail
logger: log4j logback slf4j winston pino bunyan structlog loguru zap zerolog logrus slog timber
orm: sqlalchemy django_orm hibernate prisma typeorm sequelize drizzle knex activerecord gorm peewee tortoise_orm \
ecto jooq mybatis raw_sql
api_style: rest graphql grpc soap thrift trpc json-rpc odata
serialisation: json protobuf protocol_buffers avro messagepack msgpack cbor xml yaml toml csv parquet
transport: websocket websockets sse server-sent_events long_polling polling push
token: jwt session_cookie session_cookies opaque_token paseto api_key
signature: rs256 es256 hs256 eddsa ed25519 rsa ecdsa
hash: bcrypt argon2 argon2id scrypt pbkdf2 sha1 sha256 sha512 md5 blake2b blake3
login: oauth oauth2 saml openid_connect oidc ldap kerberos basic_auth passkeys webauthn
http_client: requests httpx aiohttp urllib urllib3 axios fetch got superagent okhttp retrofit
dates: moment.js moment date-fns dayjs luxon joda pendulum arrow
cli_library: argparse click typer docopt fire cobra clap commander yargs oclif
language: python ruby java kotlin scala golang rust javascript typescript php perl swift objective-c csharp \
cplusplus haskell elixir erlang clojure dart lua julia zig ocaml fsharp
shell: bash zsh fish powershell posix_sh
runtime: node deno bun_runtime
markup: markdown asciidoc restructuredtext rst latex org-mode
docs_site: sphinx mkdocs docusaurus gitbook jekyll hugo
bundle_of_repos: monorepo polyrepo multirepo several_repositories
architecture: monolith microservice microservices modular_monolith serverless
merging: squash merge_commit rebase fast-forward
branching: trunk-based gitflow git-flow github_flow
vcs: git mercurial svn subversion perforce
licence: mit apache-2.0 gpl-3.0 agpl-3.0 lgpl-3.0 mpl-2.0 bsd-3-clause bsd-2-clause isc unlicense
name_case: snake_case camel_case pascal_case kebab_case screaming_snake_case
speech: english german french spanish italian portuguese dutch polish russian chinese japanese korean
spelling: american british canadian australian
frequency: hourly daily nightly weekly fortnightly monthly quarterly yearly annually
ids: uuid uuidv4 uuidv7 ulid auto-increment autoincrement nanoid snowflake_id
desktop: electron tauri qt gtk wxwidgets javafx swing wpf winforms
game: unity unreal godot bevy
ml: pytorch tensorflow jax keras mxnet
frames: pandas polars dask spark duckdb_frames
flags: launchdarkly unleash flagsmith split.io growthbook
mail: sendgrid postmark mailgun ses amazon_ses mailchimp sparkpost
payment: stripe adyen braintree paypal mollie
forge: github gitlab bitbucket gitea codeberg
charts: d3 chart.js plotly echarts highcharts recharts vega
web_server: nginx apache_httpd caddy traefik haproxy cloudfront fastly
identity: auth0 okta keycloak cognito
paging: pagerduty opsgenie victorops
"""

# Two poles of one matter: `these / those`. A word of each pole in two sentences on the same thing is a conflict.
AXES = """\
tabs tab / spaces space
single_quotes single_quote single-quoted / double_quotes double_quote double-quoted
synchronous synchronously sync blocking / asynchronous asynchronously async non-blocking nonblocking
public publicly / private privately internal
required mandatory compulsory / optional voluntary
mutable / immutable frozen
include includes including included inclusive / exclude excludes excluding excluded exclusive
utc / local_time local_timezone
absolute / relative
kept keep retain retained retention preserve preserved / deleted delete discard discarded purge purged \
removed_after erase erased
one exactly_one only_one at_most_one / several more_than_one unlimited
static statically / dynamic dynamically
stateless / stateful
composition / inheritance
strict / lenient loose permissive
eager eagerly / lazy lazily
ascending / descending
inline / external
push / pull
manual manually by_hand / automatic automatically automated
centralised centralized / decentralised decentralized
opt-in opt_in / opt-out opt_out
before / after
client-side client_side in_the_browser / server-side server_side on_the_server
read-only readonly read_only / writable read-write
plain_text plaintext unencrypted / encrypted
http / https
sequential sequentially serial serially / parallel concurrently concurrent
allowlist whitelist / denylist blacklist blocklist
soft_delete soft_deletes soft-delete / hard_delete hard_deletes hard-delete
big-endian / little-endian
optimistic / pessimistic
horizontal horizontally / vertical vertically
"""

# Words that turn a sentence around.
NEGATIONS = """\
no not never none neither nor cannot without don't dont doesn't isn't aren't won't shouldn't mustn't can't
didn't wasn't avoid forbid forbidden ban banned prohibit prohibited disallow disallowed disable disabled off
skip stop refuse refused deny denied unsupported false drop remove eliminate abandon nothing nobody turned_off
switch_off switched_off turn_off keep_out out_of_bounds no_longer not_allowed
"""

# Words that say only that something is so, may be so or should be so.
AFFIRMATIONS = """\
always allow allowed permit permitted may can fine ok okay welcome enable enabled on true yes encouraged
encourage accept acceptable supported turned_on turn_on switched_on switch_on again
"""

# Where both sides name another one of a line, they speak of different things.
CONTEXTS = """\
development production staging test ci demo sandbox local_development
frontend backend mobile desktop embedded firmware
unit integration end_to_end load smoke browser_test performance contract_test
administrator guest partner internal_user anonymous operator
android ios windows linux macos
python javascript typescript golang rust java ruby csharp cplusplus c kotlin swift php shell sql css html
reading writing
inbound outbound incoming outgoing
logs metrics traces
"""

# Words that carry no subject at all.
EMPTY = """\
a an the and or but as at be by for from has have had in into is it its of on our so that their then there
these they this to us was we were what when where which who why how will with would you your i my me do does
did done are been being if than also too just only very much more most such each every any all some both own
same other another others still already yet via per out up down over under about after before between through
during while within should shall must might could may can need needs use used uses using utilize utilise
choose chose chosen pick picked decide decided decision adopt adopted prefer preferred prefers preference want
wants like let lets make makes made go goes going get gets set sets setting keep keeps kept stay stays put
puts take takes took come comes live lives lie lies hold holds run runs running become becomes say says call
calls called talk talks speak speaks carry carries touch touches hit hits happen happens work works thing
things way ways ever here now new replace replaces replaced move moves moved switch switched revert
reverts supersede supersedes instead rather one two always never not no however therefore because since due
etc e.g i.e everyone everybody anyone anybody someone people please simply though cut done
"""

# Words that say little: half the projects have them in half their sentences.
LIGHT = """\
code file data service system project application component module tool library framework approach solution
option size default value version write written build built create created add added handle handled manage
managed provide support supported store stored storage send sent implement implemented define defined describe
described allow require base based main current existing different specific change changes behaviour behavior
feature name named type kind standard case team time number maximum minimum least oldest newest later
newer older limit limited exceed above below level process object item part place lot help good better best
simple easy plain real actual whole full direct directly exactly kept serve served apply
"""

# What is said of that which failed, beside what it was.
FAILING = """\
fail fails failed failing failure break breaks broke broken crash crashes crashed crashing leak leaks leaked
hang hangs hung deadlock deadlocked deadlocks error errors bug timeout slow corrupted corrupt corrupts lost
lose loses killed kills kill stuck flaky wrong unable impossible problem issue try tried trying attempt
attempted twice again exhausted
"""
