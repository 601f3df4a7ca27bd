"""What is done to things and how, as data: verbs of one kind, opposite ways, and who may. One group a line."""

# Kinds of doing. Two statements on one thing part only where they speak of one kind of doing: `Tokens are signed with
# EdDSA` and `Tokens are kept in the keychain` go together.
VERBS = """\
place: live lives lie lies sit sits stand stands reside resides belong belongs put puts place placed keep keeps \
kept store stores stored save saves saved host hosts hosted hold holds held park stay stays go goes land lands \
vendor vendored
make: write writes written build builds built make makes made draw draws drawn render renders rendered generate \
generates generated create creates created compile compiled produce produces produced print printed come comes \
done do
send: send sends sent deliver delivers delivered mail mailed notify notifies notified alert alerts publish \
publishes published post posts posted push pushed emit emits emitted report reports reported
run: run runs running execute executes executed happen happens start starts started launch launches schedule \
scheduled trigger triggers triggered kick kicks fire fires begin begins began rerun
last: last lasts expire expires expired live lives valid retain retained keep kept keeps cache cached caches \
delete deleted deletes remove removed removes purge purged throw thrown drop dropped drops stay stays forget \
retention archive archived die dies
check: check checks checked validate validates validated verify verifies verified test tests tested review \
reviews reviewed approve approves approved inspect lint lints linted scan scans scanned audit audits
allow: may can allow allowed allows permit permitted forbid forbidden ban banned fine okay ok welcome open \
closed refuse refused deny denied free access accessible reserved see read touch change edit delete merge deploy \
tag log
answer: answer answers answered return returns returned give gives gave respond responds raise raises raised \
throw throws reply replies yield yields
fail: fail fails failed stop stops stopped skip skips skipped swallow swallowed ignore ignores ignored abort \
aborts continue continues crash crashes retry retries retried reject rejects rejected tolerate carry
take: take takes taken took acquire acquires acquired grab lock locks locked
need: need needs needed require requires required must have has want wants demand demands
name: name names named call calls called prefix prefixed label labelled tag tagged number numbers numbered title
sort: sort sorts sorted filter filters filtered order orders ordered rank ranked group grouped
format: format formats formatted indent indents indented style styled spell spelled wrap wraps wrapped
deploy: deploy deploys deployed release releases released ship ships shipped roll rolled cut publish published \
install installed
serve: serve serves served expose exposes exposed listen listens bind binds
talk: talk talks speak speaks call calls called ask asks query queries queried connect connects request requests
pay: bill bills billed billing charge charges charged pay pays paid price priced invoice
sign: sign signs signed encrypt encrypts encrypted hash hashes hashed
log: log logs logged trace traces traced record records recorded measure measured
translate: translate translates translated localise localised
support: support supports supported ship ships cover covers covered handle handles handled
use: use uses used using adopt pick prefer choose on stick rely move moved switch switched migrate run runs \
hosted
split: split splits share shares shared merge merges merged separate join joined
show: show shows shown display displays displayed hide hides hidden see visible open opens
mock: mock mocks mocked mocking stub stubs stubbed fake faked
document: document documents documented describe described explain explained
load: load loads loaded fetch fetches fetched read reads poll polls polled pull pulls refresh refreshes
parse: parse parses parsed convert converts converted transform transformed
own: own owns owned maintain maintains maintained manage manages managed look
assign: assign assigns assigned hand handed choose chosen set sets decide decides
"""

# Ways that exclude each other where two speak of one thing: `these / those`. Softer than AXES: a hint, no rule.
WAYS = """\
shared share shares common central centrally one single whole everything together monorepo global same platform \
/ own separate separately each per dedicated individual individually isolated split apart itself
server server-side backend / client client-side browser frontend app device phone
forever indefinitely always permanent permanently kept keep keeps retained stays year years / throw thrown \
expire expires deleted removed purged dropped drop temporary gone
swallow swallowed ignore ignored ignores skip skips skipped continue continues carry silent silently tolerate \
best-effort / fail fails loud loudly stop stops abort aborts crash raise raises reject rejects halt error
generated generate automatic automatically automated auto bot pipeline script tool machine renovate cron / hand \
hands manual manually person people human somebody support laptop yourself self
dark / light bright
upper uppercase / lower lowercase
on_demand demand asked needed requested request lazily lazy read first_use later / upfront advance beforehand \
upload startup eagerly eager build write immediately once
free_text text plain unstructured raw free schemaless / structured fields field typed schema json columns
return returns none null empty default optional / raise raises throw throws exception error fails
stays stay alive remains remain keep kept support supported works again / goes gone removed switched_off off \
retired leaves dies dropped unsupported dead out
sensitive distinguish distinct matter matters / insensitive regardless equal
imperative present / past
singular / plural
silent quiet off opt-in asks consent / on default unless opt-out
seat seats user head flat fixed monthly / usage used metered consumption call
replicas replica quorum all everywhere every / primary leader one first
local in-house own ourselves self-hosted built / vendor hosted saas bought auth0 third-party external
loud / quiet
early / late
open everybody public / closed reserved private internal
immediately at_once soon real-time instantly / later batch nightly delayed eventually queue queued
small smaller short / large larger big bigger long
several many multiple more two three various / one single only
strict strictly exact / loose loosely lenient flexible
real live actual production / fake fakes mock mocked mocking stub made-up synthetic anonymised anonymized \
sandbox simulated
weekly / daily
nested / flat
push / poll polls polling pull
top / bottom
left / right
file files / database table
monolith together / microservices services
signed / unsigned
compressed zipped gzipped / uncompressed plain
stable pinned locked exact fixed / latest newest floating range
visible shown show shows displayed / hidden hide hides masked invisible
"""

# Who it is for or may do it: all, or few.
EVERYBODY = "everybody everyone anybody anyone any all every each whole public free open developer committer committers"
FEW = "only nobody none just except reserved restricted limited alone"

# Words that only join others.
JOINTS = """\
a an the and or but as at be by for from has have had in into is it its of on our so that their then there these they
this to us was we were what when where which who will with would you your i my me do does did are been being if than
also not no never always only just all any every each own go goes get gets must should may can now any more
"""
