"""The modules of the package: one imports another, and none imports one back."""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import millrace

PACKAGE = Path(millrace.__file__).parent


def imported(source):
    """Returns the modules of the package that a module's text imports anywhere: at the top, in functions, and for types alone."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            found.update([node.module] if node.module else [name.name for name in node.names])
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("millrace."):
            found.add(node.module.split(".")[1])
        elif isinstance(node, ast.Import):
            found.update(name.name.split(".")[1] for name in node.names if name.name.startswith("millrace."))
    return found


def require_no_circle(imports):
    """Raises CycleError, which names a circle of modules, if there is one."""
    TopologicalSorter(imports).prepare()


def test_no_module_imports_one_that_imports_it_back():
    imports = {path.stem: imported(path.read_text(encoding="utf-8")) for path in PACKAGE.glob("*.py")}
    assert imports["_batch"] >= {"_fields", "_torch"} and imports["_loader"] >= {"_pass", "_iterable"}
    assert set().union(*imports.values()) <= set(imports), "each import is of a module"
    require_no_circle(imports)


@pytest.mark.parametrize(
    "back",
    [
        "from ._a import A",
        "from . import _a",
        "import millrace._a",
        "from millrace._a import A",
        "def f():\n    from ._a import A",
        "if TYPE_CHECKING:\n    from ._a import A",
    ],
)
def test_a_circle_is_found_wherever_the_import_is(back):
    with pytest.raises(CycleError, match="_a"):
        require_no_circle({"_a": imported("from ._b import B"), "_b": imported(back)})


def test_no_module_has_more_than_350_lines_or_lacks_its_subject():
    for path in PACKAGE.glob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert text.count("\n") <= 350, path
        assert ast.get_docstring(ast.parse(text)) or path.stem == "_version", path
