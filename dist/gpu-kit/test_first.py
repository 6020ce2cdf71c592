#!/usr/bin/env python3
"""Tests of the kit's first call with real processes in an empty folder: python3 dist/gpu-kit/test_first.py. GpuKitE2E runs them."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

OWN = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, OWN)
sys.dont_write_bytecode = True

import bridges  # noqa: E402
import jvms  # noqa: E402
import pack  # noqa: E402
import run  # noqa: E402
import test_client  # noqa: E402
from test_kit import alive  # noqa: E402

STEPS = [step[0] for step in run.FIRST]
CLASSES = [*jvms.TRANSFER, *jvms.ENGINE, *jvms.TRAINING]

# Each program writes down that it runs. Those that the file `held` names do not end by themselves.
HEAD = """#!/bin/bash
kit={kit}
echo $$ >>"$kit/pids"
hold() {{ echo "$1" >>"$kit/began"; ! grep -qsx "$1" "$kit/held" || exec sleep 600; }}
"""

PYTHON = """
if [ "$1" = -c ]; then
    [ -e "$kit/counted" ] || { touch "$kit/counted"; hold inventory; }
    echo '{"version": "3.11", "torch": "2.11.0+cu130", "cuda": null, "folder": "/nowhere/torch", "abi": true, "gpu": false}'
    exit 0
fi
[ ! -e "$kit/real" ] || exec "$(cat "$kit/real")" "$@"
echo "a line of a library"
echo '{"check": "one", "passed": true, "seconds": 0}'
hold client
echo '{"check": "two", "passed": true, "seconds": 0}'
"""

# The first three classes of the training tests wait for each other, so that they end only if three JVMs run at once.
JAVA = """
[ "$1" != -version ] || exit 0
name=${!#}
mkdir -p "$kit/running" && touch "$kit/running/$name"
ls "$kit/running" | wc -l >>"$kit/at-once"
case $name in *.GpuTrainingTest | *.GpuAgreementTest | *.GpuPrecisionTest)
    until n=$(ls "$kit/running" | wc -l); [ "$n" = 3 ] || [ -e "$kit/together" ]; do [ -e "$kit" ] || exit 1; sleep 0.02; done
    echo "$n" >>"$kit/at-once"
    touch "$kit/together" ;;
esac
hold "$name"
rm "$kit/running/$name"
echo "[ 2 tests found ]"
echo "[ 2 tests successful ]"
echo "[ 0 tests failed ]"
echo "[ 0 tests skipped ]"
"""

BRIDGE = """
hold bridge
echo library >"$4"
"""


class FirstCallTest(unittest.TestCase):
    """The scripts of the kit, with a Python, a Java runtime and a bridge that only say what they would do."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.addCleanup(self.end_all)
        self.kit = self.path("kit")
        os.makedirs(self.path("kit", "bridge"))
        for script in ("run.py", "programs.py", "jvms.py", "bridges.py", "client.py"):
            shutil.copy(os.path.join(OWN, script), self.kit)
        self.write("0.35.1\n", "kit", "bridge", "djl-version.txt")
        self.write("\n".join(CLASSES), "kit", "tests", "classes.txt")
        self.write("tests/classes\n", "kit", "tests", "classpath.txt")
        self.python = self.program(PYTHON, "bin", "python")
        self.program(JAVA, "jre", "bin", "java")
        self.program(BRIDGE, "bridge.sh")
        self.results = self.path("results")

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, text, *names):
        path = self.path(*names)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def read(self, *names):
        try:
            with open(self.path(*names), encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def program(self, text, *names):
        path = self.write(HEAD.format(kit=self.kit) + text, "kit", *names)
        os.chmod(path, 0o755)
        return path

    def end_all(self):
        for pid in self.read("kit", "pids").split():
            if alive(pid):
                os.kill(int(pid), signal.SIGKILL)

    def start(self, *arguments):
        command = [sys.executable, self.path("kit", "run.py"), "--first", "--out", self.results, "--work", self.path("work"),
                   "--python", self.python, *arguments]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(process.stdout.close)
        return process

    def call(self, *arguments):
        process = self.start(*arguments)
        output = process.communicate(timeout=120)[0]
        return process.returncode, output

    def steps(self):
        text = self.read("results", "figures.json")
        return json.loads(text)["steps"] if text else {}

    def wait_for(self, condition, what, process=None):
        end = time.monotonic() + 60
        while not condition():
            ended = process is not None and process.poll() is not None
            if ended or time.monotonic() > end:
                self.fail(f"{what}: {process.communicate()[0] if ended else self.read('results', 'figures.json')}")
            time.sleep(0.02)

    def hold(self, name):
        self.write(name, "kit", "held")

    def forget(self):
        """Forgets which programs ran."""
        for name in ("held", "began", "at-once", "together"):
            if os.path.exists(self.path("kit", name)):
                os.remove(self.path("kit", name))
        shutil.rmtree(self.path("kit", "running"), ignore_errors=True)

    def test_steps_run_in_their_order_and_three_classes_at_once(self):
        code, output = self.call()
        self.assertEqual(0, code, output)
        steps = self.steps()
        self.assertEqual({name: 0 for name in STEPS}, {name: steps[name]["exit"] for name in STEPS}, output)
        self.assertEqual(STEPS, [line.split()[0] for line in output.splitlines()[: len(STEPS)]])
        began = self.read("kit", "began").split()
        self.assertLess(began.index("client"), min(began.index(name) for name in CLASSES))
        self.assertEqual(set(CLASSES), set(began) - {"inventory", "bridge", "client"})
        self.assertEqual(3, max(map(int, self.read("kit", "at-once").split())))
        self.assertEqual({"one", "two"}, set(steps["client"]["figures"]["checks"]))
        self.assertEqual(16, steps["training-tests"]["figures"]["successful"])
        # What is copied back from a machine is in one folder, and only there.
        self.assertEqual(["bridge.tar.gz", "figures.json", "logs.tar.gz"], sorted(os.listdir(self.results)))
        # The bridge of this call is accepted by the next one, which has nothing else.
        shutil.rmtree(self.path("work"))
        bridge = shutil.move(self.path("results", bridges.FILE), self.path(bridges.FILE))
        shutil.rmtree(self.results)
        self.forget()
        code, output = self.call("--bridge", bridge)
        self.assertEqual(0, code, output)
        self.assertTrue(self.steps()["bridge"]["figures"]["accepted"])
        self.assertNotIn("bridge", self.read("kit", "began").split())

    def killed(self, held, before):
        """Kills a call while a program of a step runs, and requires that all steps before are kept."""
        self.hold(held)
        process = self.start()
        began = lambda: held in self.read("kit", "began").split()  # noqa: E731
        self.wait_for(lambda: began() and all(self.steps().get(name, {}).get("exit") == 0 for name in before), held, process)
        if held == "client":
            self.wait_for(lambda: self.steps()["client"]["figures"].get("checks"), "the first check", process)
        if held == jvms.TRAINING[7]:
            self.wait_for(lambda: len(self.steps()["training-tests"]["figures"].get("classes", {})) == 7, "seven classes", process)
        process.kill()
        process.wait()
        steps = self.steps()
        self.assertEqual([0] * len(before), [steps[name]["exit"] for name in before], held)
        pids = self.read("kit", "pids").split()
        self.wait_for(lambda: not any(map(alive, pids)), "a program of a call that was killed goes on")
        return steps

    def test_call_that_is_killed_in_any_step_keeps_what_has_run_and_the_next_one_goes_on(self):
        holds = {"inventory": "inventory", "client": "client", "transfer-tests": jvms.TRANSFER[0], "bridge": "bridge",
                 "engine-tests": jvms.ENGINE[4], "training-tests": jvms.TRAINING[7]}
        self.assertEqual(STEPS, list(holds))
        for index, (name, held) in enumerate(holds.items()):
            with self.subTest(name):
                before = STEPS[:index]
                steps = self.killed(held, before)
                self.assertIsNone(steps[name]["exit"])
                if name == "client":
                    self.assertEqual(["one"], list(steps[name]["figures"]["checks"]))
                if name == "training-tests":
                    self.assertEqual(set(jvms.TRAINING[:7]), set(steps[name]["figures"]["classes"]))
                kept = {each: steps[each] for each in before}
                self.forget()
                code, output = self.call()
                after = self.steps()
                self.assertEqual(kept, {each: after[each] for each in before}, "steps with a result are not repeated")
                # What was interrupted may have taken the machine down, and is not repeated; the bridge only had no time.
                self.assertEqual(0 if name == "bridge" else None, after[name]["exit"], output)
                self.assertEqual([0] * (5 - index), [after[each]["exit"] for each in STEPS[index + 1:]], output)
                self.assertNotIn("client", [] if index == 0 else self.read("kit", "began").split())
            for folder in ("results", "work"):
                shutil.rmtree(self.path(folder))
            self.forget()
            if os.path.exists(self.path("kit", "counted")):
                os.remove(self.path("kit", "counted"))

    def test_rehearsal_with_the_stub_of_the_driver_keeps_the_checks_of_the_client_that_have_run(self):
        if shutil.which("gcc") is None or not test_client.has_torch():
            self.skipTest(f"a rehearsal needs gcc, and torch in {test_client.PYTHON}")
        tree = os.path.dirname(os.path.dirname(OWN))
        shutil.copytree(os.path.join(tree, "gpu-sink", "src", "test", "native"), self.path("kit", "stub"))
        shutil.copy(os.path.join(OWN, "gpus.py"), self.kit)
        pack.client(tree, self.path("kit", "python"))
        self.write(test_client.PYTHON, "kit", "real")
        process = self.start("--rehearse")
        checks = lambda: self.steps().get("client", {}).get("figures", {}).get("checks", {})  # noqa: E731
        self.wait_for(lambda: len(checks()) >= 2, "the first checks", process)
        process.kill()
        process.wait()
        kept = checks()
        self.assertEqual(test_client.CHECKS[: len(kept)], list(kept))
        self.assertTrue(all(row["passed"] for row in kept.values()), kept)
        pids = self.read("kit", "pids").split()
        self.wait_for(lambda: not any(map(alive, pids)), "a program of a call that was killed goes on")
        code, output = self.call("--rehearse", "--only", "client")
        self.assertEqual((0, test_client.CHECKS), (code, list(checks())), output)
        self.assertTrue(os.path.isfile(self.path("work", "stub", "libcuda.so.1")))
        self.assertEqual(2, self.call()[0], "a rehearsal and a measurement are not mixed")

    def test_steps_that_do_not_end_are_ended_at_their_shares_and_the_next_ones_run(self):
        self.hold("client\nbridge")
        code, output = self.call("--budget", "15")
        steps = self.steps()
        self.assertEqual((1, run.ENDED_BY_LIMIT), (code, steps["client"]["exit"]), output)
        self.assertIn("was ended at the step's limit of time", steps["client"]["reason"])
        self.assertEqual((["one"], 1), (list(steps["client"]["figures"]["checks"]), steps["client"]["figures"]["passed"]))
        self.assertEqual(0, steps["transfer-tests"]["exit"], output)
        self.assertEqual(run.ENDED_BY_LIMIT, steps["bridge"]["exit"], output)
        self.assertGreater(steps["bridge"]["seconds"], 5, "the bridge has the time of the steps before it")
        self.assertEqual("these classes need the bridge, and the step 'bridge' has not succeeded", steps["engine-tests"]["reason"])
        self.assertIn("call again for: bridge", output)
        pids = self.read("kit", "pids").split()
        self.wait_for(lambda: not any(map(alive, pids)), "a program goes on")

    def test_client_that_cannot_check_anything_says_why_and_the_next_steps_run(self):
        self.write(self.program("echo 'client.py: torch finds no CUDA device'; exit 2\n", "client"), "kit", "real")
        code, output = self.call()
        steps = self.steps()
        self.assertEqual((1, 1, "no check ran: client.py: torch finds no CUDA device"), (code, steps["client"]["exit"], steps["client"]["reason"]))
        self.assertEqual([0] * 4, [steps[name]["exit"] for name in STEPS[2:]], output)

    def test_check_that_fails_is_named_with_its_reason(self):
        row = '{"check": "two", "passed": false, "reason": "3 of 48 copies are wrong"}'
        self.write(self.program(f"echo '{{\"check\": \"one\", \"passed\": true}}'; echo '{row}'; exit 1\n", "client"), "kit", "real")
        self.call("--only", "client")
        found = self.steps()["client"]
        self.assertEqual((1, "these checks failed: two (3 of 48 copies are wrong)"), (found["exit"], found["reason"]))
        self.assertEqual((1, 2), (found["figures"]["passed"], found["figures"]["found"]))

    def test_bridge_for_another_pytorch_is_compiled_anew_and_the_reason_is_printed(self):
        library = self.write("library", "old.so")
        bridges.write(library, {"torch": "2.10.0+cu128", "cuda": None, "djl": "0.35.1"}, self.folder)
        code, output = self.call("--bridge", self.path(bridges.FILE))
        sentence = f"the bridge is compiled anew: {self.path(bridges.FILE)} was compiled for PyTorch 2.10.0+cu128: expected PyTorch 2.11.0+cu130"
        self.assertEqual((0, True), (code, sentence in output), output)
        self.assertIn("bridge", self.read("kit", "began").split())
        self.assertTrue(os.path.isfile(self.path("results", bridges.FILE)))

    def test_wrong_options_are_refused_before_anything_runs(self):
        for arguments, sentence in (
            (("--bridge", self.path("none.tar.gz")), f"--bridge: there is no file '{self.path('none.tar.gz')}'"),
            (("--jvms", "0"), "--jvms: expected a whole number from 1 to 999, found '0'"),
            (("--only", "ladder"), "there is no step 'ladder': expected one of inventory, client,"),
        ):
            code, output = self.call(*arguments)
            self.assertEqual((2, True), (code, sentence in output), output)
        self.write("", "file")
        code, output = self.call("--work", self.path("file"))
        self.assertEqual((2, True), (code, output.startswith(f"run.py: --work {self.path('file')}: ")), output)
        done = subprocess.run([sys.executable, self.path("kit", "run.py"), "--out", self.results], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        self.assertEqual((2, True), (done.returncode, "is the core parcel, which has no distribution: expected --first" in done.stdout), done.stdout)
        self.assertEqual("", self.read("kit", "pids"))


class BridgesTest(unittest.TestCase):
    FACTS = {"torch": "2.11.0+cu130", "cuda": "13.0", "djl": "0.35.1"}

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.library = os.path.join(self.folder, "made.so")
        with open(self.library, "wb") as file:
            file.write(b"library")
        bridges.write(self.library, self.FACTS, self.folder)
        self.path = os.path.join(self.folder, bridges.FILE)
        self.read = os.path.join(self.folder, "read.so")

    def test_bridge_for_the_same_versions_is_accepted(self):
        self.assertIsNone(bridges.read(self.path, self.FACTS, self.read))
        with open(self.read, "rb") as file:
            self.assertEqual(b"library", file.read())

    def refused(self, sentence, **facts):
        found = bridges.read(self.path, {**self.FACTS, **facts}, self.read)
        self.assertIn(sentence, found)
        self.assertFalse(os.path.exists(self.read))

    def test_each_version_must_be_the_same(self):
        self.refused("was compiled for PyTorch 2.11.0+cu130: expected PyTorch 2.11.0+cu128", torch="2.11.0+cu128")
        self.refused("was compiled for CUDA 13.0: expected CUDA None", cuda=None)
        self.refused("was compiled for DJL 0.35.1: expected DJL 0.36.0", djl="0.36.0")

    def test_files_that_are_no_bridge_are_refused(self):
        with open(self.path, "rb") as file:
            whole = file.read()
        for data in (b"text", whole[:40], b""):
            with open(self.path, "wb") as file:
                file.write(data)
            self.refused(f"{self.path}: expected an archive with bridge.json and libdjl_torch.so")

    def test_library_that_was_changed_is_refused(self):
        facts = bridges.hashlib.sha256
        with mock.patch.object(bridges.hashlib, "sha256", lambda data: facts(data + b"x")):
            self.refused("the SHA-256 of libdjl_torch.so differs from that in bridge.json")


if __name__ == "__main__":
    unittest.main()
