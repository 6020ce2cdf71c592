"""Makes docs/use/python-api.md from the docstrings of the package: `python3 -m tests.api_page > ../docs/use/python-api.md`."""

import ast
import inspect
import textwrap
from pathlib import Path

import millrace
import millrace.text
from millrace._state import Stateful

PAGE = Path(__file__).resolve().parent.parent.parent / "docs/use/python-api.md"

INTRODUCTION = """# The Python API

All public names of the package `millrace` and of its module `text`, with their docstrings. [python.md](python.md) explains how they are used. This page is
generated: `cd python && python3 -m tests.api_page > ../docs/use/python-api.md`.
"""


def text(docstring):
    """Returns a docstring as Markdown: indented programs become blocks of code."""
    return textwrap.dedent(docstring).strip()


def signature(name, function):
    """Returns the call of a function, with defaults and without types."""
    given = function.args
    plain = [argument.arg for argument in given.posonlyargs + given.args if argument.arg not in ("self", "cls")]
    defaults = [ast.unparse(value) for value in given.defaults]
    parts = plain[: len(plain) - len(defaults)]
    parts += [f"{argument}={value}" for argument, value in zip(plain[len(plain) - len(defaults) :], defaults)]
    if given.vararg:
        parts.append("*" + given.vararg.arg)
    elif given.kwonlyargs:
        parts.append("*")
    for argument, value in zip(given.kwonlyargs, given.kw_defaults):
        if ast.unparse(argument.annotation or ast.Constant(0)) == "None":
            continue  # an old name, which is refused
        parts.append(argument.arg if value is None else f"{argument.arg}={ast.unparse(value)}")
    return f"{name}({', '.join(parts)})"


def members(body):
    """Returns the documented members of a class in their order: (heading, docstring)."""
    found = []
    for node, after in zip(body, [*body[1:], None]):
        if isinstance(node, ast.FunctionDef) and ast.get_docstring(node):
            decorators = {ast.unparse(each) for each in node.decorator_list}
            if node.name.startswith("_"):
                continue
            heading = node.name if "property" in decorators else signature(node.name, node)
            found.append((heading, ast.get_docstring(node)))
        elif isinstance(node, ast.AnnAssign) and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            found.append((ast.unparse(node.target), str(after.value.value)))
    return found


def definition_of(public):
    """Returns the definition of a class or a function."""
    module = ast.parse(Path(inspect.getsourcefile(public)).read_text(encoding="utf-8"))
    kinds = (ast.ClassDef, ast.FunctionDef)
    return next(n for n in ast.walk(module) if isinstance(n, kinds) and n.name == public.__name__)


def named_signature(name, function):
    """Returns the block of code with the call of a function."""
    return f"```python\n{textwrap.fill(signature(name, function), 120, subsequent_indent=' ' * (len(name) + 1))}\n```\n"


def rendered():
    """Returns the whole page."""
    lines = [INTRODUCTION]
    for module, name in [(millrace, n) for n in sorted(millrace.__all__)] + [(millrace.text, n) for n in millrace.text.__all__]:
        public = getattr(module, name)
        if inspect.isfunction(public) and module is millrace.text:
            node = definition_of(public)
            lines.append(f"## `{module.__name__}.{name}`\n")
            lines.append(named_signature(name, node))
            lines.append(text(ast.get_docstring(node) or "") + "\n")
        if not inspect.isclass(public):
            continue
        node = definition_of(public)
        made = [n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"]
        bases = ", ".join(base.__name__ for base in public.__mro__[1:] if issubclass(base, BaseException) and base is not object)
        lines.append(f"## `{module.__name__}.{name}`\n")
        if issubclass(public, Exception):
            lines.append(f"An exception ({bases.split(', Exception')[0] or 'Exception'}).\n")
        elif made and name == "Loader":
            lines.append(named_signature(name, made[0]))
        lines.append(text(ast.get_docstring(node) or "") + "\n")
        found = members(node.body)
        if issubclass(public, Stateful):
            found += members(definition_of(Stateful).body)
        if found:
            lines.append("| member | meaning |\n|---|---|")
            for heading, docstring in found:
                meaning = " ".join(text(docstring).split()).replace("|", "\\|")
                lines.append(f"| `{heading}` | {meaning} |")
            lines.append("")
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    print(rendered(), end="")
