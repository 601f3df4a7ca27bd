"""How JavaScript and TypeScript are written, by tokens."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.bootstrap.profile.profile_values import Trait, TraitTallies
from holdfast.bootstrap.profile.script_files import ScriptReader
from holdfast.ecosystems.js_tokens import scan_tokens

MODULE = """\
import {{ useState }} from 'react';
import path from './path{n}';

export interface ItemProps{n} {{ name: string; }}

export const loadItem{n} = async (id: number): Promise<string> => {{
  const found = await fetch(`/items/${{id}}`);
  return found.text();
}};
export const saveItem{n} = (id) => id;
class ItemError{n} extends Error {{}}
"""


def traits(files: dict[str, str], prefix: str = "ts") -> dict[str, Trait]:
    book = TraitTallies()
    reader = ScriptReader(book, prefix)
    for path, text in files.items():
        reader.read(path, text)
    return {trait.key: trait for trait in book.traits()}


def many(text: str, count: int = 12, ending: str = "ts") -> dict[str, str]:
    return {f"src/item-list-{n}.{ending}": text.format(n=n) for n in range(count)}


def test_clear_habits_are_found() -> None:
    found = traits(many(MODULE))

    assert {key: trait.answer for key, trait in found.items()} == {
        "ts.errors": "own-classes",
        "ts.exports": "named",
        "ts.files": "kebab-case",
        "ts.framework.react": "used",
        "ts.functions": "camelCase",
        "ts.functions-as": "arrow",
        "ts.indent": "2",
        "ts.modules": "esm",
        "ts.quotes": "single",
        "ts.semicolons": "always",
    }
    assert (found["ts.functions"].cases, found["ts.functions"].files) == (24, 12)


def test_comments_texts_and_patterns_are_no_code() -> None:
    text = (
        "// it's 'x'\n/* function bad_name() {{ \"y\" }} */\n"
        "const re{n} = /['\"`]function other_name/g;\nlet a = b / c / d;\n"
    )

    found = traits(many(text, 30))

    assert "ts.functions" not in found
    assert "ts.quotes" not in found


def test_markup_with_apostrophes_and_attributes_does_not_count_as_strings() -> None:
    text = "const View{n} = () => <p title=\"x\" id=\"y\">Don't stop, can't stop</p>;\nconst a = 'one', b = 'two';\n"

    found = traits(many(text, 15, "tsx"))

    assert (found["ts.quotes"].answer, found["ts.quotes"].of) == ("single", 30)
    assert "ts.functions" not in found


def test_components_are_no_functions_in_camel_case_and_default_exports_count() -> None:
    text = "export default function ItemView{n}() {{ return null }}\nmodule.exports = require('x')\n"

    found = traits(many(text, 25, "jsx"), "js")

    assert found["js.exports"].answer == "default"
    assert found["js.functions-as"].answer == "declaration"
    assert "js.functions" not in found


def test_commonjs_tests_and_missing_semicolons() -> None:
    files = {f"src/__tests__/a{n}.test.js": "const x = require('jest')\nmodule.exports = x\n" for n in range(6)}
    files |= {
        f"lib/b{n}.mjs": "import a from 'a'\nimport b from 'b'\nimport c from 'c'\nimport d from 'd'\n"
        for n in range(6)
    }

    found = traits(files, "js")

    assert found["js.test-layout"].answer == "__tests__"
    assert found["js.semicolons"].answer == "never"
    assert found["js.framework.jest"].answer == "used"
    assert "js.modules" not in found


def test_templates_hold_code_inside_and_text_outside() -> None:
    source = "`a ${ f({x: `in ${\"deep\"}`}) } 'not' ${y}` + 'yes'"

    assert [token.text for token in scan_tokens(source) if token.kind == "string"] == ['"deep"', "'yes'"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "odd", ["/[" * 20_000, "'\\" * 20_000, "`${" * 5000, "x=(" * 20_000, "/*" * 50_000, "{" * 50_000]
)
def test_odd_sources_end_in_time(odd: str) -> None:
    begun = time.process_time()

    ScriptReader(TraitTallies(), "ts").read("a.tsx", odd)

    assert time.process_time() - begun < 20


@given(st.text(alphabet="ab'\"`${}/\\*\n ()[]<>=;.0é\u2028", max_size=200))
def test_no_source_raises_and_no_token_is_invented(source: str) -> None:
    found = list(scan_tokens(source))

    at = 0
    for token in found:
        at = source.index(token.text, at) + len(token.text)
