"""Shell text → the simple commands in it, near enough to judge them: pipes, lists, subshells, quotes, here-documents.

This is no shell: nothing is expanded and nothing run. Whatever cannot be made out is kept as words; no input raises,
and of nesting deeper than `_DEEPEST` it is only told that it is there. Nothing is imported, for a cold hook reads this
before every tool.
"""

from holdfast.core.word_lists import word_set

_DEEPEST = 16
MOST_CHARACTERS = 200_000
_OPERATORS = (";;", "&&", "||", "|&", ";", "&", "|", "\n", "(", ")")
_REDIRECTS = ("&>>", "&>", "<<<", "<<-", "<<", ">>", ">|", ">&", "<&", "<>", ">", "<")
_KEYWORDS = word_set("if then elif else fi for while until do done case esac in { } ! function select time coproc")
SHELLS = word_set("sh bash zsh dash ksh fish ash busybox")


class ShellCommand:
    """One simple command: its words, what it assigns before them, where it redirects, what is fed to it.

    `unread`: it stands for a text that was not read, because it is too long or nested too deep.
    """

    __slots__ = ("assigned", "fed", "redirects", "unread", "words")

    def __init__(self) -> None:
        self.words: list[str] = []
        self.assigned: list[tuple[str, str]] = []
        self.redirects: list[tuple[str, str]] = []
        self.fed = ""
        self.unread = False


Pipeline = list[ShellCommand]


def parse_pipelines(text: str, depth: int = 0) -> list[Pipeline]:
    """The pipelines of a shell text in order, with those nested in substitutions and subshells after their host."""
    if depth >= _DEEPEST:
        return [[_stand_for_unread()]] if text.strip() else []
    found = _Reader(text[:MOST_CHARACTERS], depth).read()
    return [*found, [_stand_for_unread()]] if len(text) > MOST_CHARACTERS else found


def _stand_for_unread() -> ShellCommand:
    command = ShellCommand()
    command.unread = True
    return command


def name_of(word: str) -> str:
    """The bare name of a program: without its folder and suffix."""
    return word.replace("\\", "/").rpartition("/")[2].removesuffix(".exe")


def decode_escapes(text: str) -> str:
    """A text with `\\x72` and `\\162` as the letters that they stand for, as `printf` and `$'…'` write them."""
    first, *rest = text.split("\\")
    return first + "".join(_decode_escape(part) for part in rest)


def _decode_escape(part: str) -> str:
    base, digits = (16, part[1:3]) if part[:1] == "x" else (8, part[:3])
    while digits and not all(digit in "0123456789abcdefABCDEF"[: 22 if base == 16 else 8] for digit in digits):
        digits = digits[:-1]
    length = len(digits) + (1 if base == 16 else 0)
    return (chr(int(digits, base)) if digits else "\n" if part[:1] == "n" else part[:1]) + part[
        length if digits else 1 :
    ]


def expand_known(words: list[str], known: dict[str, str]) -> list[str]:
    """Words in which the variables that a script has set stand for what they were set to."""
    found: list[str] = []
    for word in words:
        if "$" not in word or not known:
            found.append(word)
            continue
        whole = word.strip("{}$") in known and word.startswith("$")
        text = word
        for name in sorted(known, key=len, reverse=True):
            text = text.replace("${" + name + "}", known[name]).replace("$" + name, known[name])
        found += text.split() if whole else [text]
    return found


class _Reader:
    """Walks over the characters once, building words, commands and pipelines."""

    def __init__(self, text: str, depth: int) -> None:
        self.text, self.at, self.depth = text, 0, depth
        self.done: list[Pipeline] = []
        self.nested: list[Pipeline] = []
        self.pipeline: Pipeline = []
        self.command = ShellCommand()
        self.redirect = ""
        self.waiting: list[tuple[ShellCommand, str]] = []

    def read(self) -> list[Pipeline]:
        while self.at < len(self.text):
            self._step()
        self._end_pipeline()
        return self.done

    def _step(self) -> None:
        char = self.text[self.at]
        if char in " \t\r" or self.text.startswith("\\\n", self.at):
            self.at += 2 if char == "\\" else 1
        elif char == "#":
            end = self.text.find("\n", self.at)
            self.at = end if end >= 0 else len(self.text)
        elif self.text.startswith(("<(", ">("), self.at):
            self._take(self._word())
        elif (operator := self._one_of(_REDIRECTS)) and not (operator == "&>" and self.redirect):
            self.redirect, self.at = operator, self.at + len(operator)
        elif operator := self._one_of(_OPERATORS):
            self.at += len(operator)
            self._operate(operator)
        else:
            self._take(self._word())

    def _one_of(self, operators: tuple[str, ...]) -> str:
        return next((operator for operator in operators if self.text.startswith(operator, self.at)), "")

    def _operate(self, operator: str) -> None:
        self.redirect = ""
        if operator in ("|", "|&"):
            self._end_command()
        elif operator == "(" and self.command.words:
            # A function's `name()`: its body is read as commands of their own.
            self.command = ShellCommand()
        else:
            self._end_pipeline()
            if operator == "\n":
                self._read_documents()

    def _end_command(self) -> None:
        if self.command.words or self.command.redirects or self.command.assigned:
            self.pipeline.append(self.command)
        self.command = ShellCommand()

    def _end_pipeline(self) -> None:
        self._end_command()
        if self.pipeline:
            self.done.append(self.pipeline)
        self.done += self.nested
        self.pipeline, self.nested = [], []

    def _take(self, word: str) -> None:
        command = self.command
        if self.redirect:
            operator, self.redirect = self.redirect, ""
            if operator in ("<<", "<<-"):
                self.waiting.append((command, word))
            elif operator == "<<<":
                command.fed += word
            else:
                command.redirects.append((operator, word))
        elif not command.words and word in _KEYWORDS:
            return
        elif not command.words and _is_assignment(word):
            name, _, value = word.partition("=")
            command.assigned.append((name, value))
        elif word.isdigit() and self.text[self.at : self.at + 1] in ("<", ">"):
            return
        else:
            command.words.append(word)

    def _read_documents(self) -> None:
        for command, mark in self.waiting:
            lines: list[str] = []
            while self.at < len(self.text):
                end = self.text.find("\n", self.at)
                end = end if end >= 0 else len(self.text)
                line, self.at = self.text[self.at : end], end + 1
                if line.strip() == mark:
                    break
                lines.append(line)
            command.fed += "\n".join(lines)
        self.waiting = []

    def _word(self) -> str:
        parts: list[str] = []
        start = self.at
        while self.at < len(self.text):
            char = self.text[self.at]
            if char in " \t\r\n;&|()" or (char in "<>" and not self.text.startswith("(", self.at + 1)):
                break
            parts.append(self._part(char))
        self.at = max(self.at, start + 1)
        return "".join(parts)

    def _part(self, char: str) -> str:
        if char == "\\":
            self.at += 2
            return self.text[self.at - 1 : self.at].replace("\n", "")
        if char == "'":
            return self._until("'")
        if char == '"':
            return self._double()
        if char == "`":
            return self._substitute(self._until("`"))
        if char in "$<>" and self.text.startswith("(", self.at + 1):
            return self._substitute(self._parenthesis())
        if char == "$" and self.text.startswith("'", self.at + 1):
            self.at += 1
            return decode_escapes(self._until("'"))
        self.at += 1
        return char

    def _until(self, mark: str) -> str:
        end = self.text.find(mark, self.at + 1)
        end = end if end >= 0 else len(self.text)
        inside, self.at = self.text[self.at + 1 : end], end + 1
        return inside

    def _double(self) -> str:
        parts: list[str] = []
        self.at += 1
        while self.at < len(self.text) and self.text[self.at] != '"':
            char = self.text[self.at]
            if char == "\\" and self.text[self.at + 1 : self.at + 2] in ('"', "\\", "$", "`", "\n"):
                parts.append(self.text[self.at + 1])
                self.at += 2
            elif char == "`":
                parts.append(self._substitute(self._until("`")))
            elif char == "$" and self.text.startswith("(", self.at + 1):
                parts.append(self._substitute(self._parenthesis()))
            else:
                parts.append(char)
                self.at += 1
        self.at += 1
        return "".join(parts)

    def _parenthesis(self) -> str:
        """What stands between `$(` and its closing parenthesis; quoted parentheses do not count."""
        self.at += 2
        start, open_ = self.at, 1
        while self.at < len(self.text):
            char = self.text[self.at]
            if char in "'\"":
                end = self.text.find(char, self.at + 1)
                self.at = end if end >= 0 else len(self.text)
            elif char in "()":
                open_ += 1 if char == "(" else -1
                if not open_:
                    break
            self.at += 1
        inside = self.text[start : self.at]
        self.at += 1
        return inside

    def _substitute(self, inside: str) -> str:
        """Read a substitution as commands of its own; the word keeps a mark in its place."""
        self.nested += parse_pipelines(inside, self.depth + 1)
        return f"$({inside})"


def _is_assignment(word: str) -> bool:
    name, equals, _ = word.partition("=")
    return bool(equals) and name.replace("_", "a").isalnum() and not name[:1].isdigit()
