"""holdfast config model"""

import argparse

from holdfast.cli.common import open_app
from holdfast.cli.output import Output, one_line
from holdfast.core.value import as_dict
from holdfast.setup.choose_model import LISTED, PRICES, ModelListing, list_models, try_model
from holdfast.workspace import App

EXAMPLES = """\
  holdfast config model                                what is set, and what could be
  holdfast config model list --prices                  with the prices that Holdfast knows
  holdfast config model test                           one small request: does it answer, how fast, for how much
  holdfast config model test --set model=ollama:qwen3
"""
STATUS = (
    "0 shown, or it answered · 1 list: what is set cannot be asked · 2 no model is set, the key is not taken, or the "
    "budget is used up · 3 no such model · 6 it did not answer"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("verb", nargs="?", choices=("list", "test"), default="list", metavar="list|test",
                        help="without: list")  # fmt: skip
    parser.add_argument("--prices", action="store_true", help="list: every price that Holdfast knows")


def run(args: argparse.Namespace, out: Output) -> int:
    """Show which model is set, or try it."""
    app = open_app(args, anywhere=True, quiet=True)
    status = _test(app, out) if args.verb == "test" else _list(app, out, prices=args.prices)
    out.notices(app.notices)
    return status


def _list(app: App, out: Output, *, prices: bool) -> int:
    found = list_models(app)
    if out.as_json:
        out.json(_form(found, prices=prices))
    _print_set(found, out)
    out.line()
    out.line("could be set:")
    for choice in found.choices:
        out.line(f"  {'ready' if choice.ready else '–':<6} {choice.model:<16} {one_line(choice.why)}")
        if choice.names:
            out.cut(f"         {', '.join(choice.names)}")
    if prices:
        out.line()
        out.line(f"US dollars per million tokens, as listed in {LISTED} (input, cached, output):")
        for name, price in PRICES.items():
            out.line(f"  {name:<24} {price.input:>8g} {price.cached:>8g} {price.output:>8g}")
    return 1 if found.trouble else 0


def _form(found: ModelListing, *, prices: bool) -> dict[str, object]:
    form = as_dict(found)
    form["price"] = as_dict(found.price) if found.price else None
    form["choices"] = [as_dict(choice) | {"names": list(choice.names)} for choice in found.choices]
    if prices:
        form["prices"] = {name: as_dict(price) for name, price in PRICES.items()}
        form["prices_of"] = LISTED
    return form


def _print_set(found: ModelListing, out: Output) -> None:
    if not found.model:
        out.line("model    none: sessions are distilled by rules. Set one: holdfast config model anthropic:NAME")
        return
    out.line(f"model    {one_line(found.model)}")
    if found.trouble:
        out.line(f"trouble  {one_line(found.trouble)}")
        out.line(f"         {one_line(found.hint)}")
    if found.address:
        out.line(f"address  {one_line(found.address)}")
    if found.key:
        out.line(f"key      from {one_line(found.key)}")
    if found.free:
        out.line("price    none: it runs on this machine")
    elif found.price:
        price = found.price
        out.line(
            f"price    {price.input:g} input, {price.cached:g} cached, {price.output:g} output (US dollars per million)"
        )
    elif found.address:
        out.line(
            "price    not known: budgets count its tokens, not its money. Say it: holdfast config model_price 3/15"
        )


def _test(app: App, out: Output) -> int:
    tested = try_model(app)
    if out.as_json:
        out.json(as_dict(tested))
    money = "not known" if tested.cost is None else f"${tested.cost:.6f}"
    out.line(f"{tested.model} answers: {one_line(tested.text)[:80]!r}")
    out.line(f"  by     {one_line(tested.answered_by)}")
    out.line(f"  time   {tested.seconds:.2f} s")
    out.line(f"  tokens {tested.input} in ({tested.cached} cached), {tested.output} out")
    out.line(f"  cost   {money}")
    return 0
