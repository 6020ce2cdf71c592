#!/usr/bin/env python3
"""Tests of the kit's checks of the Python client: python3 dist/gpu-kit/test_client.py. GpuKitE2E runs them.

The interpreter that MILLRACE_TEST_PYTHON names, or else this one, needs torch and numpy: without them the tests are skipped.
"""

import json
import os
import subprocess
import sys
import unittest

OWN = os.path.dirname(os.path.abspath(__file__))
PYTHON = os.environ.get("MILLRACE_TEST_PYTHON", sys.executable)
sys.path.insert(0, OWN)
sys.dont_write_bytecode = True

import client  # noqa: E402

CHECKS = list(client.CHECKS)

# What each check must find. The names are those of the client; nothing else of it is changed.
BROKEN = """
import json, os, sys, tempfile
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import client
sys.path.insert(0, client.python_folder())
from contextlib import nullcontext
import torch
from millrace import _cuda
from tests import cuda

class Past:
    def query(self):
        return True

    def synchronize(self):
        pass

def on_gpu_0(runtime, device, address, length):
    with torch.cuda.device(0):
        runtime._require(torch.cuda.cudart().cudaHostRegister(address, length, 0), "cudaHostRegister")

def not_cleared(runtime, code, call):
    if int(code):
        raise RuntimeError(call)

torch.cuda.is_available = lambda: False
assert client.main([]) == 2
Transfers, Runtime = _cuda.Transfers, _cuda.TorchRuntime
broken = {
    "right_gpu": (Runtime, "register", on_gpu_0),
    "registration": (Runtime, "register", lambda runtime, device, address, length: not_cleared(runtime, 2, "register failed")),
    "late_copies": (Transfers, "begun", lambda transfers, device, sources: Past()),
    "no_wait": (Transfers, "lock", lambda transfers, target: None),
    "registration_errors": (Runtime, "_require", not_cleared),
    "own_copies": (Transfers, "guard", lambda transfers, lend: False),
    "stream": (Transfers, "prefetch", property(lambda transfers: 0)),
    "overlap": (Transfers, "beside", lambda transfers, device: nullcontext()),
    # The controls find nothing if the stand-in's GPU does what is asked at once.
    "late_copies ": (cuda.Cuda, "is_page_locked", lambda gpu, address, length: False),
    "own_copies ": (cuda.Cuda, "is_page_locked", lambda gpu, address, length: False),
    "overlap ": (cuda, "COPY", 0),
}
with tempfile.TemporaryDirectory() as folder:
    gpu = client.LateGpu(torch)
    checks = client.Checks(gpu, folder)
    os.environ["MILLRACE_TOKEN"] = checks.scripted.TOKEN
    for name, (owner, attribute, value) in broken.items():
        whole = getattr(owner, attribute) if not isinstance(owner, type) else owner.__dict__[attribute]
        setattr(owner, attribute, value)
        try:
            row = client.performed(getattr(checks, name.strip()), gpu)
        finally:
            setattr(owner, attribute, whole)
        print(json.dumps({**row, "check": name}), flush=True)
"""


def run(*command):
    done = subprocess.run([PYTHON, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


def has_torch():
    find = "import sys; from importlib.util import find_spec; sys.exit(not (find_spec('torch') and find_spec('numpy')))"
    return subprocess.run([PYTHON, "-c", find]).returncode == 0


class ClientTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not has_torch():
            raise unittest.SkipTest(f"{PYTHON} has no torch: MILLRACE_TEST_PYTHON names another interpreter")

    def rows(self, output):
        return {row["check"]: row for row in map(json.loads, output.splitlines())}

    def test_all_checks_pass_in_a_rehearsal_and_their_controls_fail(self):
        code, output, errors = run(os.path.join(OWN, "client.py"), "--rehearse")
        self.assertEqual(0, code, output + errors)
        rows = self.rows(output)
        self.assertEqual(CHECKS, list(rows))
        self.assertTrue(all(row["passed"] for row in rows.values()), output)
        for name in ("late_copies", "own_copies"):
            self.assertEqual(0, rows[name]["wrong"])
            self.assertGreater(rows[name]["wrong_in_the_control"], 30)
        self.assertEqual(([3], True), (rows["right_gpu"]["contexts"], rows["right_gpu"]["context_of_the_control"]))
        self.assertGreater(rows["overlap"]["behind_ms"], rows["overlap"]["beside_ms"])

    def test_each_check_fails_when_the_client_or_its_control_is_broken(self):
        code, output, errors = run("-c", BROKEN, OWN)
        self.assertEqual(0, code, output + errors)
        self.assertIn("client.py: torch finds no CUDA device: with --rehearse a stand-in takes its place\n", errors)
        rows = self.rows(output)
        self.assertEqual([], [name for name, row in rows.items() if row["passed"]], output)
        reasons = {name: row["reason"] for name, row in rows.items()}
        self.assertEqual("expected a context on GPU 3 alone, found [0, 3]", reasons["right_gpu"])
        self.assertRegex(reasons["late_copies"], "^4[0-9] of 48 copies have the bytes of a later batch$")
        self.assertRegex(reasons["own_copies"], "^[0-9]+ of 48 copies have the bytes of a later batch$")
        self.assertEqual("the next work of torch raised the error: CUDA error: 712", reasons["registration_errors"])
        self.assertEqual("no copy was done while the step before was under way", reasons["stream"])
        self.assertEqual("the control, which fills slots without a wait, gave no wrong copy", reasons["late_copies "])
        self.assertEqual("the control, which returns buffers at once, gave no wrong copy", reasons["own_copies "])
        self.assertIn("the control, with copies behind the step, takes 10.0 ms", reasons["overlap "])

    def test_check_that_does_not_exist_is_a_usage_error(self):
        code, _, errors = run(os.path.join(OWN, "client.py"), "--rehearse", "--only", "copies")
        self.assertEqual(2, code)
        self.assertIn("argument --only: invalid choice: 'copies' (choose from", errors)


if __name__ == "__main__":
    unittest.main()
