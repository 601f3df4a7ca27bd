"""The table of package managers: which of their commands install what, and which options take a value."""

from collections.abc import Mapping

from holdfast.core.value import Value
from holdfast.core.word_lists import word_set
from holdfast.ecosystems.package_names import (
    CARGO,
    COMPOSER,
    CONDA,
    GEM,
    GO,
    HEX,
    JSR,
    NPM,
    NUGET,
    PUB,
    PYPI,
    SWIFT,
    SYSTEM,
)  # fmt: skip


class Installer(Value):
    """One command of a package manager. `before`: words between the program and the verb, `*` for any one.

    `taking`: options whose value is the next word, which is then no package. `for_project`: whether it changes a
    project, and not only what a user or a machine has.
    """

    ecosystem: str
    verbs: frozenset[str]
    taking: frozenset[str] = frozenset()
    before: tuple[str, ...] = ()
    for_project: bool = True


# Programs whose `run` starts another in the project's environment.
RUNNERS = word_set("poetry uv pdm pipenv hatch rye pixi")
_NODE = word_set(
    "--registry --prefix --tag --cache --loglevel --userconfig --cpu --os --libc -C --dir --cwd --filter -F "
    "--store-dir --modules-folder --config --cache-dir --backend --omit --include --install-strategy --reporter"
)
_UV = word_set(
    "-r --requirements -c --constraints --group --extra --optional --index --default-index -i --index-url "
    "--extra-index-url -f --find-links --rev --tag --branch --package --script --bounds -p --python -m --marker "
    "--directory --project --config-file --cache-dir --exclude-newer --resolution --prerelease --link-mode --with"
)
_PIP = word_set(
    "-r -c -e -i -t -f -p -C --requirement --requirements --constraint --constraints --editable --index-url "
    "--extra-index-url --index --default-index --find-links --target --platform --python --python-version "
    "--implementation --abi --prefix --root --src --cache-dir --log --proxy --timeout --trusted-host --cert "
    "--client-cert --retries --upgrade-strategy --progress-bar --report --no-binary --only-binary --group "
    "--config-settings --global-option --root-user-action --exists-action --use-feature --override --exclude-newer"
)
_POETRY = word_set("-G --group -E --extras --python --platform --source --markers -C --directory -P --project")
_PDM = word_set("-G --group -p --project -e --editable -L --lockfile")
_RYE = word_set("--features --git --url --path --tag --rev --branch")
_PIPENV = word_set("-r --requirements -i --index --pypi-mirror --python --categories --extra-pip-args -e --editable")
_CARGO = word_set(
    "--features -F --path --git --branch --tag --rev --registry -p --package --manifest-path --rename --target --base"
)
_GEM = word_set(
    "-v --version -i --install-dir -n --bindir -P --trust-policy -s --source --platform -p --http-proxy -B -g --file"
)
_BUNDLE = word_set("-v --version -g --group -s --source --require --git --github --branch --ref --path --glob")
_CONDA = word_set(
    "-n --name -p --prefix -c --channel --file --revision --solver --repodata-fn --subdir --platform --clone -f -r "
    "--root-prefix --experimental --feature --manifest-path --git --branch --rev --tag"
)
_DOTNET = word_set("-v --version -f --framework -s --source --package-directory --project --tool-path --configfile")
_PUB = word_set("--git-url --git-ref --git-path --hosted-url --path --sdk -C --directory")


def _one(ecosystem: str, verbs: str, taking: frozenset[str] = frozenset(), before: str = "") -> Installer:
    return Installer(ecosystem=ecosystem, verbs=word_set(verbs), taking=taking, before=tuple(before.split()))


def _tool(ecosystem: str, verbs: str, taking: frozenset[str] = frozenset(), before: str = "") -> Installer:
    return Installer(
        ecosystem=ecosystem, verbs=word_set(verbs), taking=taking, before=tuple(before.split()), for_project=False
    )


_PIPS = (_one(PYPI, "install", _PIP),)
_CONDAS = (_one(CONDA, "install create", _CONDA),)
_PUBS = (_one(PUB, "add", _PUB, "pub"),)
_NPM_VERBS = "install i add in ins isntall"
INSTALLERS: Mapping[str, tuple[Installer, ...]] = {
    "pip": _PIPS, "pip3": _PIPS, "pip2": _PIPS,
    "uv": (_one(PYPI, "add", _UV), _tool(PYPI, "install", _UV, "tool")),
    "poetry": (_one(PYPI, "add", _POETRY),),
    "pdm": (_one(PYPI, "add", _PDM),),
    "rye": (_one(PYPI, "add", _RYE),),
    "pipenv": (_one(PYPI, "install", _PIPENV),),
    "pipx": (_tool(PYPI, "install", _PIP),),
    "conda": _CONDAS, "mamba": _CONDAS, "micromamba": _CONDAS,
    "pixi": (_one(CONDA, "add", _CONDA), _tool(CONDA, "install", _CONDA, "global")),
    "npm": (_one(NPM, _NPM_VERBS, _NODE | word_set("-w --workspace")),),
    "pnpm": (_one(NPM, "add install i", _NODE),),
    "yarn": (
        _one(NPM, "add", _NODE), _one(NPM, "add", _NODE, "workspace *"), _one(NPM, "add", _NODE, "global"),
    ),
    "bun": (_one(NPM, "add install i a", _NODE | word_set("-c")),),
    "deno": (_one(NPM, "add install i", word_set("--lock -c --config -n --name --root --env-file")),),
    "jsr": (_one(JSR, "add install i"),),
    "expo": (_one(NPM, "install add"),),
    "ng": (_one(NPM, "add", word_set("--project --registry --collection")),),
    "cargo": (_one(CARGO, "add", _CARGO), _tool(CARGO, "install binstall", _CARGO | word_set("--version --root"))),
    "go": (_one(GO, "get", word_set("-C -modfile")), _tool(GO, "install", word_set("-C -modfile"))),
    "gem": (_one(GEM, "install i", _GEM),),
    "bundle": (_one(GEM, "add", _BUNDLE),),
    "composer": (
        _one(COMPOSER, "require req r", word_set("-d --working-dir")),
        _one(COMPOSER, "require", word_set("-d --working-dir"), "global"),
    ),
    "dotnet": (
        _one(NUGET, "package", _DOTNET, "add"), _one(NUGET, "package", _DOTNET, "add *"),
        _one(NUGET, "add", _DOTNET, "package"), _tool(NUGET, "install", _DOTNET, "tool"),
    ),
    "nuget": (_one(NUGET, "install add", word_set("-Version -OutputDirectory -Source -ConfigFile")),),
    "Install-Package": (_one(NUGET, "", word_set("-Version -ProjectName -Source")),),
    "dart": _PUBS, "flutter": _PUBS,
    "swift": (_one(SWIFT, "add-dependency", word_set("--from --exact --branch --revision --to"), "package"),),
    "mix": (_one(HEX, "igniter.install"),),
    "apt": (_tool(SYSTEM, "install", word_set("-t -o -c")),),
    "apt-get": (_tool(SYSTEM, "install", word_set("-t -o -c")),),
    "apk": (_tool(SYSTEM, "add", word_set("-t --virtual -X --repository")),),
    "brew": (_tool(SYSTEM, "install"),),
    "dnf": (_tool(SYSTEM, "install"),),
    "yum": (_tool(SYSTEM, "install"),),
    "zypper": (_tool(SYSTEM, "install in"),),
    "pacman": (_tool(SYSTEM, "-S -Sy -Syu"),),
    "snap": (_tool(SYSTEM, "install"),),
    "port": (_tool(SYSTEM, "install"),),
    "choco": (_tool(SYSTEM, "install"),),
    "winget": (_tool(SYSTEM, "install"),),
    "scoop": (_tool(SYSTEM, "install"),),
}  # fmt: skip
