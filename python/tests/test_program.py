"""Where the program `millrace` is found, and the command of an installed package."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "millrace"
PRINTS = f"""#!{sys.executable}
import json, os, sys
names = ("MILLRACE_PYTHON", "PYTORCH_LIBRARY_PATH", "PYTORCH_VERSION", "PYTORCH_FLAVOR")
print(json.dumps([sys.argv[0], sys.argv[1:], {{name: os.environ[name] for name in names if name in os.environ}}]))
"""
FIND = "import sys; from millrace._program import find_launcher; print(find_launcher(*sys.argv[1:]))"
COMMAND = "import sys; from millrace._command import main; main()"


def program(folder):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "millrace").write_text(PRINTS)
    (folder / "millrace").chmod(0o755)
    return str(folder / "millrace")


@pytest.fixture
def site(tmp_path):
    """A folder of packages with the client alone, in no clone."""
    shutil.copytree(PACKAGE, tmp_path / "site" / "millrace", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "site"


def run(site, code, *arguments, **environment):
    here = {"PATH": str(site / "nothing"), "PYTHONPATH": os.pathsep.join([str(site), *sys.path]), **environment}
    return subprocess.run([sys.executable, "-c", code, *arguments], env=here, capture_output=True, text=True, cwd=site)


def test_a_package_finds_its_own_server_unless_there_is_a_clone_or_MILLRACE_HOME(site, tmp_path):
    own = program(site / "millrace" / "_server")
    clone, home = program(tmp_path / "clone"), program(tmp_path / "home")
    on_path = program(tmp_path / "bin")

    assert run(site, FIND, "digits.yaml").stdout.strip() == own
    assert run(site, FIND, "digits.yaml", PATH=str(tmp_path / "bin")).stdout.strip() == own
    assert run(site, FIND, str(tmp_path / "clone" / "conf" / "digits.yaml")).stdout.strip() == clone
    assert run(site, FIND, "digits.yaml", MILLRACE_HOME=str(tmp_path / "home")).stdout.strip() == home
    assert run(site, FIND, "digits.yaml", on_path).stdout.strip() == on_path


def test_the_client_alone_takes_a_program_on_the_path_but_not_its_own_command(site, tmp_path):
    on_path = program(tmp_path / "bin")
    assert run(site, FIND, "digits.yaml", PATH=str(tmp_path / "bin")).stdout.strip() == on_path

    (tmp_path / "bin" / "millrace").write_text(f"#!{sys.executable}\nfrom millrace._command import main\nmain()\n")
    failed = run(site, FIND, "digits.yaml", PATH=str(tmp_path / "bin"))
    assert failed.returncode == 1 and "this package has only the client" in failed.stderr.splitlines()[-1]


def test_the_command_becomes_the_launcher_and_says_what_is_missing(site):
    failed = run(site, COMMAND, "train", "x.yaml")
    assert failed.returncode == 1 and failed.stderr.startswith("millrace: the server was not found: this package has only the")
    assert len(failed.stderr.splitlines()) == 1

    own = program(site / "millrace" / "_server")
    launcher, arguments, variables = json.loads(run(site, COMMAND, "train", "a b.yaml", "--json").stdout)
    assert (launcher, arguments) == (own, ["train", "a b.yaml", "--json"])
    assert variables["MILLRACE_PYTHON"] == sys.executable


@pytest.mark.parametrize(("cuda", "flavor"), [("None", "cpu"), ("'12.8'", "cu128")])
def test_the_server_of_a_package_uses_the_installed_torch_unless_the_user_names_another(site, cuda, flavor):
    server = Path(program(site / "millrace" / "_server")).parent
    (server / "lib").mkdir()
    (server / "lib" / "pytorch-jni-2.7.1-0.35.1.jar").touch()
    torch = site / "torch"
    torch.mkdir()
    (torch / "__init__.py").write_text("raise SystemExit('torch is not imported')")
    (torch / "version.py").write_text(f"__version__ = '2.7.1+{flavor}'\ndebug = False\ncuda: Optional[str] = {cuda}\n")

    variables = json.loads(run(site, COMMAND).stdout)[2]
    assert variables["PYTORCH_LIBRARY_PATH"] == str(torch / "lib")
    assert (variables["PYTORCH_VERSION"], variables["PYTORCH_FLAVOR"]) == ("2.7.1", flavor)
    variables = json.loads(run(site, COMMAND, PYTORCH_LIBRARY_PATH="/mine").stdout)[2]
    assert variables["PYTORCH_LIBRARY_PATH"] == "/mine" and "PYTORCH_VERSION" not in variables

    (torch / "version.py").write_text(f"__version__ = '2.7.10+{flavor}'\ncuda: Optional[str] = {cuda}\n")
    assert "PYTORCH_LIBRARY_PATH" not in json.loads(run(site, COMMAND).stdout)[2]


@pytest.mark.parametrize("given, expected", [("/bin:/own", "/bin:/own:/usr/bin"), ("", "/bin:/usr/bin"), ("/nowhere", "/nowhere:/bin:/usr/bin")])
def test_the_places_of_the_system_s_tools_follow_those_of_the_user(site, given, expected):
    printed = run(site, "from millrace._program import environment; print(environment('millrace')['PATH'])", PATH=given)
    assert printed.stdout.strip() == expected, printed.stderr
