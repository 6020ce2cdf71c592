#!/usr/bin/env python3
"""Tests of the GPU kit that need nothing but Python: python3 dist/gpu-kit/test_kit.py. GpuKitE2E runs them in the build."""

import contextlib
import io
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tarfile
import tempfile
import time
import types
import unittest
import zipfile
from unittest import mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import jvms  # noqa: E402
import pack  # noqa: E402
import programs  # noqa: E402
import resnet50  # noqa: E402
import run  # noqa: E402
import table  # noqa: E402
import unpack  # noqa: E402

BRIDGE_PAGE = os.path.join(pack.TREE, "docs", "use", "gpu-pytorch.md")
TABLE_PAGE = os.path.join(pack.TREE, "docs", "develop", "gpu.md")
KIT_PAGE = os.path.join(pack.TREE, "docs", "use", "gpu-kit.md")


class Temporary(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def program(self, main, *arguments):
        """Calls a script's main function and returns its exit code and what it printed."""
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            try:
                code = main(list(arguments))
            except SystemExit as e:  # of argparse
                code = e.code
        return code, output.getvalue()

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, data, *names, mode=0o644):
        path = self.path(*names)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
        os.chmod(path, mode)
        return path


class ParcelsTest(Temporary):
    LIMIT = 40_000

    def packed(self):
        self.data = os.urandom(150_000)  # does not compress, so that several parcels are needed
        self.write(self.data, "kit", "lib", "large.jar")
        self.write(b"#!/bin/sh\n", "kit", "millrace", mode=0o755)
        self.write(b"", "kit", "empty")
        os.symlink("large.jar", self.path("kit", "lib", "link.jar"))
        return pack.pack(self.path("kit"), self.path("parcels"), self.LIMIT, {"commit": "abc"})

    def unpacked(self):
        return unpack.unpack(self.path("parcels"), self.path("to"))

    def test_parcels_have_at_most_the_limit_and_give_the_same_files(self):
        manifest = self.packed()
        sizes = [os.path.getsize(self.path("parcels", parcel["name"])) for parcel in manifest["parcels"]]
        self.assertEqual([self.LIMIT] * 3, sizes[:3])
        self.assertEqual(4, len(sizes))
        self.assertLess(sizes[3], self.LIMIT)
        self.assertEqual(sizes, [parcel["bytes"] for parcel in manifest["parcels"]])
        kit = self.unpacked()
        self.assertEqual(self.path("to", pack.FOLDER), kit)
        with open(os.path.join(kit, "lib", "large.jar"), "rb") as file:
            self.assertEqual(self.data, file.read())
        self.assertTrue(os.stat(os.path.join(kit, "millrace")).st_mode & stat.S_IXUSR)
        self.assertEqual(0, os.path.getsize(os.path.join(kit, "empty")))
        self.assertEqual("large.jar", os.readlink(os.path.join(kit, "lib", "link.jar")))

    def test_same_folder_gives_the_same_parcels(self):
        first = self.packed()["parcels"]
        os.utime(self.path("kit", "empty"), (1, 1))
        self.assertEqual(first, pack.pack(self.path("kit"), self.path("again"), self.LIMIT, {})["parcels"])

    def test_script_that_unpacks_lies_beside_the_parcels(self):
        self.packed()
        self.assertTrue(os.path.isfile(self.path("parcels", "unpack.py")))

    def refused(self, *sentences):
        with self.assertRaises(unpack.Unusable) as caught:
            self.unpacked()
        for sentence in sentences:
            self.assertIn(sentence, str(caught.exception))
        self.assertFalse(os.path.exists(self.path("to")), "nothing is unpacked")

    def test_missing_and_damaged_parcels_are_all_named(self):
        self.packed()
        os.remove(self.path("parcels", "gpu-kit.002"))
        with open(self.path("parcels", "gpu-kit.003"), "r+b") as file:
            file.seek(1234)
            byte = file.read(1)
            file.seek(1234)
            file.write(bytes([byte[0] ^ 1]))
        with open(self.path("parcels", "gpu-kit.004"), "ab") as file:
            file.write(b"x")
        self.refused("3 of 4 parcels", "gpu-kit.002 is missing", "gpu-kit.003: its SHA-256 differs", "gpu-kit.004: expected")

    def test_missing_manifest_is_named(self):
        self.packed()
        os.remove(self.path("parcels", "manifest.json"))
        self.refused("there is no", "manifest.json")

    def test_entry_outside_of_the_folder_is_refused(self):
        os.makedirs(self.path("parcels"))
        with tarfile.open(self.path("parcels", "gpu-kit.001"), "w:gz") as tar:
            tar.addfile(tarfile.TarInfo("../evil"), io.BytesIO())
        path = self.path("parcels", "gpu-kit.001")
        parcel = {"name": "gpu-kit.001", "bytes": os.path.getsize(path), "sha256": unpack.sha256(path)}
        self.write(json.dumps({"folder": pack.FOLDER, "parcels": [parcel]}).encode(), "parcels", "manifest.json")
        with self.assertRaisesRegex(unpack.Unusable, "evil"):
            self.unpacked()
        self.assertFalse(os.path.exists(self.path("evil")))
        self.assertEqual([], os.listdir(self.path("to")))

    def test_kit_that_is_there_already_is_left_as_it_is(self):
        self.packed()
        self.write(b"older", "to", pack.FOLDER, "lib", "older.jar")
        code, output = self.unpack_to(self.path("to"))
        self.assertEqual((1, f"unpack.py: {self.path('to', pack.FOLDER)} exists already: "), (code, output[: output.index("move")]))
        self.assertEqual(["older.jar"], os.listdir(self.path("to", pack.FOLDER, "lib")))
        self.assertEqual([pack.FOLDER], os.listdir(self.path("to")))

    def unpack_to(self, folder):
        return self.program(unpack.main, "--parcels", self.path("parcels"), "--to", folder)

    def test_full_disk_leaves_no_half_kit(self):
        self.packed()
        extract = tarfile.TarFile.extract

        def full(archive, member, target):
            if member.name.endswith("large.jar"):
                raise OSError(28, "No space left on device")
            extract(archive, member, target)

        with mock.patch.object(tarfile.TarFile, "extract", full):
            code, output = self.unpack_to(self.path("to"))
        self.assertEqual((1, f"unpack.py: --to {self.path('to')}: [Errno 28] No space left on device\n"), (code, output))
        self.assertEqual([], os.listdir(self.path("to")))

    def test_place_that_cannot_be_written_is_named(self):
        self.packed()
        self.write(b"", "file")
        code, output = self.unpack_to(self.path("file", "to"))
        self.assertEqual(1, code)
        self.assertRegex(output, r"^unpack\.py: .*Not a directory.*" + re.escape(self.path("file", "to")))

    def test_manifest_without_its_keys_is_refused(self):
        parcel = {"name": "gpu-kit.001", "bytes": 1, "sha256": ""}
        for manifest in ([], {}, {"folder": "a"}, {"parcels": []}, {"folder": "a", "parcels": 1}, {"folder": "a", "parcels": [{"name": "b"}]},
                         {"folder": 1, "parcels": [parcel]}):
            self.write(json.dumps(manifest).encode(), "parcels", "manifest.json")
            self.refused("manifest.json: expected 'folder' and 'parcels'")
        self.write(json.dumps({"folder": "../a", "parcels": [parcel]}).encode(), "parcels", "manifest.json")
        self.refused("expected the name of a folder, found '../a'")
        self.write(b"\xff{", "parcels", "manifest.json")
        self.refused("manifest.json is no JSON")

    def test_parcels_that_are_no_archive_are_refused(self):
        for data, sentence in ((b"text", "are no archive"), (self.archive("other"), "which is outside of its folder"), (self.archive(), "contain no folder")):
            path = self.write(data, "parcels", "gpu-kit.001")
            parcel = {"name": "gpu-kit.001", "bytes": len(data), "sha256": unpack.sha256(path)}
            self.write(json.dumps({"folder": pack.FOLDER, "parcels": [parcel]}).encode(), "parcels", "manifest.json")
            code, output = self.unpack_to(self.path("to"))
            self.assertEqual(1, code)
            self.assertIn(sentence, output)
            self.assertEqual([], os.listdir(self.path("to")))

    def archive(self, *names):
        data = io.BytesIO()
        with tarfile.open(fileobj=data, mode="w:gz") as tar:
            for name in names:
                tar.addfile(tarfile.TarInfo(name), io.BytesIO())
        return data.getvalue()

    def test_older_kit_is_replaced_and_other_files_stay(self):
        self.packed()
        self.write(b"notes", "parcels", "notes.txt")
        self.write(b"mine", "parcels", "gpu-kit.1")
        pack.pack(self.path("kit"), self.path("parcels"), 1 << 20, {})
        self.assertEqual(["gpu-kit.001", "gpu-kit.1", "manifest.json", "notes.txt", "unpack.py"], sorted(os.listdir(self.path("parcels"))))
        self.assertEqual(self.path("to", pack.FOLDER), self.unpacked())

    def test_folder_with_other_files_is_refused_before_the_work_and_stays(self):
        for name, data in (("thesis.txt", b"text"), ("gpu-kit.001", b"no manifest"), ("manifest.json", b"[]"), ("manifest.json", b'{"folder": "app"}')):
            folder = self.path("home", str(len(data)))
            self.write(data, "home", str(len(data)), name)
            code, output = self.program(pack.main, "--out", folder, "--distribution", self.path("no-archive"))
            self.assertEqual(1, code)
            self.assertTrue(output.startswith(f"pack.py: --out {folder}: expected a new or empty folder"), output)
            with self.assertRaises(pack.Failure):
                pack.pack(self.path("home"), folder, self.LIMIT, {})
            with open(os.path.join(folder, name), "rb") as file:
                self.assertEqual(data, file.read())
        code, output = self.program(pack.main, "--out", os.path.join(folder, name))
        self.assertEqual((1, True), (code, output.endswith("expected a folder, found a file\n")), output)

    def test_distribution_that_is_missing_or_damaged_is_named(self):
        self.write(os.urandom(100_000), "dist", "lib", "a.jar")
        whole = self.path("whole.tar.gz")
        with tarfile.open(whole, "w:gz") as tar:
            tar.add(self.path("dist"), "millrace-1")
        with open(whole, "rb") as file:
            data = file.read()
        self.write(data[:50_000], "cut.tar.gz")
        self.write(b"text", "text.tar.gz")
        for name in ("missing", "cut", "text"):
            archive = self.path(name + ".tar.gz")
            code, output = self.program(pack.main, "--out", self.path("new"), "--distribution", archive)
            self.assertEqual(1, code)
            self.assertTrue(output.startswith(f"pack.py: the distribution {archive} cannot be unpacked: "), output)

    def test_folder_for_parcels_that_cannot_be_written_is_named(self):
        self.write(b"", "file")
        with mock.patch.object(pack, "assemble", lambda options, kit: None):
            code, output = self.program(pack.main, "--out", self.path("file", "new"))
        self.assertEqual(1, code)
        self.assertRegex(output, r"^pack\.py: .*Not a directory.*" + re.escape(self.path("file", "new")))

    def test_limit_is_at_most_64_mib(self):
        self.assertEqual(64 << 20, pack.size("64MiB"))
        for text in ("65MiB", "0MiB", "64", "1GiB"):
            with self.assertRaises(Exception, msg=text):
                pack.size(text)


class TestsTest(Temporary):
    """The class path of the tests: what Maven's has, in its order, from the distribution where that has it."""

    def packed(self, distribution, core=False):
        self.write(b'@Tag("gpu")\nclass T {}', "gpu-sink", "src", "test", "java", *(jvms.TRANSFER[0] + ".java").split(".", 3))
        self.write(b'@Tag("gpu")\nclass A {}', "gpu-sink", "src", "test", "java", "io", "ATest.java")
        self.write(b"class B {}", "gpu-sink", "src", "test", "java", "io", "BTest.java")
        self.write(b"", "gpu-sink", "target", "classes", "Main.class")
        self.write(b"", "gpu-sink", "target", "test-classes", "io", "ATest.class")
        self.write(b"", "gpu-sink", "target", "junit-console.jar")
        names = ("assertj-3.jar", "millrace-operators-1.jar", "junit-jupiter-5.jar", "pytorch-native-cpu-2.jar", "jna-5.jar", "frocksdbjni-8.jar",
                 "flink-runtime-2.jar", "opencv-4.jar", "openblas-0.jar", "flink-core-2.jar", "flink-core-2-tests.jar")
        entries = [self.write(b"", "repository", name) for name in names]
        self.write(os.pathsep.join(entries).encode(), "gpu-sink", "target", "test-classpath.txt")
        jars = [self.write(b"", "kit", "millrace", "lib", name) for name in distribution]
        pack.tests(self.folder, self.path("kit", "tests"), jars, core)
        with open(self.path("kit", "tests", "classpath.txt"), encoding="utf-8") as file:
            return file.read().splitlines()

    def test_class_path_has_the_module_the_console_and_the_libraries_once(self):
        found = self.packed(["millrace-gpu-sink-1.jar", "millrace-operators-1.jar", "jna-5.jar"])
        expected = ["tests/classes", "tests/lib/junit-console.jar", "millrace/lib/millrace-gpu-sink-1.jar", "tests/lib/assertj-3.jar",
                    "millrace/lib/millrace-operators-1.jar", "millrace/lib/jna-5.jar", 
                    *(f"tests/lib/{name}.jar" for name in ("flink-runtime-2", "opencv-4", "openblas-0", "flink-core-2", "flink-core-2-tests"))]
        self.assertEqual(expected, found)
        for entry in found:
            self.assertTrue(os.path.exists(self.path("kit", entry)), entry)
        self.assertEqual(["assertj-3.jar", "flink-core-2-tests.jar", "flink-core-2.jar", "flink-runtime-2.jar", "junit-console.jar", "openblas-0.jar",
                          "opencv-4.jar"], sorted(os.listdir(self.path("kit", "tests", "lib"))))
        with open(self.path("kit", "tests", "classes.txt"), encoding="utf-8") as file:
            self.assertEqual(["io.ATest", jvms.TRANSFER[0]], file.read().split())

    def test_core_has_its_libraries_itself_and_neither_flinks_runtime_nor_opencv(self):
        found = self.packed(["millrace-gpu-sink-1.jar", "millrace-operators-1.jar", "jna-5.jar"], core=True)
        libraries = ["junit-console.jar", "millrace-gpu-sink-1.jar", "assertj-3.jar", "millrace-operators-1.jar", "jna-5.jar", "flink-core-2.jar"]
        # JUnit's console has JUnit; "assertj-3" is no assertj-core.
        self.assertEqual(["tests/classes"] + [f"tests/lib/{name}" for name in libraries if name != "assertj-3.jar"], found)
        for entry in found:
            self.assertTrue(os.path.exists(self.path("kit", entry)), entry)
        with open(self.path("kit", "tests", "classes.txt"), encoding="utf-8") as file:
            self.assertEqual([jvms.TRANSFER[0]], file.read().split())

    def test_core_has_of_jcuda_the_library_of_the_driver_alone(self):
        names = ("lib/libJCudaDriver-12.so", "lib/libJCublas2-12.so", "META-INF/MANIFEST.MF")
        with zipfile.ZipFile(self.path("natives.jar"), "w") as jar:
            for name in names:
                jar.writestr(name, name)
        pack.driver_alone(self.path("natives.jar"), self.path("out.jar"))
        with zipfile.ZipFile(self.path("out.jar")) as jar:
            self.assertEqual({name: name.encode() for name in (names[0], names[2])}, {name: jar.read(name) for name in jar.namelist()})
        with zipfile.ZipFile(self.path("natives.jar"), "w") as jar:
            jar.writestr(names[1], "")
        with self.assertRaisesRegex(pack.Failure, "natives.jar has no library JCudaDriver"):
            pack.driver_alone(self.path("natives.jar"), self.path("out.jar"))

    def test_client_is_packed_with_the_scripted_server_and_the_stand_in_of_its_tests(self):
        pack.client(pack.TREE, self.path("python"))
        self.assertEqual(["__init__.py", "cuda.py", "peer.py"], sorted(os.listdir(self.path("python", "tests"))))
        self.assertTrue(os.path.isfile(self.path("python", "millrace", "_cuda.py")))
        self.assertFalse([name for _, folders, _ in os.walk(self.path("python")) for name in folders if name == "__pycache__"])

    def test_distribution_without_the_module_is_refused(self):
        with self.assertRaisesRegex(pack.Failure, "expected one millrace-gpu-sink jar"):
            self.packed(["jna-5.jar"])


class SourcesTest(unittest.TestCase):
    def test_scripts_that_the_kit_needs_are_packed(self):
        own = {name for name in os.listdir(pack.OWN) if name.endswith(".py")}
        for script in pack.SCRIPTS:
            with open(os.path.join(pack.OWN, script), encoding="utf-8") as file:
                imported = {f"{name}.py" for name in re.findall(r"^(?:import|from) (\w+)", file.read(), re.MULTILINE)}
            self.assertEqual(set(), imported & own - set(pack.SCRIPTS), script)

    def test_core_is_one_parcel(self):
        error = io.StringIO()
        with contextlib.redirect_stderr(error), self.assertRaises(SystemExit):
            pack.main(["--core", "--limit", "40MiB"])
        self.assertIn("--limit: the core is one parcel; leave --limit out", error.getvalue())

    def test_each_class_with_the_tag_has_its_place_in_the_calls(self):
        names = pack.tagged(os.path.join(pack.TREE, "gpu-sink", "src", "test", "java"))
        placed = [*jvms.TRANSFER, *jvms.ENGINE, *jvms.TRAINING, *jvms.ALONE, *jvms.WITH_FLINK]
        self.assertEqual(sorted(placed), names, "jvms.py names each class once")

    def test_djl_is_the_release_of_the_build(self):
        with open(os.path.join(pack.TREE, "pom.xml"), encoding="utf-8") as file:
            self.assertIn(f"<djl.version>{pack.DJL_VERSION}</djl.version>", file.read())

    def test_page_of_the_kit_names_the_release_of_djl(self):
        with open(KIT_PAGE, encoding="utf-8") as file:
            words = " ".join(file.read().split())
        self.assertIn(f"(release {pack.DJL_VERSION}, ", words)

    def test_program_refuses_the_batch_of_the_rehearsal_with_the_message_that_the_step_expects(self):
        command = os.path.join(pack.TREE, "jobs", "src", "main", "java", "io", "millrace", "cli", "BenchDeviceCommand.java")
        with open(command, encoding="utf-8") as file:
            source = file.read()
        self.assertIn('option + ": expected at most "', source)
        self.assertIn('bytes("--batch", batch)', source)

    def test_all_classes_with_the_tag_are_found(self):
        names = pack.tagged(os.path.join(pack.TREE, "gpu-sink", "src", "test", "java"))
        self.assertIn("io.millrace.device.GpuDeviceTest", names)
        self.assertIn("io.millrace.sink.trainer.GpuTrainingITCase", names)
        self.assertNotIn("io.millrace.device.CudaDeviceTest", names)

    def test_page_shows_the_options_with_which_the_kit_compiles(self):
        with open(os.path.join(pack.OWN, "bridge.sh"), encoding="utf-8") as file:
            script = file.read()
        with open(BRIDGE_PAGE, encoding="utf-8") as file:
            page = file.read()
        self.assertTrue("--branch v" + pack.DJL_VERSION in page)
        for options in (
            re.search(r"g\+\+ (-std=\S+ -O1 -fPIC -w)", script)[1],
            *re.findall(r"(-D_GLIBCXX_USE_CXX11_ABI=1|-DUSE_CUDA)", script),
            *re.findall(r" (-l\w+)", script),
            "-Wl,-z,defs",
        ):
            self.assertTrue(options in page, options)


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


class BridgeTest(Temporary):
    """The script that compiles the bridge, with a compiler that only writes down its arguments."""

    COMPILER = b"""#!/bin/bash
echo "$@" >>"$LOG"
while [ $# -gt 1 ]; do
    [ "$1" != -o ] || out=$2
    [ "$1" != -c ] || [ "$FAILS" != "$(basename "$2")" ] || exit 1
    shift
done
echo library >"$out"
"""

    def setUp(self):
        super().setUp()
        self.write(self.COMPILER, "bin", "g++", mode=0o755)
        self.write(b"", "site", "torch", "lib", "libtorch.so")
        for name in ("a.cc", "b.cc"):
            self.write(b"", "src", "native", name)

    def compile(self, fails="", **more):
        environment = {**os.environ, "PATH": self.path("bin") + os.pathsep + os.environ["PATH"], "LOG": self.path("log"),
                       "FAILS": fails, "CUDA_HOME": self.path("cuda"), "JOBS": "1", **more}
        script = os.path.join(pack.OWN, "bridge.sh")
        return subprocess.run(["bash", script, self.path("src"), self.path("java") + ":" + self.path("header"), self.path("site", "torch"), self.path("out.so")],
                              env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def calls(self):
        with open(self.path("log"), encoding="utf-8") as file:
            return file.read().replace(self.folder, "").splitlines()

    def test_second_call_compiles_only_what_the_first_did_not(self):
        first = self.compile(fails="b.cc")
        self.assertEqual(1, first.returncode)
        self.assertIn("the sources do not compile", first.stdout)
        self.assertFalse(os.path.exists(self.path("out.so")))
        self.assertEqual(0, self.compile().returncode)
        self.assertEqual(["a.cc", "b.cc", "b.cc"], [re.search(r"-c /src/native/(\S+)", line)[1] for line in self.calls()[:3]])
        self.assertTrue(os.path.exists(self.path("out.so")))
        self.assertFalse(os.path.exists(self.path("out.so.objects")))

    def test_libtorch_without_cuda_is_compiled_without_it(self):
        self.compile()
        self.assertFalse([line for line in self.calls() if "CUDA" in line or "cuda" in line])

    def test_libtorch_for_cuda_is_compiled_with_it_and_linked_with_its_runtime(self):
        self.write(b"", "site", "torch", "lib", "libtorch_cuda.so")
        self.write(b"", "site", "nvidia", "cu13", "lib", "libcudart.so.13")
        self.write(b"", "site", "nvidia", "cu13", "include", "cccl", "nv", "target")
        self.assertEqual(0, self.compile().returncode)
        calls = self.calls()
        self.assertTrue(all("-DUSE_CUDA" in line for line in calls[:2]))
        self.assertTrue(all("nvidia/cu13/include -I" in line and "nvidia/cu13/include/cccl" in line for line in calls[:2]))
        self.assertRegex(calls[2], r"-lc10_cuda -ltorch_cuda \S+/nvidia/cu13/lib/libcudart\.so\.13 -Wl,-z,defs")

    def test_headers_and_runtime_are_those_of_nvcc(self):
        self.write(b"", "site", "torch", "lib", "libtorch_cuda.so")
        self.write(b"#!/bin/sh\n", "toolkit", "bin", "nvcc", mode=0o755)
        self.write(b"", "toolkit", "include", "cuda_runtime_api.h")
        self.write(b"", "toolkit", "lib64", "libcudart.so")
        os.symlink(self.path("toolkit", "bin", "nvcc"), self.path("bin", "nvcc"))
        self.assertEqual(0, self.compile(CUDA_HOME="").returncode)
        calls = self.calls()
        self.assertTrue(all("-I/toolkit/include" in line for line in calls[:2]))
        self.assertIn(" /toolkit/lib64/libcudart.so ", calls[2])

    def test_missing_runtime_is_named(self):
        self.write(b"", "site", "torch", "lib", "libtorch_cuda.so")
        done = self.compile()
        self.assertEqual(1, done.returncode)
        self.assertIn("libcudart.so was found neither beside", done.stdout)


class Resnet50Test(Temporary):
    """The options of the script, with a PyTorch that has two GPUs and cannot compute."""

    class Device:
        def __init__(self, name, index=None):
            self.type, _, number = name.partition(":")
            self.index = int(number) if number else index
            if self.type not in ("cuda", "cpu", "meta"):
                raise RuntimeError("Expected one of cpu, cuda, meta\nat the start of the device string: " + name)

    def setUp(self):
        super().setUp()
        self.current = []

        def set_device(device):
            if not 0 <= device.index < 2:
                raise RuntimeError("CUDA error: invalid device ordinal\nmore")
            self.current.append(device.index)

        self.torch = types.ModuleType("torch")
        self.torch.device = self.Device
        self.torch.cuda = types.SimpleNamespace(is_available=lambda: True, set_device=set_device)
        models = types.ModuleType("torchvision.models")
        models.resnet50 = None
        modules = {"torch": self.torch, "torchvision": types.ModuleType("torchvision"), "torchvision.models": models}
        patch = mock.patch.dict(sys.modules, modules)
        patch.start()
        self.addCleanup(patch.stop)

    def test_chosen_gpu_is_the_one_whose_events_are_timed(self):
        self.assertEqual(1, resnet50.chosen(self.torch, "cuda:1").index)
        self.assertEqual(0, resnet50.chosen(self.torch, "cuda").index)
        self.assertEqual([1, 0], self.current)
        self.assertEqual("cpu", resnet50.chosen(self.torch, "cpu").type)
        self.assertEqual([1, 0], self.current)

    def test_device_that_is_none_of_this_machine_is_refused(self):
        for name, sentence in (("cuda:7", "CUDA error: invalid device ordinal"), ("gpu", "Expected one of cpu, cuda, meta"), ("meta", "expected cuda, cuda:N or cpu")):
            self.assertEqual((1, f"resnet50.py: --device {name}: {sentence}\n"), self.program(resnet50.main, "--device", name))
        self.torch.cuda.is_available = lambda: False
        self.assertEqual((1, "resnet50.py: --device cuda:0: PyTorch finds no GPU\n"), self.program(resnet50.main))

    def test_numbers_that_leave_nothing_to_time_are_usage_errors(self):
        for option, least in (("--steps", 1), ("--batch", 1), ("--edge", 1), ("--warm-up", 0)):
            for text in (str(least - 1), "x"):
                code, output = self.program(resnet50.main, option, text)
                self.assertEqual(2, code)
                self.assertIn(f"argument {option}: expected a whole number of at least {least}, found '{text}'", output)


class Steps:
    """Steps for tests of the runner, and the order in which they ran."""

    def __init__(self):
        self.ran = []

    def step(self, name, action=None, limit=60, needed=0):
        def function(context):
            self.ran.append(name)
            context.figures["name"] = name
            if action:
                action(context)

        return (name, function, limit, needed)


class RunnerTest(Temporary):
    def setUp(self):
        super().setUp()
        self.steps = Steps()

    def call(self, steps, *arguments):
        self.output = io.StringIO()
        with contextlib.redirect_stdout(self.output), contextlib.redirect_stderr(self.output):
            return run.main(["--out", self.path("results"), *arguments], steps)

    def state(self):
        with open(self.path("results", "figures.json"), encoding="utf-8") as file:
            return json.load(file)

    def test_failing_steps_are_recorded_and_do_not_stop_later_ones(self):
        def fails(context):
            context.run(["bash", "-c", "echo before; echo problem >&2; exit 7"])

        def raises(context):
            raise KeyError("gone")

        steps = [self.steps.step("a", fails), self.steps.step("b", raises), self.steps.step("c")]
        self.assertEqual(1, self.call(steps))
        rows = self.state()["steps"]
        self.assertEqual(["a", "b", "c"], self.steps.ran)
        self.assertEqual(7, rows["a"]["exit"])
        self.assertEqual("bash ended with exit code 7", rows["a"]["reason"])
        self.assertIn("before\nproblem\n", rows["a"]["tail"])
        self.assertEqual({"name": "a"}, rows["a"]["figures"])
        self.assertEqual((1, "the kit failed: KeyError: 'gone'"), (rows["b"]["exit"], rows["b"]["reason"]))
        self.assertEqual((0, None), (rows["c"]["exit"], rows["c"]["reason"]))
        self.assertGreaterEqual(rows["c"]["seconds"], 0)
        with tarfile.open(self.path("results", "logs.tar.gz")) as tar:
            self.assertEqual(["a.log", "b.log", "c.log"], tar.getnames())

    def test_program_that_does_not_exist_is_a_failed_step(self):
        self.call([self.steps.step("a", lambda context: context.run(["no-such-program"]))])
        self.assertEqual(127, self.state()["steps"]["a"]["exit"])
        self.assertIn("no-such-program cannot be started", self.state()["steps"]["a"]["reason"])

    def test_step_is_ended_at_its_limit_with_all_that_it_started(self):
        pid = self.path("pid")
        script = f"sleep 600 & echo $! >{pid}; wait"
        steps = [self.steps.step("a", lambda context: context.run(["bash", "-c", script]), limit=1), self.steps.step("b")]
        self.call(steps)
        row = self.state()["steps"]["a"]
        self.assertEqual(run.ENDED_BY_LIMIT, row["exit"])
        self.assertIn("limit of time", row["reason"])
        self.assertEqual(["a", "b"], self.steps.ran)
        with open(self.path("results", "work", "logs", "a.log"), encoding="utf-8") as log:
            self.assertIn("$ bash", log.read())
        self.assert_ended(pid)

    def assert_ended(self, pid):
        """Requires that the process whose id is in this file ends: a signal takes effect when the process is scheduled."""
        with open(pid, encoding="utf-8") as file:
            number = file.read().strip()
        end = time.monotonic() + 10
        while alive(number) and time.monotonic() < end:
            time.sleep(0.02)
        still = alive(number)
        if still:
            os.kill(int(number), 9)
        self.assertFalse(still, "what the program started was ended too")

    def signalled(self, program, hangup):
        """Runs a step with this program in a process of its own, whatever signals the process of the tests ignores."""
        script = (f"import signal, sys; sys.path.insert(0, {pack.OWN!r}); sys.dont_write_bytecode = True; import run; "
                  f"signal.signal(signal.SIGHUP, signal.{hangup}); signal.signal(signal.SIGTERM, signal.SIG_DFL); "
                  "signal.signal(signal.SIGINT, signal.default_int_handler); "
                  f"sys.exit(run.main(['--out', {self.path('results')!r}], [('a', lambda c: c.run(['bash', '-c', {program!r}]), 60, 0)]))")
        return subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)

    def interrupted(self, name):
        pid = self.path("pid")
        done = self.signalled(f"echo output; sleep 120 & echo $! >{pid}; kill -{name} $PPID; wait", "SIG_DFL")
        self.assert_ended(pid)
        self.assertNotIn("Traceback", done.stdout)
        self.assertEqual("the step was interrupted", self.state()["steps"]["a"]["reason"])
        with open(self.path("results", "work", "logs", "a.log"), encoding="utf-8") as log:
            self.assertIn("\noutput\n", log.read())
        self.assertEqual(["a.log"], os.listdir(self.path("results", "work", "logs")))
        return done

    def test_interrupted_runner_ends_the_program_that_it_started(self):
        done = self.interrupted("INT")
        self.assertEqual(run.INTERRUPTED, done.returncode)
        self.assertIn("run.py: interrupted", done.stdout)

    def test_terminated_runner_ends_the_program_that_it_started(self):
        self.assertEqual(128 + 15, self.interrupted("TERM").returncode)

    def test_runner_whose_terminal_is_closed_ends_the_program_that_it_started(self):
        self.assertEqual(128 + 1, self.interrupted("HUP").returncode)

    def test_interruption_waits_while_the_program_is_asked_for(self):
        class Program:
            pid = 1 << 30  # no process
            asked = answered = 0
            returncode = None

            def poll(self):
                self.asked += 1
                if self.asked == 1:
                    os.kill(os.getpid(), signal.SIGINT)
                else:
                    self.returncode = 0
                self.answered += 1
                return self.returncode

        program = Program()
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            with self.assertRaises(KeyboardInterrupt):
                programs.wait(program, 60, signal.pthread_sigmask(signal.SIG_BLOCK, ()))
        finally:
            signal.signal(signal.SIGINT, before)
        self.assertEqual(program.asked, program.answered)
        self.assertEqual(0, program.returncode, "the program was waited for")

    def test_runner_that_nohup_started_goes_on_when_its_terminal_is_closed(self):
        self.assertEqual(0, self.signalled("kill -HUP $PPID; echo after", "SIG_IGN").returncode)
        self.assertIn("after", self.state()["steps"]["a"]["tail"])

    def test_file_of_results_that_is_damaged_is_named_and_kept(self):
        for data, sentence in ((b'{"steps": {', "cannot be read: "), (b"\xff", "cannot be read: "), (b"[]", "expected an object with 'steps'"),
                               (b'{"steps": {"a": 1}}', "expected an object with 'steps'")):
            path = self.write(data, "results", "figures.json")
            for arguments in ((), ("--list",)):
                self.assertEqual(2, self.call([self.steps.step("a")], *arguments))
                self.assertTrue(self.output.getvalue().startswith(f"run.py: {path} "), self.output.getvalue())
                self.assertIn(sentence, self.output.getvalue())
            with open(path, "rb") as file:
                self.assertEqual(data, file.read())
        self.assertEqual([], self.steps.ran)

    def test_results_are_on_the_disk_before_their_file_is_replaced(self):
        done = []
        fsync, replace = os.fsync, os.replace

        def recorded_fsync(number):
            done.append("fsync " + os.path.basename(os.readlink(f"/proc/self/fd/{number}")))
            fsync(number)

        def recorded_replace(old, new):
            done.append("replace " + os.path.basename(new))
            replace(old, new)

        with mock.patch.object(os, "fsync", recorded_fsync), mock.patch.object(os, "replace", recorded_replace):
            run.save(self.path("figures.json"), {"steps": {}})
        self.assertEqual(["fsync figures.json.new", "replace figures.json", "fsync " + os.path.basename(self.folder)], done)

    def test_rehearsal_without_a_compiler_is_refused(self):
        with mock.patch.dict(os.environ, PATH=self.path("bin")):
            self.assertEqual(2, self.call([self.steps.step("a")], "--rehearse"))
            self.assertIn("run.py: a rehearsal compiles stubs of NVIDIA's libraries, and gcc cannot be started", self.output.getvalue())
            self.write(b"#!/bin/sh\necho no header; exit 3\n", "bin", "gcc", mode=0o755)
            self.assertEqual(2, self.call([self.steps.step("a")], "--rehearse"))
            self.assertIn("ended with exit code 3:\nno header", self.output.getvalue())
        self.assertEqual([], self.steps.ran)

    def test_folder_for_results_that_cannot_be_written_is_named(self):
        self.write(b"", "file")
        code, output = self.program(lambda arguments: run.main(arguments, [self.steps.step("a")]), "--out", self.path("file", "results"))
        self.assertEqual(2, code)
        self.assertRegex(output, r"^run\.py: .*" + re.escape(self.path("file", "results")) + ".*Not a directory")

    def test_options_that_contradict_each_other_are_usage_errors(self):
        def main(arguments):
            return run.main(["--out", self.path("results"), *arguments], [self.steps.step("a"), self.steps.step("b")])

        code, output = self.program(main, "--only", "a", "--from", "b")
        self.assertEqual((2, True), (code, "--from: not allowed with argument --only" in output), output)
        for text in ("x", "0", "-1", "nan", "inf"):
            code, output = self.program(main, f"--budget={text}")
            self.assertEqual((2, True), (code, f"expected a positive number of seconds, found '{text}'" in output), output)
        self.assertEqual([], self.steps.ran)

    def test_list_writes_nothing(self):
        self.assertEqual(0, self.call([self.steps.step("a")], "--list"))
        self.assertRegex(self.output.getvalue(), "^a +no result\n$")
        self.assertFalse(os.path.exists(self.path("results")))

    def test_second_call_runs_only_steps_without_a_result(self):
        steps = [self.steps.step("a"), self.steps.step("b"), self.steps.step("c")]
        self.call(steps, "--only", "b")
        self.call(steps)
        self.assertEqual(["b", "a", "c"], self.steps.ran)
        self.call(steps)
        self.assertEqual(3, len(self.steps.ran))
        self.call(steps, "--from", "b")
        self.assertEqual(["b", "c"], self.steps.ran[3:])
        self.call(steps, "--again")
        self.assertEqual(["a", "b", "c"], self.steps.ran[5:])

    def test_no_step_starts_when_the_budget_is_too_small_for_it(self):
        steps = [self.steps.step("a"), self.steps.step("b", needed=100), self.steps.step("c")]
        self.assertEqual(0, self.call(steps, "--budget", "50"))
        self.assertEqual(["a"], self.steps.ran)
        self.assertIn("call again for: b, c", self.output.getvalue())
        self.call(steps, "--budget", "200")
        self.assertEqual(["a", "b", "c"], self.steps.ran)

    def test_step_that_took_the_machine_down_is_not_repeated(self):
        def dies(context):
            context.figures["half"] = 1
            context.save()
            raise SystemExit(99)  # stands for the end of the machine: nothing after the step runs

        steps = [self.steps.step("a", dies), self.steps.step("b")]
        with self.assertRaises(SystemExit):
            self.call(steps)
        self.assertEqual("the step was interrupted", self.state()["steps"]["a"]["reason"])
        self.assertEqual({"name": "a", "half": 1}, self.state()["steps"]["a"]["figures"])
        self.call(steps)
        self.assertEqual(["a", "b"], self.steps.ran)

    def test_unknown_step_is_a_usage_error(self):
        self.assertEqual(2, self.call([self.steps.step("a")], "--only", "x"))
        self.assertIn("there is no step 'x': expected one of a", self.output.getvalue())

    def test_order_of_the_steps_is_that_of_the_page(self):
        names = [step[0] for step in run.STEPS]
        with open(KIT_PAGE, encoding="utf-8") as file:
            page = file.read()
        self.assertEqual(names, re.findall(r"^\| `([a-z0-9-]+)` \| at most [0-9]+ min ", page, re.MULTILINE))
        self.assertTrue(all(needed <= limit <= 570 for _, _, limit, needed in run.STEPS), "a call has ten minutes")

    def test_shares_of_the_first_call_are_those_of_the_page_and_take_less_than_five_minutes(self):
        with open(KIT_PAGE, encoding="utf-8") as file:
            rows = re.findall(r"^\| `([a-z-]+)` \| ([0-9]+) s ", file.read(), re.MULTILINE)
        self.assertEqual([(name, str(share)) for name, _, share, _ in run.FIRST], rows)
        self.assertEqual(run.FIRST_BUDGET, sum(share for _, _, share, _ in run.FIRST))
        self.assertLess(run.FIRST_BUDGET, 300)

    def test_variables_of_the_bridge_reach_later_steps(self):
        def compiled(context):
            context.figures["environment"] = {"PYTORCH_VERSION": "2.11.0"}

        def asks(context):
            context.figures["version"] = context.run(["bash", "-c", "echo $PYTORCH_VERSION $JAVA_HOME"]).strip()

        self.call([self.steps.step("bridge", compiled), self.steps.step("b", asks)])
        self.assertEqual("2.11.0 " + os.path.join(run.KIT, "jre"), self.state()["steps"]["b"]["figures"]["version"])

        def fails(context):
            compiled(context)
            raise run.Failure("the bridge lacks a symbol")

        self.call([self.steps.step("bridge", fails), self.steps.step("b", asks)], "--again")
        self.assertEqual(os.path.join(run.KIT, "jre"), self.state()["steps"]["b"]["figures"]["version"])

    def test_result_of_a_command_is_its_last_line(self):
        launcher = self.write(b'#!/bin/sh\necho progress >&2\necho a line\necho "{\\"arguments\\": \\"$*\\"}"\n', "launcher", mode=0o755)

        def asks(context):
            context.launcher = launcher
            context.figures.update(context.millrace_json("devices"))

        self.call([self.steps.step("a", asks)])
        self.assertEqual("devices --json", self.state()["steps"]["a"]["figures"]["arguments"])
        self.assertIn("progress", self.state()["steps"]["a"]["tail"])

    def kit(self, folder):
        """Makes a folder the kit whose files the steps use."""
        patch = mock.patch.object(run, "KIT", folder)
        patch.start()
        self.addCleanup(patch.stop)

    def bridged(self, **changes):
        """Runs the step of the bridge with a Python that prints facts, and a script that writes its last argument."""
        facts = {"torch": "2.11.0+cu130", "cuda": None, "folder": self.path("torch"), "abi": True, **changes}
        python = self.write(b"#!/bin/sh\necho '" + json.dumps(facts).encode() + b"'\n", "python", mode=0o755)
        self.write(b'touch "$4"\necho "$4" >>"$(dirname "$0")/compiled"\n', "kit", "bridge.sh")
        self.kit(self.path("kit"))
        self.call([("bridge", run.bridge, 60, 0)], "--python", python, "--again")
        return self.state()["steps"]["bridge"]

    def test_torchvision_that_does_not_work_does_not_hide_pytorch(self):
        self.write(b"from types import SimpleNamespace as S\n__version__, version = '2.11.0+cpu', S(cuda=None)\n"
                   b"compiled_with_cxx11_abi, cuda = (lambda: True), S(is_available=lambda: False)\n", "site", "torch", "__init__.py")
        self.write(b"raise RuntimeError('operator torchvision::nms does not exist')\n", "site", "torchvision", "__init__.py")
        done = subprocess.run([sys.executable, "-c", run.PYTHON_FACTS], env={**os.environ, "PYTHONPATH": self.path("site")}, stdout=subprocess.PIPE)
        facts = json.loads(done.stdout)
        self.assertEqual(("2.11.0+cpu", "operator torchvision::nms does not exist"), (facts["torch"], facts["torchvision_missing"]))
        self.assertNotIn("missing", facts)

    def test_bridge_has_the_name_of_the_release_that_was_packed(self):
        os.makedirs(self.path("kit", "bridge"))
        pack.write_version(self.path("kit", "bridge"))
        row = self.bridged()
        self.assertEqual((0, None), (row["exit"], row["reason"]))
        with open(self.path("kit", "compiled"), encoding="utf-8") as file:
            name = f"2.11.0-cpu-linux-x86_64/{pack.DJL_VERSION}-libdjl_torch.so"
            self.assertEqual(self.path("results", "work", "djl", "pytorch", *name.split("/")), file.read().strip())

    def test_bridge_without_its_release_is_not_compiled(self):
        self.assertIn(f"{self.path('kit', 'bridge', 'djl-version.txt')}, which pack.py writes, cannot be read", self.bridged()["reason"])
        self.assertFalse(os.path.exists(self.path("kit", "compiled")))

    def test_bridge_is_not_compiled_for_a_pytorch_with_the_old_names_of_c_plus_plus(self):
        os.makedirs(self.path("kit", "bridge"))
        pack.write_version(self.path("kit", "bridge"))
        row = self.bridged(abi=False)
        self.assertEqual(1, row["exit"])
        self.assertIn("was compiled with _GLIBCXX_USE_CXX11_ABI=0: expected 1", row["reason"])
        self.assertFalse(os.path.exists(self.path("kit", "compiled")))

    JAVA = b"""#!/bin/bash
name=${!#}
echo "$name" >>"$(dirname "$0")/ran"
[ "$name" != Slow ] || [ -f "$(dirname "$0")/fast" ] || exec sleep 120
failed=0
[ "$name" != Bad ] || [ -f "$(dirname "$0")/good" ] || failed=1
echo "[ 1 tests found ]"
echo "[ 0 tests skipped ]"
echo "[ $((1 - failed)) tests successful ]"
echo "[ $failed tests failed ]"
exit $failed
"""

    def test_tests_that_the_time_of_a_call_did_not_suffice_for_are_continued(self):
        self.write(self.JAVA, "kit", "jre", "bin", "java", mode=0o755)
        self.write(b"Bad\nGood\nSlow\nLast\n", "kit", "tests", "classes.txt")
        self.write(b"tests/classes\n", "kit", "tests", "classpath.txt")
        self.kit(self.path("kit"))
        steps = [("gpu-tests", run.gpu_tests, 3, 0), self.steps.step("b")]

        def called(*arguments):
            code = self.call(steps, "--jvms", "1", *arguments)
            path = self.path("kit", "jre", "bin", "ran")
            if not os.path.exists(path):
                return code, []
            with open(path, encoding="utf-8") as file:
                ran = file.read().split()
            os.remove(path)
            return code, ran

        with mock.patch.object(jvms, "LEAST_CLASS_SECONDS", 0):
            self.assertEqual((1, ["Bad", "Good", "Slow"]), called())
            row = self.state()["steps"]["gpu-tests"]
            self.assertEqual((run.ENDED_BY_LIMIT, ["Bad", "Good"]), (row["exit"], list(row["figures"]["classes"])))
            self.assertIn("no time was left for Slow, Last: ", row["reason"])
            self.assertIn("call again for: gpu-tests", self.output.getvalue())
            self.assertIn("1 of 2 steps have a result", self.output.getvalue())
            # Slow has all of this call, and does not keep Last from running in the next one.
            self.assertEqual((1, ["Slow"]), called())
            self.assertIn("no time was left for Last: ", self.state()["steps"]["gpu-tests"]["reason"])
            self.assertEqual((1, ["Last"]), called())
            row = self.state()["steps"]["gpu-tests"]
            self.assertEqual((1, "these classes failed: Bad, Slow"), (row["exit"], row["reason"]))
            self.assertEqual((3, 2, 1), tuple(row["figures"][name] for name in ("found", "successful", "failed")))
            self.assertNotIn("call again", self.output.getvalue())
            self.assertEqual((0, []), called())
            self.assertEqual(["b"], self.steps.ran)
            # A call for this step runs those again that failed.
            self.write(b"", "kit", "jre", "bin", "fast")
            self.write(b"", "kit", "jre", "bin", "good")
            self.assertEqual((0, ["Bad", "Slow"]), called("--only", "gpu-tests"))
        self.assertEqual(4, self.state()["steps"]["gpu-tests"]["figures"]["successful"])

    def starved(self, step_ms, starvation, rehearsal=False):
        launcher = self.write(b"#!/bin/bash\necho \"$@\" >>\"$(dirname \"$0\")/asked\"\n"
                              + b"echo '" + json.dumps({"starvation": starvation, "steady_images_per_s": 1280.0}).encode() + b"'\n", "launcher", mode=0o755)

        def fast(context):
            context.figures["step_ms"] = step_ms

        def step(context):
            context.launcher = launcher
            context.rehearsal = rehearsal
            run.starvation(context)

        self.call([("resnet50-bfloat16", fast, 60, 0), ("starvation", step, 60, 0)], "--again")
        return self.state()["steps"]["starvation"]

    def test_starvation_is_planted_by_a_delay_that_is_computed_from_the_step(self):
        row = self.starved(100.0, 0.52)
        self.assertEqual((0, None), (row["exit"], row["reason"]))
        # 256 samples of 6.25 ms in 8 slots take 200 ms, in which the step takes 100 ms.
        self.assertEqual((6.25, 0.5), (row["figures"]["delay_ms"], row["figures"]["expected_starvation"]))
        with open(self.path("asked"), encoding="utf-8") as file:
            asked = file.read()
        self.assertIn("transforms=[{RandomHorizontalFlip: {p: 0.5}}, {Delay: {ms: 6.25, mode: sleep}}]", asked)
        self.assertNotIn("parallelism=", asked)

    def test_starvation_that_is_not_the_planted_one_is_a_failure(self):
        self.assertEqual("the planted starvation is 0.5: expected at most 0.1 beside it, found 0.02", self.starved(100.0, 0.02)["reason"])
        self.assertEqual("the planted starvation is 0.5: expected at most 0.1 beside it, found None", self.starved(100.0, None)["reason"])
        row = self.starved(100.0, 0.02, rehearsal=True)
        self.assertEqual((0, 0.02, 0.5), (row["exit"], row["figures"]["starvation"], row["figures"]["expected_starvation"]))
        row = self.starved(None, 0.5)
        self.assertIn("computed from the step of 'resnet50-bfloat16', which has no result", row["reason"])

    def test_slots_and_batch_of_the_planted_starvation_are_those_of_the_pipeline_file(self):
        with open(os.path.join(pack.TREE, run.PIPELINE), encoding="utf-8") as file:
            page = file.read()
        self.assertRegex(page, rf"(?m)^parallelism: {run.SLOTS} ")
        self.assertIn(f"batch: {{ size: {run.BATCH} }}", page)
        self.assertIn("transforms:\n  - RandomHorizontalFlip: { p: 0.5 }\nbatch", page)

    def oversized(self, script, rehearsal=False):
        launcher = self.write(b"#!/bin/bash\n" + script, "launcher", mode=0o755)

        def step(context):
            context.launcher = launcher
            context.rehearsal = rehearsal
            run.oversized_batch(context)

        self.call([("oversized-batch", step, 60, 0)], "--again")
        return self.state()["steps"]["oversized-batch"]

    DEVICES = b"""[ "$1" != devices ] || { echo '{"gpus": [1]}'; exit 0; }\n"""

    def test_oversized_batch_that_fails_with_a_message_is_a_success(self):
        row = self.oversized(self.DEVICES + b"echo 'millrace: 4 batches do not fit into the memory of cuda:0' >&2; exit 1\n")
        self.assertEqual((0, None), (row["exit"], row["reason"]))
        self.assertEqual("millrace: 4 batches do not fit into the memory of cuda:0", row["figures"]["ring"]["message"])
        self.assertTrue(row["figures"]["gpu_usable_afterwards"])

    def test_rehearsal_of_the_oversized_batch_expects_the_message_about_the_option(self):
        refused = b"""[ "$1 $5" = "bench-device 64GiB" ] || exit 3; echo 'millrace: --batch: expected at most 1073741824 bytes, found 64GiB' >&2; exit 2\n"""
        row = self.oversized(self.DEVICES + refused, rehearsal=True)
        self.assertEqual((0, None), (row["exit"], row["reason"]))
        self.assertEqual("millrace: --batch: expected at most 1073741824 bytes, found 64GiB", row["figures"]["size"]["message"])
        row = self.oversized(self.DEVICES + b"echo 'millrace: cuda:0 was not found' >&2; exit 1\n", rehearsal=True)
        self.assertIn("size: the program failed without a message about '--batch: expected at most'", row["reason"])

    def test_oversized_batch_that_trains_crashes_or_takes_the_gpu_down_is_a_failure(self):
        row = self.oversized(self.DEVICES + b"exit 0\n")
        self.assertEqual(1, row["exit"])
        self.assertIn("ring: bash ended with exit code 0; expected exit code 1 with a message", row["reason"])
        row = self.oversized(self.DEVICES + b"kill -SEGV $$\n")
        self.assertIn("step: bash ended with exit code -11", row["reason"])
        row = self.oversized(self.DEVICES + b"echo 'millrace: NullPointerException' >&2; exit 1\n")
        self.assertIn("failed without a message about 'memory'", row["reason"])
        row = self.oversized(b"""[ "$1" != devices ] || { echo '{"gpus": []}'; exit 0; }; echo 'millrace: memory'; exit 1""")
        self.assertIn("the GPU is not usable any more", row["reason"])

    def test_rehearsal_and_measurement_are_not_mixed(self):
        steps = [self.steps.step("a")]
        self.call(steps)
        self.assertEqual(2, self.call(steps, "--rehearse"))
        self.assertIn("rehearsal=False", self.output.getvalue())


def ended(**figures):
    return {"exit": 0, "figures": figures}


FIGURES = {
    "rehearsal": False,
    "steps": {
        "bridge": ended(compile_s=31.4, python={"torch": "2.11.0+cu130"}),
        "gpu-tests": {"exit": 1, "figures": {"found": 90, "successful": 88, "skipped": 1, "failed": 1}},
        "bench-device": ended(
            rows=[
                {"memory": "pinned", "mode": "asynchronous", "share_of_peak": 0.981, "gb_per_s": 54.2},
                {"memory": "pinned", "mode": "blocking", "share_of_peak": 0.999, "gb_per_s": 54.9},
                {"memory": "pageable", "mode": "blocking", "share_of_peak": 0.2, "gb_per_s": 11.0},
            ]
        ),
        "bench-overlap": ended(
            rows=[
                {"memory": "pinned", "mode": "asynchronous", "in_flight": 4, "overlap": 0.997},
                {"memory": "pinned", "mode": "asynchronous", "in_flight": 1, "overlap": 0.0},
            ]
        ),
        "resnet50-bfloat16": ended(starvation=0.004, step_ms=100.0, device_use={"copy_overlap": 0.98}),
        "pytorch-bfloat16": ended(step_ms=98.0),
        "resnet50-float32": {"exit": 1, "figures": {"step_ms": 600.0}},
        "pytorch-float32": ended(step_ms=590.0),
        "starvation": ended(difference={"fast_data": -0.002, "slow_data": 0.007}, starvation=0.513, expected_starvation=0.5),
        "client": {"exit": 1, "figures": {"found": 11, "passed": 10, "checks": {"overlap": {"step_ms": [10.0, 10.1], "beside_ms": 10.05, "behind_ms": 12.8}}}},
        "ladder": ended(ladder=[{"cache": "host", "images_per_s": 2500.0}, {"cache": "device", "images_per_s": 2550.0}]),
        "oversized-batch": ended(gpu_usable_afterwards=True),
    },
}


class TableTest(Temporary):
    def measured(self, state):
        return {line.split(" | ")[0].lstrip("| "): line.split(" | ")[2] for line in table.table(state).splitlines()[2:]}

    def test_figures_fill_the_table(self):
        self.assertEqual(
            [
                "10 of 11 succeeded",
                "10.10, 10.05 and 12.80 ms",
                "compiled in 31 s for PyTorch 2.11.0+cu130",
                "88 of 90 succeeded, 1 skipped, 1 failed",
                "98.1 %",
                "54.9 and 11.0 GB/s",
                "99.7 %",
                "0.0 %",
                "100.0 and 98.0 ms (+2.0 %)",
                table.NOT_MEASURED,  # its step failed
                "0.4 %, overlap 98.0 %",
                table.NOT_MEASURED,  # it did not run
                "-0.2 points",
                "51.3 %, planted 50.0 %",
                "+0.7 points",
                "2,500 and 2,550 images/s (+2.0 %)",
                "refused with a message",
            ],
            list(self.measured(FIGURES).values()),
        )

    def test_bridge_of_an_earlier_call_is_said_to_be_one(self):
        state = {"steps": {"bridge": ended(accepted=True, python={"torch": "2.11.0+cu130"})}}
        self.assertIn("accepted from an earlier call for PyTorch 2.11.0+cu130", self.measured(state).values())

    def test_without_figures_nothing_is_measured(self):
        self.assertEqual({table.NOT_MEASURED}, set(self.measured({}).values()))

    def test_page_has_the_rows_of_the_table(self):
        with open(TABLE_PAGE, encoding="utf-8") as file:
            page = file.read()
        within = page[page.index(table.BEGIN) : page.index(table.END)]
        rows = [re.sub(r" \| [^|]* \| (`[^|]*) \|$", r" | \1", line) for line in table.table({}).splitlines()[2:]]
        found = [re.sub(r" \| [^|]* \| (`[^|]*) \|$", r" | \1", line) for line in within.splitlines() if line.startswith("| ")][1:]
        self.assertEqual(rows, found)

    def test_table_of_a_page_is_replaced(self):
        page = self.write(f"before\n{table.BEGIN}\nold\n{table.END}\nafter\n".encode(), "page.md")
        path = self.write(json.dumps(FIGURES).encode(), "figures.json")
        self.assertEqual(0, table.main([path, "--write", page]))
        with open(page, encoding="utf-8") as file:
            text = file.read()
        self.assertTrue(text.startswith(f"before\n{table.BEGIN}\n\n| figure |"))
        self.assertTrue(text.endswith(f"|\n\n{table.END}\nafter\n"))
        self.assertNotIn("old", text)

    def refused(self, state, page, sentence):
        path = self.write(json.dumps(state).encode(), "figures.json")
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            self.assertEqual(1, table.main([path, "--write", self.write(page, "page.md")]))
        self.assertIn(sentence, errors.getvalue())
        with open(self.path("page.md"), "rb") as file:
            self.assertEqual(page, file.read())

    def test_page_is_not_written_without_figures(self):
        page = self.write(f"{table.BEGIN}\nold\n{table.END}\n".encode(), "page.md")
        code, output = self.program(table.main, "--write", page)
        self.assertEqual((2, True), (code, "--write needs the file with the figures" in output), output)
        with open(page, encoding="utf-8") as file:
            self.assertIn("\nold\n", file.read())
        self.refused({"steps": {}}, f"{table.BEGIN}{table.END}".encode(), "has no result of a step")

    def test_other_json_is_refused(self):
        for data in (b"[]", b"1", b"{}", b'{"steps": []}', b'{"steps": {"a": 1}}', b'{"steps": {"a": {"figures": null}}}', b"{", b"\xff"):
            path = self.write(data, "figures.json")
            code, output = self.program(table.main, path)
            self.assertEqual((1, True), (code, output.startswith(f"table.py: {path} cannot be read: ")), output)

    def test_figures_of_a_rehearsal_and_pages_without_marks_are_refused(self):
        self.refused({**FIGURES, "rehearsal": True}, f"{table.BEGIN}{table.END}".encode(), "of a rehearsal")
        self.refused(FIGURES, b"no marks\n", "expected one '<!--")


if __name__ == "__main__":
    unittest.main()
