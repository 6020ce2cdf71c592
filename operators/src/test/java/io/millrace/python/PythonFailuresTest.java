package io.millrace.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.BadSampleException;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Workers that die, hang, or cannot start. */
class PythonFailuresTest {
    @TempDir
    Path folder;

    private static Sample picture(long index) {
        return PythonFixture.sample(index).put(Sample.IMAGE, Field.image(1, 2, 1, new byte[] {1, 2}));
    }

    /** Returns the processes that imported the module, or called the function, in order. */
    private List<String> processes(String file) throws Exception {
        return Files.readAllLines(folder.resolve(file)).stream().distinct().toList();
    }

    /** Returns the processes of a test that live. */
    private List<ProcessHandle> alive() throws Exception {
        List<String> pids = new ArrayList<>(processes("imports"));
        pids.addAll(processes("calls"));
        List<ProcessHandle> alive = new ArrayList<>();
        for (String pid : pids) {
            ProcessHandle.of(Long.parseLong(pid)).filter(ProcessHandle::isAlive).ifPresent(alive::add);
        }
        return alive;
    }

    private String recording() {
        return """
                import ctypes, os, signal, sys, time
                def record(what):
                    with open("%s/" + what, "a") as file:
                        print(os.getpid(), file=file)
                record("imports")
                """.formatted(folder);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ctypes.string_at(0)|the process was killed by signal 11 (SIGSEGV)",
                "os._exit(3)|the process ended with exit code 3",
                "os.kill(os.getpid(), 9)|the process was killed by signal 9 (SIGKILL)",
                "os.fork() or time.sleep(30); os._exit(0)|the process ended with exit code 0",
                "time.sleep(60)|there was no answer within 1 s",
            })
    void sampleThatEndsTheWorkerTwiceIsQuarantinedAndNoOtherIsLost(String death, String reason) throws Exception {
        try (PythonFixture python = PythonFixture.of(
                folder, recording() + """
                def f(sample, index):
                    record("calls")
                    sample["image"] += 1
                    if index == 1:
                        %s
                """.formatted(death), Map.of("call", "augment:f", "timeout", "1s"))) {
            assertThat(python.apply(picture(0)).image().data()).containsExactly(2, 3);
            long began = System.nanoTime();
            assertThatThrownBy(() -> python.apply(picture(1)))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessage("augment:f, tried twice: " + reason);
            assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began))
                    .isLessThan(30);
            assertThat(python.apply(picture(2)).image().data()).containsExactly(2, 3);
            assertThat(processes("calls")).hasSize(3);
            assertThat(processes("imports")).as("a copy replaces a process").hasSize(1);
        }
        assertThat(alive()).isEmpty();
    }

    @Test
    void sampleThatEndsTheWorkerOnceIsTriedAgainWithTheSameNumbers() throws Exception {
        try (PythonFixture python =
                PythonFixture.of(folder, recording() + """
                def f(sample, rng, index):
                    record("calls")
                    sample["image"][:] = rng.integers(0, 255, 2, "uint8").reshape(1, 2, 1)
                    mark = "%s"
                    if index == 1 and not os.path.exists(mark):
                        open(mark, "w").close()
                        os.kill(os.getpid(), 9)
                """.formatted(folder.resolve("mark")), "f")) {
            byte[] afterDeath = python.apply(picture(1)).image().data();
            assertThat(python.apply(picture(1)).image().data()).isEqualTo(afterDeath);
            assertThat(processes("calls")).hasSize(2);
        }
    }

    @ParameterizedTest
    @CsvSource({"imports, 2", "calls, 1"})
    void workerThatIsKilledBetweenSamplesIsReplaced(String killed, int imports) throws Exception {
        try (PythonFixture python = PythonFixture.of(folder, recording() + """
                def f(sample):
                    record("calls")
                    sample["image"] += 1
                """, "f")) {
            python.apply(picture(0));
            for (int i = 1; i <= 2; i++) {
                List<String> pids = processes(killed);
                ProcessHandle worker = ProcessHandle.of(Long.parseLong(pids.get(pids.size() - 1)))
                        .orElseThrow();
                worker.destroyForcibly();
                worker.onExit().join();
                assertThat(python.apply(picture(i)).image().data()).containsExactly(2, 3);
                assertThat(processes("calls")).hasSize(1 + i);
                assertThat(processes("imports")).hasSize(1 + i * (imports - 1));
            }
        }
        for (ProcessHandle worker : alive()) {
            worker.onExit().join(); // the system ends a child with its parent
        }
    }

    @Test
    void workerWithThreadsIsReplacedByOneThatImportsTheModuleAgain() throws Exception {
        try (PythonFixture python = PythonFixture.of(folder, recording() + """
                import threading
                threading.Thread(target=threading.Event().wait, daemon=True).start()
                def f(sample, index):
                    record("calls")
                    if index == 1: os._exit(3)
                """, "f")) {
            assertThatThrownBy(() -> python.apply(picture(1)))
                    .hasMessage("augment:f, tried twice: the process ended with exit code 3");
            python.apply(picture(2));
            assertThat(processes("calls")).hasSize(3).isEqualTo(processes("imports"));
        }
    }

    @Test
    void fieldsStayValidAfterTheTransformIsClosed() throws Exception {
        Sample sample;
        try (PythonFixture python = PythonFixture.of(folder, "def f(sample): sample['image'] += 1", "f")) {
            sample = python.apply(picture(0));
        }
        assertThat(sample.image().stored()).isNotNull();
        assertThat(sample.image().data()).containsExactly(2, 3);
    }

    @Test
    void interruptEndsTheWaitAndTheWorker() throws Exception {
        Path begun = folder.resolve("begun");
        PythonFixture python = PythonFixture.of(folder, recording() + """
                def f(sample):
                    record("calls")
                    os.mkfifo("%s.made")
                    os.rename("%s.made", "%s")
                    open("%s", "w").close()
                    time.sleep(60)
                """.formatted(begun, begun, begun, begun), "f");
        List<Throwable> thrown = new ArrayList<>();
        Thread task = new Thread(() -> {
            try (python) {
                python.apply(picture(0));
            } catch (Exception e) {
                thrown.add(e);
            }
        });
        task.start();
        while (!Files.exists(begun)) {
            Thread.onSpinWait();
        }
        Files.readAllBytes(begun); // returns when the function is about to sleep
        task.interrupt();
        task.join();
        assertThat(thrown).singleElement().satisfies(e -> assertThat(e)
                .isInstanceOf(PythonException.class)
                .hasMessage("interrupted while augment:f worked on a sample"));
        for (ProcessHandle worker : alive()) {
            worker.onExit().join();
        }
    }

    /** The system ends the worker with the thread that started it, as it does when the whole process is killed. */
    @Test
    void workerEndsWithTheThreadThatStartedItEvenInTheMidstOfACall() throws Exception {
        Thread owner = new Thread(() -> {
            try {
                // Nobody closes the transform: the thread just ends.
                PythonFixture python = PythonFixture.of(folder, recording() + """
                        import threading
                        def f(sample):
                            record("calls")
                            threading.Thread(target=time.sleep, args=(60,)).start()
                        """, "f");
                python.apply(picture(0));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        PythonFixture.interpreter(); // skips the test where there is none
        owner.start();
        owner.join();
        for (ProcessHandle worker : alive()) {
            worker.onExit().join();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "nothing:f|cannot import nothing from {folder}: ModuleNotFoundError: No module named 'nothing'",
                "augment:g|augment has no 'g': module 'augment' has no attribute 'g'",
                "augment:number|augment:number is of type int, expected a function",
                "augment:none|augment:none takes no sample: expected a parameter, found ()",
                "augment:Fails|augment:Fails() failed: ValueError: no",
                "augment:f.g|augment has no 'g': 'function' object has no attribute 'g'",
            })
    void functionThatCannotBeUsedIsRefusedWithPythonsError(String call, String reason) throws Exception {
        try (PythonFixture python = PythonFixture.of(folder, """
                number = 3
                def f(sample): pass
                def none(): pass
                class Fails:
                    def __init__(self): raise ValueError("no")
                """, Map.of("call", call))) {
            assertThatThrownBy(() -> python.apply(picture(0)))
                    .isInstanceOf(PythonException.class)
                    .hasMessage(call + ": " + reason.replace("{folder}", folder.toString()));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "def f(|SyntaxError: '(' was never closed ({file}:1)",
                "1 / 0|ZeroDivisionError: division by zero ({file}:1)",
                "import nothing_like_this|ModuleNotFoundError: No module named 'nothing_like_this' ({file}:1)",
                "raise SystemExit(3)|SystemExit: 3 ({file}:1)",
            })
    void moduleThatCannotBeImportedIsRefusedWithItsLine(String module, String reason) throws Exception {
        try (PythonFixture python = PythonFixture.of(folder, module, "f")) {
            String where = folder.resolve("augment.py").toString();
            assertThatThrownBy(() -> python.apply(picture(0)))
                    .isInstanceOf(PythonException.class)
                    .hasMessage(
                            "augment:f: cannot import augment from " + folder + ": " + reason.replace("{file}", where));
        }
    }

    @Test
    void wrongParametersAreRefusedAndBlameNoSample() throws Exception {
        try (PythonFixture python = PythonFixture.of(folder, "def f(image, msk): pass", "f")) {
            assertThatThrownBy(() -> python.apply(picture(0)))
                    .isInstanceOf(PythonException.class)
                    .hasMessage(
                            "augment:f has the parameter 'msk': expected one parameter for the sample, or names of its"
                                    + " fields (image, label), rng, index, epoch, key or **fields");
        }
    }

    @Test
    void missingInterpreterIsNamedWithItsOrigin() throws Exception {
        Map<String, Object> options = Map.of("call", "augment:f", "executable", "/no/such/python");
        try (PythonFixture python = PythonFixture.of(folder, "", options)) {
            assertThatThrownBy(() -> python.apply(picture(0)))
                    .isInstanceOf(PythonException.class)
                    .hasMessage("cannot start Python with /no/such/python (python.executable): error=2, No such file or"
                            + " directory");
        }
    }

    @Test
    void programThatIsNoPythonIsReported() throws Exception {
        Map<String, Object> options = Map.of("call", "augment:f", "executable", "/bin/false");
        try (PythonFixture python = PythonFixture.of(folder, "", options)) {
            assertThatThrownBy(() -> python.apply(picture(0)))
                    .isInstanceOf(PythonException.class)
                    .hasMessageContaining("ended with exit code 1");
        }
    }

    @Test
    void interpreterWithoutNumpyIsNamed() throws Exception {
        Path bare = folder.resolve("bare");
        Files.writeString(bare, "#!/bin/sh\nexec " + PythonFixture.interpreter() + " -S -I \"$@\"\n");
        assertThat(bare.toFile().setExecutable(true)).isTrue();
        try (PythonFixture python =
                PythonFixture.of(folder, "", Map.of("call", "augment:f", "executable", bare.toString()))) {
            assertThatThrownBy(() -> python.apply(picture(0)))
                    .isInstanceOf(PythonException.class)
                    .hasMessageEndingWith("has no numpy: No module named 'numpy' (python.executable)");
        }
    }

    @Test
    void missingFolderOfModulesIsNamed() throws Exception {
        try (PythonFixture python =
                PythonFixture.of(folder, "", Map.of("call", "augment:f", "path", List.of("/no/such/folder")))) {
            assertThatThrownBy(() -> python.apply(picture(0)))
                    .isInstanceOf(PythonException.class)
                    .hasMessageStartingWith(
                            "augment:f: python.path: there is no folder or zip file /no/such/folder on machine ");
        }
    }
}
