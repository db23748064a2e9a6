"""Help pages and the README's tables, both made from the options, the YAML files and the list of metrics.

`python -m rowspace.documentation README.md` rewrites the tables between their markers; `--check` only says whether
they are up to date. Writes no prose of its own.

Budget: longer than 250 lines, since help pages and tables are made by the same few readers of conf/.
"""

from __future__ import annotations

import ast
import inspect
import os
import re
import sys
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from rowspace.composition import TAKES_A_PATH, conf_dir
from rowspace.errors import closest

EXAMPLE = "rowspace train tokenizer=unigram tokenizer.vocab_size=8192 model.d=256 position=rope head.tie=false"
FLAGS = """\
  -m, --multirun            a grid: position=none,rope model.d=64,128
  --cfg job [--resolve]     print the composed configuration instead of running
  --config-dir DIR          a folder of more YAML files, searched beside ours
  --help [GROUP ...]        this page, or every field of a group's options
  --hydra-help, --info      Hydra's own flags and groups
  -sc install=bash          tab completion: eval "$(rowspace -sc install=bash)" (bash, zsh, fish)"""

DELTAS = ("experiment", "sweep")
"""Groups whose files change what others set, and say what they ask in their first line."""


@dataclass(frozen=True)
class Choice:
    """One YAML file of a group: what `group=option` takes."""

    name: str
    summary: str
    values: Mapping[str, Any]
    docs: Mapping[str, str]


def front_page(commands: Mapping[str, str]) -> str:
    """`rowspace --help`."""
    listed = "\n".join(f"  {name:<10} {summary}" for name, summary in commands.items())
    return f"""\
{_bold("rowspace")} trains and audits the two ends of a language model: tokenizer, token table, positions, output head.

{_bold("Usage")}     rowspace COMMAND [group=option] [group.field=value] [-m]

{_bold("Commands")}
{listed}

{_bold("Start")}
  rowspace train
  {EXAMPLE}
  rowspace train -m position=none,sinusoidal,learned,rope head.tie=true,false

  rowspace COMMAND --help lists every group and option. Runs go to outputs/<study>/, the newest is outputs/latest.

{_bold("Exit codes")}  0 done, 1 failed, 2 bad configuration, 130 Ctrl-C, 143 SIGTERM (what was trained is saved)"""


def command_page(command: str, summary: str, words: list[str]) -> str:
    """`rowspace COMMAND --help [GROUP ...]`: every group and option, or every field of the groups named."""
    defaults, keys = _primary(command)
    sections = _sections(command)
    wanted = [word.partition("=")[0].partition(".")[0] for word in words]
    if wanted:
        return "\n\n".join(
            _fields(sections[word], f"{word}.") if word in sections else _group_fields(word, {**defaults, **sections})
            for word in wanted
        )
    width = max((len(choice.name) for group in defaults for choice in choices(group)), default=0)
    lines = [f"{_bold('rowspace ' + command)}: {summary}", ""]
    lines += [f"{_bold('Usage')}     rowspace {command} {_usage(command, keys, bool(defaults or sections))}"]
    if defaults or sections:
        star = "* is what you get without asking; " if defaults else ""
        lines += ["", f"{_bold('Groups')}    {star}rowspace {command} --help GROUP shows its fields"]
    for group, default in defaults.items():
        for index, choice in enumerate(choices(group)):
            head = group if index == 0 else ""
            mark = "*" if choice.name == default else " "
            lines.append(f"  {head:<12}{mark} {choice.name:<{width}}  {choice.summary}")
    for place, choice in sections.items():
        lines.append(f"  {place:<12}  {choice.summary}")
    lines += ["", f"{_bold('Keys')}"]
    lines += [f"  {key + ' = ' + _yaml(value):<30}  {doc}".rstrip() for key, value, doc in keys]
    return "\n".join([*lines, "", _bold("Flags"), FLAGS])


def choices(group: str) -> list[Choice]:
    """The options of a group by YAML file, in alphabetical order."""
    from rowspace import config  # noqa: F401  (its import registers every option)
    from rowspace.registry import options

    found = []
    for path in sorted((conf_dir() / group).glob("*.yaml")):
        text = path.read_text(encoding="utf-8")
        values = yaml.safe_load(text) or {}
        option = options(group).get(str(values.get("name")))
        summary = _leading_comment(text)
        if option is not None and not (summary and path.stem != values["name"]):
            summary = _first_sentence(inspect.getdoc(option) or "")
        docs = field_docs(option) if option is not None else {}
        found.append(
            Choice(path.stem, summary, {k: v for k, v in values.items() if k not in ("name", "defaults")}, docs)
        )
    return found


def field_docs(option: type) -> dict[str, str]:
    """The docstring under each field of an option, its own and inherited, as one line."""
    docs: dict[str, str] = {}
    for owner in reversed(option.__mro__):
        if owner.__module__.startswith(("pydantic", "builtins", "abc", "typing")):
            continue
        (body,) = ast.parse(textwrap.dedent(inspect.getsource(owner))).body
        assert isinstance(body, ast.ClassDef)
        for field, doc in zip(body.body, body.body[1:], strict=False):
            if isinstance(field, ast.AnnAssign) and isinstance(doc, ast.Expr) and isinstance(doc.value, ast.Constant):
                docs[ast.unparse(field.target)] = " ".join(str(doc.value.value).split())
    return docs


def options_table() -> str:
    """Every group, option and field with its value, as Markdown."""
    defaults, keys = _primary("train")
    out = ["Each group has a default, in bold. `group=option` chooses, `group.field=value` sets a field.", ""]
    for group, default in defaults.items():
        if not choices(group):
            continue
        if group in DELTAS:
            asked = [(one.name, one.summary.removeprefix("Question: ")) for one in choices(group)]
            out += [f"#### {group}", "", "| file | what it asks |", "| --- | --- |"]
            out += [*(f"| {name} | {_cell(question)} |" for name, question in asked), ""]
            continue
        out += [f"#### {group}", "", "| option | what it is | fields and their values |", "| --- | --- | --- |"]
        out += [f"| {' | '.join(map(_cell, row))} |" for row in _rows(choices(group), default)]
        out.append("")
    out += ["#### beside the groups", "", "| key | meaning |", "| --- | --- |"]
    return "\n".join([*out, *(f"| `{key}: {_yaml(value)}` | {_cell(doc)} |" for key, value, doc in keys)])


def _rows(found: list[Choice], default: str | None) -> Iterator[tuple[str, str, str]]:
    """Cells of a group's table: what every option has stands once, above; a meaning stands where it comes first."""
    told = set.intersection(*({(key, c.docs.get(key)) for key in c.values} for c in found)) if found[1:] else set()
    shared = {key for key, _ in told}
    same = {key for key in shared if all(choice.values[key] == found[0].values[key] for choice in found)}
    if shared:
        kept = {key: f"{key}: {_yaml(value)}" if key in same else key for key, value in found[0].values.items()}
        lines = [f"`{kept[key]}` {found[0].docs.get(key, '')}" for key in kept if key in shared]
        yield "every option", "", "<br>".join(lines)
    for choice in found:
        lines = []
        for key, value in choice.values.items():
            if key not in same:
                meaning = "" if (key, choice.docs.get(key)) in told else choice.docs.get(key, "")
                lines.append(f"`{key}: {_yaml(value)}` {meaning}".rstrip())
        told |= {(key, choice.docs.get(key)) for key in choice.values}
        yield f"**{choice.name}**" if choice.name == default else choice.name, choice.summary, "<br>".join(lines)


def metrics_table() -> str:
    """Every metric key with unit, direction, null and meaning, as Markdown."""
    from rowspace.metrics.catalogue import METRICS

    out = ["| key | unit | better | chance or null | meaning |", "| --- | --- | --- | --- | --- |"]
    for metric in METRICS:
        cells = (f"`{metric.key}`", metric.unit, metric.better, metric.null, metric.meaning)
        out.append("| " + " | ".join(_cell(cell) for cell in cells) + " |")
    return "\n".join(out)


TABLES = {"options": options_table, "metrics": metrics_table}


def rewritten(readme: str) -> str:
    """The README with each `<!-- NAME: ... -->` ... `<!-- end NAME -->` block made again."""
    for name, table in TABLES.items():
        pattern = re.compile(rf"(<!-- {name}:[^\n]*-->\n).*?(<!-- end {name} -->)", re.S)
        if not pattern.search(readme):
            raise SystemExit(f"README.md has no block between <!-- {name}: ... --> and <!-- end {name} -->")
        made = table()
        readme = pattern.sub(lambda found, made=made: f"{found[1]}{made}\n{found[2]}", readme)
    return readme


def main(words: list[str]) -> int:
    """Rewrite the file's tables, or with --check say whether that would change it (exit code 1)."""
    path = Path(next(word for word in words if not word.startswith("-")))
    before = path.read_text(encoding="utf-8")
    after = rewritten(before)
    if after == before:
        return 0
    if "--check" in words:
        print(f"{path}: its tables are not those of the code; run python -m rowspace.documentation {path}")
        return 1
    path.write_text(after, encoding="utf-8")
    return 0


def _primary(command: str) -> tuple[dict[str, str | None], list[tuple[str, Any, str]]]:
    """(default option of each group, (key, value, comment) of each key) of a command's primary config."""
    text = (conf_dir() / f"{command}.yaml").read_text(encoding="utf-8")
    values = yaml.safe_load(text) or {}
    defaults: dict[str, str | None] = {}
    for entry in values.pop("defaults", []):
        if isinstance(entry, dict):
            ((group, default),) = entry.items()
            if "@" not in group and not group.startswith("override "):
                defaults[group] = default
    values.pop("hydra", None)
    comments = dict(re.findall(r"^(\w+):.*?#\s*(.*)$", text, re.M))
    return defaults, [(key, value, comments.get(key, "")) for key, value in values.items()]


def _usage(command: str, keys: list[tuple[str, Any, str]], grouped: bool) -> str:
    """What follows the command: its path, in brackets where it has a default, then what may be set."""
    wanted = next((value == "???" for key, value, _ in keys if key == "path"), True)
    path = ["PATH" if wanted else "[PATH]"] if command in TAKES_A_PATH else []
    return " ".join([*path, "[group=option] [group.field=value] [-m]" if grouped else "[key=value]"])


def _sections(command: str) -> dict[str, Choice]:
    """Sections of a command's config that hold the option of their own name (`probe@length: length`)."""
    entries = (yaml.safe_load((conf_dir() / f"{command}.yaml").read_text(encoding="utf-8")) or {}).get("defaults", [])
    found = [
        (group.partition("@"), chosen)
        for entry in entries
        if isinstance(entry, dict)
        for group, chosen in entry.items()
    ]
    return {
        place: next(choice for choice in choices(group) if choice.name == chosen)
        for (group, _, place), chosen in found
        if place == chosen
    }


def _fields(choice: Choice, prefix: str) -> str:
    """Every field of one option with its value."""
    lines = [_bold(choice.name) + f"  {choice.summary}"]
    for key, value in choice.values.items():
        if key != "defaults":
            lines.append(f"  {f'{prefix}{key}={_yaml(value)}':<38} {choice.docs.get(key, '')}".rstrip())
    return "\n".join(lines)


def _group_fields(group: str, defaults: Mapping[str, Any]) -> str:
    if group not in defaults:
        return f"{group} is not a group; {closest(group, defaults)}"
    lines = []
    for choice in choices(group):
        mark = " (default)" if choice.name == defaults[group] else ""
        lines += [_bold(f"{group}={choice.name}") + f"{mark}  {choice.summary}"]
        for key, value in choice.values.items():
            lines.append(f"  {f'{group}.{key}={_yaml(value)}':<38} {choice.docs.get(key, '')}".rstrip())
    return "\n".join(lines)


def _leading_comment(text: str) -> str:
    found = re.match(r"#\s*(?:@package[^\n]*\n#\s*)?([^\n]*)", text)
    return found[1].strip() if found else ""


def _first_sentence(doc: str) -> str:
    return re.split(r"(?<=\.)\s", " ".join(doc.split("\n\n")[0].split()), maxsplit=1)[0]


def _yaml(value: Any) -> str:
    """A value as it is typed on the command line; long lists are cut."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_yaml(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_yaml, value if len(value) <= 6 else [*value[:5], "..."])) + "]"
    return str(value)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _bold(text: str) -> str:
    return f"\033[1m{text}\033[0m" if sys.stdout.isatty() and "NO_COLOR" not in os.environ else text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
