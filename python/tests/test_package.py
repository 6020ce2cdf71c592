"""The command line, the child process, and the build backend."""

import ast
import base64
import csv
import hashlib
import importlib.util
import io
import json
import logging
import os
import re
import signal
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import zipfile
from pathlib import Path

import pytest

import millrace
from millrace.__main__ import main

from . import api_page

ROOT = Path(__file__).resolve().parent.parent
REPRODUCE = ROOT.parent / "dist/src/wheel/reproduce.py"
SERVER = f"""#!{sys.executable}
import json, os, signal, sys, time
sys.path.insert(0, {str(ROOT)!r})
from tests import peer
command, pipeline, *options = sys.argv[1:]
values = dict(zip(options[::2], options[1::2]))
assert command == "serve" and values["--listen"] == "127.0.0.1:0", sys.argv
if open(pipeline).read().strip() == "fail":
    print("a message before")
    sys.exit("WARNING: a warning\\nmillrace: 2 problems\\n  line 3: 'datset' is not a key")
if open(pipeline).read().strip() == "killed":
    print("reads a file", file=sys.stderr, flush=True)
    os.kill(os.getpid(), 9)
if open(pipeline).read().strip() == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print("starts", file=sys.stderr, flush=True)
    while True:
        signal.pause()
if open(pipeline).read().strip() == "slow":
    print("made the first half", "made all data", sep="\\n", file=sys.stderr, flush=True)
    while not os.path.exists(pipeline + ".go"):
        time.sleep(0.05)
made = peer.Peer(os.path.dirname(os.path.abspath(pipeline)))
print(options, file=sys.stderr)
with open(values["--ready-file"] + ".part", "w") as file:
    json.dump({{"addresses": [made.address, "127.0.0.1:1"], "token": "00" * 16, "run": "", "web": "",
               "python": os.environ.get("MILLRACE_PYTHON"), "place": [os.getcwd(), os.environ.get("PLACE")]}}, file)
os.rename(file.name, values["--ready-file"])
while True:
    with made.changed:
        if made.changed.wait_for(lambda: made.of(peer.BYE), 3600):
            break
made.close()
"""


@pytest.fixture
def launcher(tmp_path):
    (tmp_path / "home").mkdir()
    program = tmp_path / "home" / "millrace"
    program.write_text(SERVER)
    program.chmod(0o755)
    (tmp_path / "home" / "conf").mkdir()
    pipeline = tmp_path / "home" / "conf" / "x.yaml"
    pipeline.write_text("serve")
    return pipeline


def gone(pid):
    return not os.path.exists(f"/proc/{pid}")


def test_a_pipeline_file_starts_a_server_that_ends_with_the_loader(launcher):
    with millrace.Loader(launcher, settings=["dataset.epochs=2"], world=2) as loader:
        pid, folder = loader._session._child.pid, loader._session._child._folder
        assert [b.step for b in loader] == list(range(10))
        ready = os.path.join(folder, "ready.json")
        options = ["--listen", "127.0.0.1:0", "--world", "2", "--ready-file", ready, "--set", "dataset.epochs=2"]
        assert Path(folder, "serve.log").read_text().strip() == str(options)
        with millrace.Loader(loader.address, rank=1, world=2) as other:
            assert next(other).step == 0
    assert gone(pid) and not os.path.exists(folder)


def test_a_server_calls_functions_with_the_interpreter_of_the_program_or_with_the_chosen_one(launcher, monkeypatch):
    for chosen, expected in (None, sys.executable), ("/opt/env/bin/python", "/opt/env/bin/python"):
        if chosen is None:
            monkeypatch.delenv("MILLRACE_PYTHON", raising=False)
        else:
            monkeypatch.setenv("MILLRACE_PYTHON", chosen)
        with millrace.Loader(launcher) as loader:
            assert json.loads(Path(loader._session._child._ready).read_text())["python"] == expected


def test_a_server_that_is_killed_is_started_again(launcher):
    with millrace.Loader(launcher) as loader:
        assert next(loader).step == 0
        os.kill(loader._session._child.pid, 9)
        steps = [b.step for b in loader]
        assert steps == list(range(1, 10)) and loader.stats()["reconnects"] == 1


def test_a_server_is_started_again_in_the_folder_and_the_environment_of_its_first_start(launcher, tmp_path, monkeypatch):
    monkeypatch.chdir(launcher.parent)
    monkeypatch.setenv("PLACE", "first")
    with millrace.Loader(launcher.name, millrace="../millrace") as loader:
        assert next(loader).step == 0
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
        monkeypatch.setenv("PLACE", "second")
        os.kill(loader._session._child.pid, 9)
        assert next(loader).step == 1
        assert json.loads(Path(loader._session._child._ready).read_text())["place"] == [str(launcher.parent), "first"]
        assert os.listdir() == []
        child = loader._session._child
        child.launch = child.launch._replace(place=str(tmp_path / "gone"))
        os.kill(loader._session._child.pid, 9)
        with pytest.raises(millrace.MillraceError, match="cannot be started again in .*gone, the program's folder: it is gone"):
            list(loader)


def test_the_folder_for_temporary_files_may_have_a_long_path(launcher, tmp_path, monkeypatch):
    long = tmp_path / ("scratch-of-the-job-" * 8)
    long.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))
    with millrace.Loader(launcher, world=2) as loader:
        assert len(loader.address) > 150
        with millrace.Loader(loader.address, rank=1, world=2) as other:
            assert next(loader).step == next(other).step == 0
            assert loader.stats()["memory"]["kind"] == "memfd"
    assert os.listdir(long) == []


def test_a_server_that_fails_raises_its_last_message(launcher):
    launcher.write_text("fail")
    with pytest.raises(millrace.JobFailed, match="^millrace: 2 problems\n  line 3: 'datset' is not a key$"):
        millrace.Loader(launcher)
    with pytest.raises(millrace.MillraceError, match="is not a program"):
        millrace.Loader(launcher, millrace="/nowhere/millrace")
    launcher.write_text("killed")
    sentence = "^the server was started 3 times and ended each time: the server was ended by signal 9: '.* serve .*'; its last"
    sentence += " lines:\nreads a file$"
    with pytest.raises(millrace.ConnectionLost, match=sentence):
        millrace.Loader(launcher)


def test_a_server_that_starts_slowly_is_reported_with_its_own_words(launcher, caplog, monkeypatch):
    launcher.write_text("slow")

    class Seen(logging.Handler):
        def emit(self, record):
            if "made all data" in record.getMessage():
                Path(str(launcher) + ".go").touch()

    handler = Seen()
    logging.getLogger("millrace").addHandler(handler)
    try:
        with millrace.Loader(launcher) as loader:
            assert next(loader).step == 0
    finally:
        logging.getLogger("millrace").removeHandler(handler)
    assert re.search(r"waiting for '.* serve .*' to start: made all data \(its output: .*serve\.log, or", caplog.text)


def test_an_interrupt_of_the_start_waits_for_no_report_and_leaves_nothing(launcher, monkeypatch):
    launcher.write_text("stubborn")
    children, times = [], []

    class Started(millrace._launch.Child):
        def waits(self):
            if self._printed() == ["starts"]:
                children.append((self.pid, self._folder))
                times.append(time.monotonic())
                signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(millrace._settings, "Child", Started)
    with pytest.raises(KeyboardInterrupt):
        millrace.Loader(launcher)
    assert time.monotonic() - times[0] < 2  # a second, on a machine whose cores other programs use, too
    ((pid, folder),) = children
    assert gone(pid) and not os.path.exists(folder)


def test_the_server_ends_when_the_process_is_killed(launcher):
    code = f"import millrace, time; l = millrace.Loader({str(launcher)!r}); next(l); c = l._session._child"
    code += "; print(c.pid, c._folder, flush=True); time.sleep(60)"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=ROOT)
    words = process.stdout.readline().split()
    pid, folder = int(words[0]), words[1].decode()
    handle = os.pidfd_open(pid)
    process.kill()
    process.wait()
    process.stdout.close()
    import select

    assert select.select([handle], [], [], 20)[0], "the server still runs"
    os.close(handle)
    for _ in range(200):  # The helper deletes the folder about a second after the server's end, and nothing announces it.
        if not os.path.exists(folder):
            break
        threading.Event().wait(0.05)
    assert not os.path.exists(folder)


def test_check_and_bench(peer, capsys):
    server = peer()
    assert main(["check", server.address]) == 0
    out = capsys.readouterr().out
    assert "image: dense uint8[4, 5, 3] (image)" in out and "order.seed: 1" in out and "memory: memfd" in out
    assert main(["bench", server.address, "--batches", "5"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["batches"] == 5 and result["images_per_s"] > 0 and result["copies"] == 0
    assert main(["check", "unix:/nowhere", "--timeout", "0.1"]) == 1
    assert "millrace: no connection" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["--version"])
    assert millrace.__version__ in capsys.readouterr().out


def test_tls_before_the_address_does_not_take_it(peer, capsys, tmp_path):
    server = peer(lambda c: c.send(b"hello, this is no TLS"), tcp=True)
    for arguments in (["--tls", server.address], [server.address, "--tls"], [f"--tls={sys.executable}", server.address]):
        code = main(["check", *arguments])
        err = capsys.readouterr().err
        assert code == 1 and ("PEM format" if "=" in arguments[0] else "TLS failed") in err, err
    (tmp_path / "ca.pem").touch()
    with pytest.raises(SystemExit) as raised:
        main(["check", "--tls", str(tmp_path / "ca.pem")])
    assert raised.value.code == 2 and "the following arguments are required: ADDRESS" in capsys.readouterr().err


WRONG = [
    ([], 2, "required: ADDRESS"),
    (["--rank", "x"], 2, "invalid int value: 'x'"),
    (["--rank", "1"], 1, "rank is 1, expected a number from 0 to world - 1 = 0"),
    (["--world", "0"], 1, "world is 0, expected at least 1"),
    (["--buffers", "1"], 1, "buffers is 1, expected a number from 2 to 1024"),
    (["--slots", "4"], 2, "argument --slots: it is called --buffers now"),
    (["--memory", "disk"], 2, "invalid choice: 'disk'"),
    (["--transforms", "gpu"], 2, "invalid choice: 'gpu'"),
    (["--timeout", "-1"], 1, "timeout is -1.0, expected seconds, at least 0"),
    (["--timeout", "nan"], 1, "timeout is nan"),
    (["--token", "secret"], 1, "the token is neither 32 hex digits nor a file"),
    (["--tls", "none.pem"], 1, "tls is 'none.pem', expected True or a file"),
    (["--tls="], 1, "tls is '', expected True or a file"),
    (["--job", "photos"], 1, "job is for the address of a JobManager"),
    (["--set", "a=b"], 1, "settings are for pipeline files"),
    (["--seconds", "0"], 2, "expected a number above 0, found '0'"),
    (["--seconds", "nan"], 2, "expected a number above 0, found 'nan'"),
    (["--batches", "0"], 2, "expected a whole number above 0, found '0'"),
    (["--batches", "1.5"], 2, "expected a whole number above 0, found '1.5'"),
]


@pytest.mark.parametrize(("arguments", "code", "words"), WRONG, ids=[" ".join(one[0]) for one in WRONG])
def test_wrong_options_of_the_command_are_refused_with_a_sentence(capsys, arguments, code, words):
    address = ["unix:/nowhere"] if arguments else []
    try:
        ended = main(["bench", *arguments, *address])
    except SystemExit as e:
        ended = e.code
    assert ended == code and words in capsys.readouterr().err


def backend():
    spec = importlib.util.spec_from_file_location("wheels", ROOT / "build_backend" / "wheels.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_the_wheel_has_all_files_and_their_hashes(tmp_path):
    wheels = backend()
    for build in (wheels.build_wheel, wheels.build_editable):
        with zipfile.ZipFile(tmp_path / build(str(tmp_path))) as wheel:
            names = wheel.namelist()
            record = wheel.read(next(n for n in names if n.endswith("RECORD"))).decode()
            for path, digest, size in csv.reader(io.StringIO(record)):
                if digest:
                    data = wheel.read(path)
                    assert digest == "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                    assert int(size) == len(data)
            assert sorted(row[0] for row in csv.reader(io.StringIO(record))) == sorted(names)
    with zipfile.ZipFile(tmp_path / wheels.build_wheel(str(tmp_path))) as wheel:
        assert "millrace/py.typed" in wheel.namelist() and "millrace/_loader.py" in wheel.namelist()
        assert not [n for n in wheel.namelist() if "pycache" in n or n.startswith("tests")]
        metadata = wheel.read(f"millrace-{millrace.__version__}.dist-info/METADATA").decode()
    assert "Requires-Python: >=3.9" in metadata and "Requires-Dist: numpy>=1.22" in metadata
    with tarfile.open(tmp_path / wheels.build_sdist(str(tmp_path))) as archive:
        assert f"millrace-{millrace.__version__}/build_backend/wheels.py" in archive.getnames()


def sources():
    return [p for folder in ("millrace", "build_backend", "examples", "tests") for p in sorted((ROOT / folder).rglob("*.py"))]


def test_all_programs_have_the_syntax_of_python_39():
    assert len(sources()) > 30
    for path in sources():
        tree = ast.parse(path.read_text("utf-8"), str(path), feature_version=(3, 9))
        # `X | Y` in an annotation is evaluated, and fails before Python 3.10.
        for node in ast.walk(tree):
            for found in (getattr(node, "annotation", None), getattr(node, "returns", None)):
                unions = [] if found is None else [n for n in ast.walk(found) if isinstance(n, ast.BinOp)]
                assert not unions, f"{path}:{unions[0].lineno}"


def test_the_page_of_the_api_is_up_to_date():
    assert api_page.PAGE.read_text() == api_page.rendered(), "cd python && python3 -m tests.api_page > ../docs/use/python-api.md"


def test_the_page_of_environment_variables_has_all_of_them():
    sources = [ROOT.parent / "millrace", *ROOT.glob("millrace/*.py"), *ROOT.parent.glob("*/src/main/java/**/*.java")]
    found = {name for file in sources for name in re.findall(r"""[\W_](MILLRACE_[A-Z_]+[A-Z])(?![A-Z_])""", file.read_text())}
    page = (ROOT.parent / "docs/use/environment.md").read_text()
    assert len(found) > 10
    # The first marks processes that Millrace starts, for itself. The second is of tests.
    assert {name for name in found if f"`{name}`" not in page} == {"MILLRACE_STARTED_BY"}


def test_the_types_are_consistent():
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "millrace"]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("options", [["--no-index"], ["--no-index", "--no-build-isolation"]], ids=["isolated", "here"])
def test_pip_installs_the_package_without_an_index(tmp_path, options):
    pytest.importorskip("pip")
    command = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", *options]
    command += ["--prefix", str(tmp_path), "--no-warn-script-location", str(ROOT)]
    # pip also considers other installations; PYTHONPATH must not show it the package here.
    environment = {**{k: v for k, v in os.environ.items() if k != "PYTHONPATH"}, "PIP_CONFIG_FILE": os.devnull}
    done = subprocess.run(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
    (installed,) = tmp_path.rglob("millrace/__init__.py")
    assert (installed.parent / "py.typed").exists()
    code = "import millrace, sys; print(millrace.__file__); import millrace.__main__ as m; sys.exit(m.main(['--help']))"
    environment["PYTHONPATH"] = str(installed.parent.parent)
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0 and done.stdout.startswith(str(installed)) and "bench" in done.stdout


def test_the_command_explains_itself():
    done = subprocess.run([sys.executable, "-m", "millrace", "--help"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0 and "check" in done.stdout and "bench" in done.stdout
    done = subprocess.run([sys.executable, "-m", "millrace", "check", "--help"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0 and all(
        word in done.stdout for word in ("--rank", "--token", "--tls", "--job", "http://host:port")
    )


def zipped(files, year=1980):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for name, data in files.items():
            made.writestr(zipfile.ZipInfo(name, (year, 1, 1, 0, 0, 0)), data)
    return out.getvalue()


@pytest.mark.skipif(not REPRODUCE.is_file(), reason="only a clone builds the wheel with the server")
def test_what_differs_between_two_builds_is_named_also_in_jars():
    spec = importlib.util.spec_from_file_location("reproduce", REPRODUCE)
    reproduce = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reproduce)

    def compared(first, second):
        return list(reproduce.differences(first, second))

    first = zipped({"a.py": b"a", "lib/x.jar": zipped({"A.class": b"1234", "B.class": b""})})
    assert compared(first, first) == []
    second = zipped({"a.py": b"a", "lib/x.jar": zipped({"A.class": b"1254", "B.class": b""})})
    assert compared(first, second) == ["lib/x.jar!A.class differs from byte 2 of 4 and 4 on"]
    later = zipped({"a.py": b"a", "lib/x.jar": zipped({"A.class": b"1234", "B.class": b""}, 2026)})
    assert [line.split(" has")[0] for line in compared(first, later)] == ["lib/x.jar!A.class", "lib/x.jar!B.class"]
    assert compared(zipped({"a": b"", "b": b""}), zipped({"b": b"", "a": b""})) == [
        "the archive has the same files in another order or with other attributes"
    ]
    assert compared(zipped({"a": b"x"}), zipped({"a": b"x", "b": b""})) == ["b is only in the second"]
