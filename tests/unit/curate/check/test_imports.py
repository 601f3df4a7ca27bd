"""What source files import: by Python's own parser, and by tokens of JavaScript and TypeScript."""

import pytest

from holdfast.check.source_imports import find_imports
from holdfast.check.unreadable import UnreadableText


def modules(path: str, text: str) -> list[tuple[str, int]]:
    return [(each.module, each.line) for each in find_imports(path, text)]


def test_python_in_every_form() -> None:
    text = (
        "import os.path, urwid as u\nfrom a import (\n    b,\n    c as d,\n)\nfrom ..db import pool\nfrom . import *\n"
        'def f():\n    import inner\nimportlib.import_module("dyn.x")\n__import__("raw")\nimport_module(name)\n'
        'text = "import not_one"  # import nor_this\n'
    )

    assert set(modules("src/app/ui/x.py", text)) == {
        ("os.path", 1), ("urwid", 1), ("a", 2), ("a.b", 3), ("a.c", 4), ("src.app.db", 6), ("src.app.db.pool", 6),
        ("src.app.ui", 7), ("inner", 9), ("dyn.x", 10), ("raw", 11),
    }  # fmt: skip


@pytest.mark.parametrize("text", ["print 'two'", "x = (", "\0", "a" * 10 + "(" * 3000, "{{ cookiecutter }} = "])
def test_python_that_cannot_be_parsed_says_so(text: str) -> None:
    with pytest.raises(UnreadableText, match="no Python"):
        find_imports("x.py", text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('import a from "a"', ["a"]),
        ("import {b,\n  c as d} from 'b/x'", ["b/x"]),
        ("import def, * as ns from 'both'", ["both"]),
        ("import 'side'", ["side"]),
        ("import type { T } from 't'", ["t"]),
        ("import { type T, x } from 't'", ["t"]),
        ("import { 'odd name' as o } from 'odd'", ["odd"]),
        ("export * from 'e'; export { x } from 'f'", ["e", "f"]),
        ("export * as n from 'e'", ["e"]),
        ("const m = await import('dyn')", ["dyn"]),
        ("const m = import(`tpl`)", ["tpl"]),
        ("type X = import('types').Y", ["types"]),
        ("const r = require('r')", ["r"]),
        ("import eq = require('eq')", ["eq"]),
        ("f(...require('spread'))", ["spread"]),
        ("import fs from 'node:fs'", ["fs"]),
        ("import j from './j.json' with { type: 'json' }", ["src/j.json"]),
        ("import p from '../db/pool.js'", ["db/pool"]),
        ("`${require('inner')}`", ["inner"]),
        ("// import 'no'\n/* import 'no' */", []),
        ("const s = \"import 'no'\"; const t = `import 'no'`", []),
        ("const r = /import 'no'/", []),
        ("obj.import('no'); obj.require('no'); obj?.require('no')", []),
        ("export const a = 'no'; export default 'no'", []),
        ("export function f() { return 'no' }", []),
        ("const u = import.meta.url; g('no')", []),
        ("require.resolve('no'); require(name); import(name)", []),
        ("const long = '" + "x" * 900 + ' require("no")\'', []),
        ("x = { import: 'no', require: 'no' }", []),
    ],
)
def test_scripts_in_every_form(text: str, found: list[str]) -> None:
    assert [module for module, _ in modules("src/a.ts", text)] == found


@pytest.mark.parametrize("path", ["App.vue", "page.svelte", "index.astro"])
def test_scripts_in_pages_keep_their_lines(path: str) -> None:
    text = "<p>import 'no'</p>\n<script lang='ts'>\nimport x from 'yes'\n</script>\n"

    assert modules(path, text) == [("yes", 3)]


def test_the_head_of_an_astro_page_counts() -> None:
    assert modules("a.astro", "---\nimport x from 'head'\n---\n<p/>\n") == [("head", 2)]


@pytest.mark.parametrize(
    ("path", "text", "rule", "met"),
    [
        ("a.py", "import app.db.pool", "app.db", True),
        ("a.py", "import app.dbx", "app.db", False),
        ("a.py", "from app import db", "app.db", True),
        ("a.py", "import x.app.db", "app.db", False),
        ("src/app/ui/a.py", "from ..db import pool", "app.db", True),
        ("a.js", "import 'lodash/fp'", "lodash", True),
        ("a.js", "import 'lodash.get'", "lodash", False),
        ("a.js", "import 'lodash'", "lodash/fp", False),
        ("a.js", "import '@a/b/c'", "@a/b", True),
        ("src/ui/a.ts", "import '../db/pool'", "src/db", True),
        ("src/ui/a.ts", "import './x'", "ui", True),
    ],
)
def test_a_module_is_also_what_is_below_it(path: str, text: str, rule: str, met: bool) -> None:
    assert any(each.is_below(rule) for each in find_imports(path, text)) is met


def test_hostile_scripts_end_in_time() -> None:
    for text in ("import {" * 20_000, "require(" * 20_000, "`${" * 5_000, "'" * 50_000, "import " + "a," * 50_000):
        assert find_imports("a.ts", text) == ()
