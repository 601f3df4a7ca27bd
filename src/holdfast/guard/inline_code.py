"""Code given on a command line (`python -c`, `perl -e`, `node -p`, `awk '…'`): what it would delete, run or fetch.

No language is parsed: calls are known by their names, and the texts between quotes are what a call is given.
"""

from holdfast.core.word_lists import split_phrases, word_set

LANGUAGES = word_set("node nodejs deno bun ruby perl php lua luajit tclsh osascript awk gawk mawk groovy Rscript julia")
_AWKS = word_set("awk gawk mawk")
_GIVEN = word_set("-c -e -E -r -p -pe -ne --eval --print --exec -le -lne -we -lE")
_RUNS = split_phrases(
    "os.system|subprocess|popen|exec(|execsync|execfile|spawn|system(|system |exec |child_process|os.execute|"
    "shell_exec|passthru|qx(|qx{|%x|`|deno.run|deno.command|bun.$|do shell script|process.run|"
    "runtime.getruntime|ptyprocess"
)
_DELETES = split_phrases(
    "rmtree(|remove_tree|rm_rf|rm_r(|fileutils.rm|rmsync|rmdirsync|removesync|rimraf|deno.remove|unlink glob|"
    "unlink(glob|unlink <|fs.rm(|emptydirsync|file.delete(dir|removedirectory"
)
_FETCHES = split_phrases(
    "urlopen|urlretrieve|requests.get|httpx.|http.get|https.get|fetch(|lwp|open-uri|uri.open|net::http|"
    "file_get_contents('http|file_get_contents(\"http|include 'http|urllib|aiohttp|axios|http::tiny|"
    "get(\"http|get('http"
)
_EVALUATES = split_phrases(
    "exec(|eval(|eval |.then(eval)|function(|compile(|runinthiscontext|instance_eval|loadstring|load(|require_from|"
    "__import__('runpy|include "
)
_DECODES = split_phrases(
    "b64decode|fromhex|unhexlify|atob(|'base64'|\"base64\"|decode_base64|base64_decode|unpack(|gzinflate|marshal.loads|"
    "pickle.loads|codecs.decode|rot13|zlib.decompress|str_rot13|chr("
)
_SHELLS_BACK = split_phrases("dup2(|/bin/sh|/bin/bash|cmd.exe|pty.spawn|subprocess")


def find_inline_code(name: str, words: list[str], fed: str) -> str:
    """The code that an interpreter is given in its words and through a here-document."""
    if name in _AWKS:
        return next((word for word in words[1:] if not word.startswith("-")), "") + "\n" + fed
    given = [words[at + 1] for at, word in enumerate(words[:-1]) if at and _takes_code(word)]
    glued = [word.partition("=")[2] for word in words[1:] if word.startswith(("--eval=", "--print="))]
    if name == "deno" and words[1:2] == ["eval"]:
        given += words[2:]
    return "\n".join([*given, *glued, fed])


def _takes_code(option: str) -> bool:
    letters = option[1:] if option.startswith("-") and not option.startswith("--") else ""
    return option in _GIVEN or (len(letters) in (2, 3, 4) and letters.isalpha() and letters[-1] in "eEcr")


def find_code_rules(code: str) -> list[str]:
    """The rules of the guard that a piece of code falls under, by the calls in it."""
    low = code.lower()
    runs, evaluates = _names(low, _RUNS), _names(low, _EVALUATES)
    found = ["delete-tree"] if _names(low, _DELETES) else []
    if _names(low, _FETCHES) and evaluates:
        found.append("pipe-to-shell")
    if _names(low, _DECODES) and (evaluates or runs):
        found.append("hidden-code")
    if "socket" in low and "connect" in low and _names(low, _SHELLS_BACK):
        found.append("exfiltrate")
    return found


def find_code_scripts(code: str, literals: list[str]) -> list[str]:
    """What a piece of code would hand to a shell: its texts, one by one and as the words of one command."""
    if not _names(code.lower(), _RUNS):
        return []
    ticked = code.split("`")[1::2]
    plain = [literal for literal in literals if literal and "\n" not in literal]
    return [*plain, *ticked, " ".join(plain)]


def _names(low: str, calls: tuple[str, ...]) -> bool:
    return any(call in low for call in calls)
