package io.millrace.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.option.OptionValues;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Python datasets that fail, and workers that die or hang. */
@Timeout(120)
class PythonDatasetFailuresTest {
    @TempDir
    Path folder;

    /**
     * Returns a module whose dataset of 8 numbers runs a statement before item {@code i}. Each process that imports it writes its id to
     * one file, and each that gets items to another.
     */
    private String numbers(String statement) {
        return """
                import ctypes, os, signal, sys, threading, time
                def record(name):
                    with open(r"%1$s/" + name, "a") as file:
                        print(os.getpid(), file=file)
                record("imports")
                def once(name):
                    try:
                        os.close(os.open(r"%1$s/" + name, os.O_CREAT | os.O_EXCL))
                    except FileExistsError:
                        return False
                    return True
                class Numbers:
                    def __len__(self): return 8
                    def __getitem__(self, i):
                        record("items")
                        %2$s
                        return {"n": i}
                """.formatted(folder, statement);
    }

    /** Returns the processes that wrote their ids to a file. */
    private List<String> processes(String file) throws IOException {
        Path ids = folder.resolve(file);
        return Files.exists(ids) ? Files.readAllLines(ids).stream().distinct().toList() : List.of();
    }

    private List<ProcessHandle> alive(String file) throws IOException {
        List<ProcessHandle> alive = new ArrayList<>();
        for (String pid : processes(file)) {
            ProcessHandle.of(Long.parseLong(pid)).filter(ProcessHandle::isAlive).ifPresent(alive::add);
        }
        return alive;
    }

    private List<ProcessHandle> alive() throws IOException {
        List<ProcessHandle> alive = new ArrayList<>(alive("imports"));
        alive.addAll(alive("items"));
        return alive;
    }

    /** Requires that all processes end. The system ends a copy when the process that it is copied from has ended. */
    private void requireEnds() throws IOException {
        assertThat(alive()).allSatisfy(process -> assertThat(process.onExit()).succeedsWithin(1, TimeUnit.MINUTES));
    }

    private static List<String> outcomes(Dataset dataset) throws IOException {
        Dataset.Reading reading = PythonDatasetFixture.reading(dataset, 0);
        List<String> outcomes = new ArrayList<>();
        for (int i = 0; i < dataset.size(); i++) {
            try {
                Sample sample = reading.read(i);
                outcomes.add(sample.index() + ":" + sample.field("n").data()[0]);
            } catch (BadSampleException e) {
                outcomes.add(e.file() + ": " + e.reason());
            }
        }
        return outcomes;
    }

    private static List<String> allBut(Map<Integer, String> bad) {
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            String number = i + ":" + i;
            expected.add(Optional.ofNullable(bad.get(i))
                    .map("data:Numbers#%s"::concat)
                    .orElse(number)
                    .replace("%s", String.valueOf(i)));
        }
        return expected;
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
    void itemThatEndsTheWorkerTwiceIsQuarantinedAndNoOtherIsLost(String death, String reason) throws Exception {
        Map<String, ?> options = Map.of("dataset", "data:Numbers", "timeout", "1s");
        String module = numbers("if i == 5: " + death);
        try (Dataset dataset = PythonDatasetFixture.open(folder, module, options)) {
            assertThat(outcomes(dataset)).isEqualTo(allBut(Map.of(5, ": data:Numbers, tried twice: " + reason)));
        }
        assertThat(processes("items")).hasSize(3);
        assertThat(processes("imports")).as("a copy replaces a process").hasSize(1);
        requireEnds();
    }

    @Test
    void itemsThatEndTheWorkerOnceAreTriedAgain() throws Exception {
        String module = numbers("if i in (2, 3, 6) and once(str(i)): os.kill(os.getpid(), 9)");
        try (Dataset dataset = PythonDatasetFixture.open(folder, module, "Numbers")) {
            assertThat(outcomes(dataset)).isEqualTo(allBut(Map.of()));
            assertThat(processes("items")).hasSize(4);
            assertThat(processes("imports")).hasSize(1);
        }
        requireEnds();
    }

    @ParameterizedTest
    @CsvSource({"imports, 2", "items, 1"})
    void workerThatIsKilledBetweenItemsIsReplaced(String killed, int imports) throws Exception {
        try (Dataset dataset = PythonDatasetFixture.open(folder, numbers("pass"), "Numbers")) {
            dataset.read(0);
            ProcessHandle worker = alive(killed).get(0);
            worker.destroyForcibly();
            worker.onExit().join();
            assertThat(outcomes(dataset)).isEqualTo(allBut(Map.of()));
            assertThat(processes("imports")).hasSize(imports);
        }
    }

    @Test
    void exceptionIsTheReasonWithFileAndLine() throws Exception {
        String module = numbers("if i in (1, 7): raise ValueError('no %d' % i)");
        try (Dataset dataset = PythonDatasetFixture.open(folder, module, "Numbers")) {
            assertThat(outcomes(dataset))
                    .isEqualTo(allBut(Map.of(
                            1, ": data.py:16: ValueError: no 1",
                            7, ": data.py:16: ValueError: no 7")));
        }
        assertThat(processes("items")).hasSize(1);
    }

    @Test
    void exitAndInterruptsOfPythonAreExceptionsOfAnItem() throws Exception {
        try (Dataset dataset = PythonDatasetFixture.open(folder, numbers("if i == 4: sys.exit(2)"), "Numbers")) {
            assertThat(outcomes(dataset)).isEqualTo(allBut(Map.of(4, ": data.py:16: SystemExit: 2")));
        }
    }

    @Test
    void datasetThatForksAndStartsThreadsIsRead() throws Exception {
        String statement = "threading.Thread(target=time.sleep, args=(30,), daemon=True).start();"
                + " pid = os.fork() or os._exit(0); os.waitpid(pid, 0)";
        try (Dataset dataset = PythonDatasetFixture.open(folder, numbers(statement), "Numbers")) {
            assertThat(outcomes(dataset)).isEqualTo(allBut(Map.of()));
        }
        requireEnds();
    }

    @Test
    void lengthThatIsTooLargeMakesTheItemsBeyondTheEndBad() throws Exception {
        String module = """
                class Short:
                    data = [1, 2]
                    def __len__(self): return 3
                    def __getitem__(self, i): return {"n": self.data[i]}
                """;
        try (Dataset dataset = PythonDatasetFixture.open(folder, module, "Short")) {
            assertThatThrownBy(() -> dataset.read(2))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessage("data.py:4: IndexError: list index out of range");
        }
    }

    @Test
    void otherLengthInAnotherProcessEndsTheJob() throws Exception {
        // A process with threads is not copied.
        String module = numbers("pass").replace("return 8", "return 8 + os.getpid() % 100000")
                + "threading.Thread(target=time.sleep, args=(600,), daemon=True).start()\n";
        Map<String, ?> options = Map.of("dataset", "data:Numbers", "workers", 2L);
        try (Dataset dataset = PythonDatasetFixture.open(folder, module, options)) {
            dataset.readers(1);
            assertThatThrownBy(() -> dataset.read(5))
                    .isInstanceOf(DatasetException.class)
                    .hasMessageMatching("len\\(data:Numbers\\) is [0-9]+ in one process, but was [0-9]+ in another:"
                            + " expected the same number of items in all processes");
        }
    }

    /** The program that a test kills: it opens the dataset, starts its workers, and waits. */
    static final class Opening {
        private Opening() {}

        public static void main(String[] arguments) throws Exception {
            Map<String, Object> options =
                    Map.of("dataset", "data:Numbers", "executable", arguments[0], "path", arguments[1], "workers", 3L);
            PythonDatasetFormat format = new PythonDatasetFormat();
            Dataset dataset = format.open(OptionValues.of(format.options(), options));
            dataset.readers(1);
            dataset.read(1);
            dataset.read(0);
        }
    }

    @Test
    void nothingIsLeftWhenTheWholeProcessIsKilledInTheMidstOfAnItem() throws Exception {
        // Item 1 waits for ever, in a process that also ignores the end of its control channel.
        Files.writeString(folder.resolve("data.py"), numbers("""
                if i == 1:
                            os.mkfifo(r"%s/begun.made")
                            os.rename(r"%s/begun.made", r"%s/begun")
                            open(r"%s/begun", "w").close()
                            time.sleep(600)
                """.formatted(folder, folder, folder, folder)
                .strip()));
        Process program = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Opening.class.getName(),
                        PythonFixture.interpreter(),
                        folder.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("program.log").toFile())
                .start();
        while (!Files.exists(folder.resolve("begun"))) {
            assertThat(program.isAlive())
                    .as(Files.readString(folder.resolve("program.log")))
                    .isTrue();
            Thread.onSpinWait();
        }
        Files.readAllBytes(folder.resolve("begun")); // returns when the item is about to sleep
        List<ProcessHandle> workers = alive();
        assertThat(alive("imports")).hasSize(1);
        program.destroyForcibly().waitFor();
        for (ProcessHandle worker : workers) {
            worker.onExit().join();
        }
    }

    /** Readers' threads end before the dataset does. */
    @Test
    void workersOutliveTheThreadsThatAskForThem() throws Exception {
        try (Dataset dataset = PythonDatasetFixture.open(folder, numbers("pass"), "Numbers")) {
            alive().forEach(ProcessHandle::destroyForcibly);
            List<Throwable> thrown = new ArrayList<>();
            Thread reader = new Thread(() -> {
                try {
                    dataset.read(1);
                } catch (IOException e) {
                    thrown.add(e);
                }
            });
            reader.start();
            reader.join();
            assertThat(thrown).isEmpty();
            assertThat(outcomes(dataset)).isEqualTo(allBut(Map.of()));
            assertThat(processes("imports")).hasSize(2);
        }
        requireEnds();
    }

    @Test
    void eachReaderAddsWorkersWhichReadAtTheSameTime() throws Exception {
        // Each item waits until all of the processes are at work.
        String module = numbers("""
                open(r"%s/at-%%d" %% i, "w").close()
                        while len([f for f in os.listdir(r"%s") if f.startswith("at-")]) < min(4, i + 4): time.sleep(0.001)
                """.formatted(folder, folder).strip().replace("%%", "%"))
                .replace("def __getitem__(self, i):", "def __getitem__(self, i):\n        if i == 0: return {'n': 0}");
        Map<String, ?> options = Map.of("dataset", "data:Numbers", "workers", 2L);
        try (Dataset dataset = PythonDatasetFixture.open(folder, module, options)) {
            dataset.readers(2);
            CountDownLatch done = new CountDownLatch(4);
            for (int i = 1; i <= 4; i++) {
                int index = i;
                new Thread(() -> {
                            try {
                                dataset.read(index);
                                done.countDown();
                            } catch (IOException e) {
                                throw new IllegalStateException(e);
                            }
                        })
                        .start();
            }
            assertThat(done.await(5, TimeUnit.MINUTES)).isTrue();
            assertThat(alive("items")).hasSize(4);
            dataset.readers(1);
            while (alive("items").size() > 2) {
                Thread.onSpinWait();
            }
            assertThat(processes("imports")).hasSize(1);
        }
        requireEnds();
    }

    @Test
    void interruptEndsTheWait() throws Exception {
        try (Dataset dataset = PythonDatasetFixture.open(
                folder,
                numbers("if i == 1: open(r'%s/begun', 'w').close(); time.sleep(60)".formatted(folder)),
                "Numbers")) {
            List<Throwable> thrown = new ArrayList<>();
            Thread reader = new Thread(() -> {
                try {
                    dataset.read(1);
                } catch (IOException e) {
                    thrown.add(e);
                }
            });
            reader.start();
            while (!Files.exists(folder.resolve("begun"))) {
                Thread.onSpinWait();
            }
            reader.interrupt();
            reader.join();
            assertThat(thrown).singleElement().satisfies(e -> assertThat(e)
                    .isInstanceOf(java.io.InterruptedIOException.class)
                    .hasMessage("interrupted while data:Numbers worked on a sample"));
            assertThat(dataset.read(2).index()).isEqualTo(2);
        }
        requireEnds();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "nothing:f|cannot import nothing from {folder}: ModuleNotFoundError: No module named 'nothing'",
                "data:g|data has no 'g': module 'data' has no attribute 'g'",
                "data:number|data:number is of type int without __getitem__: expected a dataset with __len__ and"
                        + " __getitem__, or a class or function that makes one",
                "data:none|data:none(...) is of type NoneType without __getitem__: expected a dataset with __len__ and"
                        + " __getitem__, or a class or function that makes one",
                "data:Endless|data:Endless(...) is of type Endless without __len__: expected a dataset with __len__ and"
                        + " __getitem__, or a class or function that makes one",
                "data:stream|data:stream(...) is of type generator, which can only be iterated over: expected a dataset with"
                        + " __len__ and __getitem__. Write its items to files once, for example as tar shards, or wrap"
                        + " list(...) of it if it fits into the memory",
                "data:Fails|data:Fails() failed: ValueError: no",
                "data:Negative|len(data:Negative(...)) failed: ValueError: __len__() should return >= 0",
                "data:Half|len(data:Half(...)) failed: TypeError: 'float' object cannot be interpreted as an integer",
                "data:Huge|len(data:Huge(...)) is 2199023255552, expected at most 2^40",
                "data:Wrong|data:Wrong() failed: TypeError: Wrong.__init__() missing 1 required positional argument: 'root'",
            })
    void datasetThatCannotBeUsedIsRefusedWithPythonsError(String name, String reason) throws Exception {
        String module = """
                number = 3
                def none(): pass
                def stream(): yield 1
                class Endless:
                    def __getitem__(self, i): return i
                class Fails:
                    def __init__(self): raise ValueError("no")
                class Sized:
                    def __getitem__(self, i): return i
                    def __len__(self): return self.size
                class Negative(Sized): size = -1
                class Half(Sized): size = 2.5
                class Huge(Sized): size = 1 << 41
                class Wrong(Sized):
                    def __init__(self, root): pass
                """;
        assertThatThrownBy(() -> PythonDatasetFixture.open(folder, module, Map.of("dataset", name)))
                .isInstanceOf(DatasetException.class)
                .hasMessage(name + ": " + reason.replace("{folder}", folder.toString()));
    }

    @Test
    void argumentsForAnObjectAreRefused() {
        assertThatThrownBy(() -> PythonDatasetFixture.open(
                        folder, "items = [1]", Map.of("dataset", "data:items", "args", Map.of("a", 1))))
                .hasMessage("data:items: data:items is of type list, which cannot be called with args");
    }

    @Test
    void iterableDatasetOfTorchIsRefused() throws Exception {
        PythonFixture.requirePackage("torch");
        String module = """
                import torch.utils.data
                class Stream(torch.utils.data.IterableDataset):
                    def __iter__(self): return iter([1])
                    def __len__(self): return 1
                """;
        assertThatThrownBy(() -> PythonDatasetFixture.open(folder, module, "Stream"))
                .hasMessageContaining("is of type Stream, which can only be iterated over");
    }

    @Test
    void reasonIsTheFirstLineOfAnExceptionAndNotThatOfANote() throws Exception {
        String module = numbers("""
                if i == 1:
                            error = KeyError("no\\nsecond line")
                            getattr(error, "add_note", print)("a note")
                            raise error
                        if i == 2: raise ValueError("first\\nsecond")
                        if i == 3: raise LookupError
                """.strip());
        try (Dataset dataset = PythonDatasetFixture.open(folder, module, "Numbers")) {
            assertThat(outcomes(dataset))
                    .isEqualTo(allBut(Map.of(
                            1, ": data.py:19: KeyError: 'no\\nsecond line'",
                            2, ": data.py:20: ValueError: first",
                            3, ": data.py:21: LookupError")));
        }
    }

    @Test
    void missingInterpreterIsNamed() {
        assertThatThrownBy(() -> PythonDatasetFixture.open(
                        folder, "", Map.of("dataset", "data:items", "executable", "/no/such/python")))
                .isInstanceOf(DatasetException.class)
                .hasMessage(
                        "cannot start Python with /no/such/python (python.executable): error=2, No such file or directory");
    }
}
