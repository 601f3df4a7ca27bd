"""What source files import: by Python's own parser, by tokens of JavaScript and TypeScript, by statements of others."""

from importlib import import_module

import pytest

from holdfast.ecosystems.source_imports import _READERS, read_imports, read_piece_imports, reads_imports
from holdfast.ecosystems.unreadable_text import Unreadable


def modules(path: str, text: str) -> list[tuple[str, int]]:
    return [(each.module, each.line) for each in read_imports(path, text)]


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
    with pytest.raises(Unreadable, match="no Python"):
        read_imports("x.py", text)


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
        ("a.rs", "use tokio::{fs, net::TcpStream};", "tokio::net", True),
        ("a.rs", "use tokio_util::x;", "tokio", False),
        ("a.go", 'import "github.com/a/b/v2"', "github.com/a/b", True),
        ("a.php", "use Symfony\\Component\\Console\\Application;", "Symfony\\Component", True),
        ("A.java", "import org.junit.Test;", "org.junit", True),
    ],
)
def test_a_module_is_also_what_is_below_it(path: str, text: str, rule: str, met: bool) -> None:
    assert any(each.is_below(rule) for each in read_imports(path, text)) is met


def test_hostile_scripts_end_in_time() -> None:
    for text in ("import {" * 20_000, "require(" * 20_000, "`${" * 5_000, "'" * 50_000, "import " + "a," * 50_000):
        assert read_imports("a.ts", text) == ()


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        ("a.go", 'package a\nimport "fmt"\nimport (\n\tx "github.com/a/b"\n\t// "no"\n\t_ "c/d"\n)\nvar s = "no"\n',
         [("fmt", 2), ("github.com/a/b", 4), ("c/d", 6)]),
        ("a.rs", ("use std::io;\npub use serde::{Serialize, de::{self, Error}};\n// use no::no;\nextern crate rand;\n"
         "use a as b;\n"),
         [("std::io", 1), ("serde::Serialize", 2), ("serde::de", 2), ("serde::de::Error", 2), ("rand", 4), ("a", 5)]),
        ("lib/a.rb", ("require 'json'\n# require 'no'\nrequire_relative \"b/c\"\nautoload :X, 'x/y'\n"
         "puts \"require 'no'\"\n"),
         [("json", 1), ("lib/b/c", 3), ("x/y", 4)]),
        ("A.java", "import java.util.List;\nimport static org.junit.Assert.*;\n/* import no.no; */\n",
         [("java.util.List", 1), ("org.junit.Assert", 2)]),
        ("a.kt", "import io.ktor.server.*\nimport a.b as c\n", [("io.ktor.server", 1), ("a.b", 2)]),
        ("a.scala", "import cats.{Monad, Functor => F}\nimport x._\n",
         [("cats.Monad", 1), ("cats.Functor", 1), ("x", 2)]),
        ("a.php", ("<?php\nuse A\\B;\nuse function C\\d as e;\nuse F\\{G, H as I};\n"
         "# use no;\n$f = function () use ($x) {};\n"),
         [("A\\B", 2), ("C\\d", 3), ("F\\G", 4), ("F\\H", 4)]),
        ("A.cs", ("using System;\nglobal using static A.B;\nusing J = Newtonsoft.Json;\n"
         "using (var x = y) {}\nusing var z = w();\n"),
         [("System", 1), ("A.B", 2), ("Newtonsoft.Json", 3)]),
        ("a.fs", "open System.IO\n", [("System.IO", 1)]),
        ("lib/a.dart", "import 'package:http/http.dart' as h;\nimport 'dart:io';\nexport '../b.dart';\n",
         [("http/http", 1), ("dart:io", 2), ("b", 3)]),
        ("a.swift", "import Foundation\n@testable import Shop\nimport struct NIO.ByteBuffer\n// import No\n",
         [("Foundation", 1), ("Shop", 2), ("NIO.ByteBuffer", 3)]),
        ("a.ex", "defmodule A do\n  use Phoenix.Controller\n  alias B.{C, D}\n  # import No\nend\n",
         [("Phoenix.Controller", 2), ("B.C", 3), ("B.D", 3)]),
    ],
)  # fmt: skip
def test_statements_of_other_languages(path: str, text: str, found: list[tuple[str, int]]) -> None:
    assert modules(path, text) == found


def test_the_package_of_a_module() -> None:
    found = {
        each.module: each.package
        for path, text in [
            ("a.go", 'import "github.com/gin-gonic/gin/binding"\nimport "net/http"'), ("a.rs", "use serde::de;"),
            ("a.js", "import 'chart.js/auto'; import '@a/b/c'"), ("a.py", "import redis.asyncio"),
        ]
        for each in read_imports(path, text)
    }  # fmt: skip

    assert found == {
        "github.com/gin-gonic/gin/binding": "github.com/gin-gonic/gin", "net/http": "net", "serde::de": "serde",
        "chart.js/auto": "chart.js", "@a/b/c": "@a/b", "redis.asyncio": "redis",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("code", "packages"),
    [
        ("import redis", ["redis"]), ("from redis.asyncio import Redis", ["redis"]),
        ("import os, redis", ["os", "redis"]),
        ("    x = 1\n  import redis as r", ["redis"]), ("if x:\nimport redis", ["redis"]), ("# import redis", []),
        ("we import redis here", []),
    ],
)  # fmt: skip
def test_a_piece_of_code_need_not_be_a_whole_file(code: str, packages: list[str]) -> None:
    assert list(dict.fromkeys(each.package for each in read_piece_imports("a.py", code))) == packages


def test_every_row_of_the_table_names_a_reader_that_is_there() -> None:
    for name in _READERS:
        module, _, function = name.partition(".")
        assert callable(getattr(import_module(f"holdfast.ecosystems.{module}"), function))
    assert not reads_imports("notes.md")
    assert read_imports("notes.md", "import x") == ()


@pytest.mark.parametrize(
    ("path", "text"),
    [("a.go", "import (" * 50_000), ("a.rs", "use a::{" * 50_000), ("a.php", "use a\\{" * 50_000),
     ("a.java", "import " * 50_000), ("a.cs", "/*" * 200_000), ("a.ex", '"""' * 50_001),
     ("a.rb", "require '" * 50_000)],
)  # fmt: skip
def test_hostile_sources_end_in_time(path: str, text: str) -> None:
    read_imports(path, text)
