package io.millrace.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.types.FieldTypes;
import io.millrace.dataset.types.SettledDataset;
import io.millrace.dataset.types.TypeInspection;
import io.millrace.option.OptionValues;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How often and with which numbers a Python dataset is made, and that all workers have the same one. */
@Timeout(300)
class PythonDatasetMakingTest {
    /** A dataset of 48 items, which waits in each item for others so that all workers take part. */
    private static final String HEAD = """
            import os, random, socket, threading, time
            import numpy as np
            class Base:
                def __len__(self): return 48
                def __getitem__(self, i):
                    with open(self.folder + "/readers", "a") as file: print(os.getpid(), file=file)
                    time.sleep(0.002)
                    return {"n": self.number(i)}
            def record(folder):
                with open(folder + "/made", "a") as file: print(os.getpid(), file=file)
            """;

    @TempDir
    Path folder;

    private Map<String, Object> options(Map<String, ?> more) {
        Map<String, Object> options = new java.util.HashMap<>(
                Map.of("dataset", "data:Set", "args", Map.of("folder", folder.toString()), "workers", 3L));
        options.putAll(more);
        return options;
    }

    /** Returns a module with a class whose constructor and whose items are these statements. */
    private static String module(String init, String number) {
        return HEAD + """
                class Set(Base):
                    def __init__(self, folder):
                        self.folder = folder
                        record(folder)
                        %s
                    def number(self, i): return %s
                """.formatted(init, number);
    }

    /** Returns the bytes of the field n of all items, which several threads read at the same time. */
    private static List<String> numbers(Dataset dataset) throws Exception {
        dataset.readers(1);
        ExecutorService threads = Executors.newFixedThreadPool(3);
        try {
            List<Future<String>> pending = new ArrayList<>();
            for (long i = 0; i < dataset.size(); i++) {
                long index = i;
                pending.add(threads.submit(() -> {
                    Sample sample = dataset.read(index);
                    return HexFormat.of().formatHex(sample.field("n").data());
                }));
            }
            List<String> numbers = new ArrayList<>();
            for (Future<String> each : pending) {
                numbers.add(each.get(2, TimeUnit.MINUTES));
            }
            return numbers;
        } finally {
            threads.shutdownNow();
        }
    }

    private List<String> numbers(String module, Map<String, ?> more) throws Exception {
        try (Dataset dataset = PythonDatasetFixture.open(folder, module, options(more))) {
            return numbers(dataset);
        }
    }

    private long lines(String file) throws IOException {
        return Files.readAllLines(folder.resolve(file)).stream().distinct().count();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "self.n = list(range(48)); random.shuffle(self.n)",
                "self.n = [int(n) for n in np.random.permutation(48)]",
                "self.n = [{str(n) for n in range(48)}, 0]; self.n = [int(n) for n in self.n[0]]",
                "self.n = sorted(range(48), key=lambda n: hash(str(n)))",
            })
    void orderThatIsDrawnWhileTheDatasetIsMadeIsTheSameInAllWorkersAndAgain(String init) throws Exception {
        String module = module(init, "self.n[i]");
        List<String> first = numbers(module, Map.of());
        assertThat(first).doesNotHaveDuplicates();
        assertThat(lines("made")).as("processes that made the dataset").isEqualTo(1);
        assertThat(lines("readers")).as("processes that read items").isEqualTo(3);
        assertThat(numbers(module, Map.of())).isEqualTo(first);
        if (init.contains("random")) {
            assertThat(numbers(module, Map.of("init_seed", 7L))).isNotEqualTo(first);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "self.own = np.random.default_rng(0)| int(self.own.integers(1 << 62))",
                "self.own = np.random.default_rng()| int(self.own.integers(1 << 62))",
                "self.own = {'a': [np.random.RandomState(1)]}| int(self.own['a'][0].randint(1 << 62))",
                "self.own = random.Random(1).getrandbits| self.own(60)",
                "own = random.Random(1); self.own = lambda: own.getrandbits(60)| self.own()",
                "pass| getattr(self, 'own', 0) or setattr(self, 'own', 0) or OWN.getrandbits(60)",
                "self.own = []| (self.own or self.own.append(np.random.default_rng(3)) or self.own)[0].integers(1 << 62)",
            })
    void generatorsThatTheDatasetMakesDrawOtherNumbersForEachItemAndTheSameInEachWorker(String initAndNumber)
            throws Exception {
        String[] parts = initAndNumber.split("\\| ", 2);
        String module = module(parts[0], parts[1]) + "OWN = random.Random(5)\n";
        List<String> first = numbers(module, Map.of());
        assertThat(first).doesNotHaveDuplicates();
        assertThat(numbers(module, Map.of("workers", 2L))).isEqualTo(first);
    }

    @Test
    void generatorsOfTorchAreSeededToo() throws Exception {
        PythonFixture.requirePackage("torch");
        String module = "import torch\n"
                + module(
                        "self.own = torch.Generator(); self.n = torch.randperm(48).tolist()",
                        "[self.n[i], int(torch.randint(1 << 60, (1,), generator=self.own))]");
        List<String> first = numbers(module, Map.of());
        assertThat(first).doesNotHaveDuplicates();
        assertThat(lines("made")).isEqualTo(1);
        assertThat(numbers(module, Map.of())).isEqualTo(first);
    }

    @Test
    void unseededWorkersDrawDifferentNumbers() throws Exception {
        List<String> numbers = numbers(module("pass", "random.getrandbits(60)"), Map.of("seed", false));
        assertThat(numbers).doesNotHaveDuplicates();
    }

    /** A copy has its own place in a file, so that the workers do not read each other's bytes. */
    @Test
    void fileThatTheDatasetHasOpenedIsReadByAllWorkers() throws Exception {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 48; i++) {
            text.append("%06d".formatted(i).repeat(20_000 / 6));
        }
        Files.writeString(folder.resolve("numbers"), text);
        String module = module(
                "self.file = open(folder + '/numbers', 'rb')",
                "(self.file.seek(i * 19998), time.sleep(0.001), int(self.file.read(19998)[-6:]))[2]");
        List<String> numbers = numbers(module, Map.of());
        assertThat(numbers.get(1)).isEqualTo("0100000000000000");
        assertThat(numbers).doesNotHaveDuplicates();
        assertThat(lines("made")).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "threading.Thread(target=time.sleep, args=(600,), daemon=True).start()",
                "self.connection = socket.socketpair()",
                "self.pipe = os.pipe()",
            })
    void datasetThatCannotBeCopiedSeveralTimesIsMadeAgainWithTheSameNumbers(String init) throws Exception {
        String module = module(init + "; self.n = list(range(48)); random.shuffle(self.n)", "self.n[i]");
        assertThat(numbers(module, Map.of())).doesNotHaveDuplicates();
        assertThat(lines("made")).isEqualTo(3);
    }

    @Test
    void datasetsOfTwoProcessesThatDifferAreRefusedWithTheIndex() throws Exception {
        String module = module(
                "threading.Thread(target=time.sleep, args=(600,), daemon=True).start(); self.born = os.getpid()",
                "i if i < 24 else self.born");
        try (Dataset dataset = PythonDatasetFixture.open(folder, module, options(Map.of()))) {
            assertThat(dataset.fingerprint().hashes()).hasSize(4);
            assertThatThrownBy(() -> numbers(dataset))
                    .rootCause()
                    .isInstanceOf(DatasetException.class)
                    .hasMessageStartingWith(
                            "item 24 of data:Set differs from the same item in another process: expected"
                                    + " that each process makes the same dataset.");
        }
        assertThat(numbers(module, Map.of("compare", false))).hasSize(48);
    }

    @Test
    void datasetThatDiffersFromThatOfThePlanIsRefusedWithTheIndex() throws Exception {
        String module = module("self.born = time.time_ns()", "i if i < 47 else self.born");
        FieldTypes types;
        try (Dataset dataset = PythonDatasetFixture.open(folder, module, options(Map.of()))) {
            types = TypeInspection.of("data:Set", dataset, place -> place);
            assertThat(types.fingerprint().hashes()).containsOnlyKeys(0L, 1L, 24L, 47L);
            assertThat(TypeInspection.of("data:Set", dataset, place -> place, types))
                    .isEqualTo(types);
        }
        try (Dataset dataset = PythonDatasetFixture.open(folder, module, options(Map.of()))) {
            assertThatThrownBy(() -> SettledDataset.same("data:Set", dataset, types))
                    .isInstanceOf(DatasetException.class)
                    .hasMessageStartingWith("item 47 of data:Set differs from the same item in the process that planned"
                            + " the run, or in the run that is continued");
            assertThatThrownBy(() -> TypeInspection.of("data:Set", dataset, place -> place, types))
                    .hasMessageStartingWith(
                            "item 47 of data:Set differs from the same item in the run that is continued");
        }
    }

    /** Numbers that no seed decides differ when an item is read again, so they are no reason to refuse a dataset. */
    @Test
    void itemsThatDifferWhenTheyAreReadAgainAreNotCompared() throws Exception {
        try (Dataset dataset = PythonDatasetFixture.open(folder, module("pass", "os.urandom(8)"), options(Map.of()))) {
            assertThat(dataset.fingerprint().hashes()).isEmpty();
        }
    }

    @Test
    void setUpHasALimitOfItsOwn() throws Exception {
        String module = module("time.sleep(3)", "i");
        assertThat(numbers(module, Map.of("timeout", "1s", "workers", 1L))).hasSize(48);
        assertThatThrownBy(() -> numbers(module, Map.of("start_timeout", "1s")))
                .isInstanceOf(DatasetException.class)
                .hasMessage("data:Set: the Python process did not start: there was no answer within 1 s"
                        + " (start_timeout), and a longer set-up needs a longer time; its output is in the log");
    }

    @Test
    void checkNamesWhatDiffers() throws Exception {
        String module = module(
                        "self.calls = 0; self.pid = os.getpid(); self.n = list(range(48)); random.shuffle(self.n)",
                        "self.n[i]")
                + """
                class Odd(Set):
                    def __getitem__(self, i):
                        self.calls += 1
                        item = {"n": self.n[i], "calls": self.calls, "pid": 0 if i else self.pid}
                        if i == 21: raise ValueError("no")
                        if i == 27: del item["pid"]
                        if i == 33: item["extra"] = 1
                        return item
                """;
        PythonDatasetFormat format = new PythonDatasetFormat();
        Map<String, Object> all = options(Map.of("path", folder.toString(), "executable", PythonFixture.interpreter()));
        Files.writeString(folder.resolve("data.py"), module);
        assertThat(DatasetCheck.of(OptionValues.of(format.options(), all)).findings())
                .isEmpty();
        all.put("dataset", "data:Odd");
        DatasetCheck odd = DatasetCheck.of(OptionValues.of(format.options(), all));
        assertThat(odd.items()).isEqualTo(32);
        assertThat(odd.findings())
                .contains(
                        "item 27 lacks 'pid', which 30 of 31 items have",
                        "item 33 has 'extra', which only 1 of 31 items have",
                        "item 0 differs when it is read a second time, in another order: calls",
                        "item 0 differs in another process: pid")
                .anyMatch(finding -> finding.startsWith("item 21 is bad: data.py:"));
    }

    @Test
    void badItemsAreNotCompared() throws Exception {
        try (Dataset dataset = PythonDatasetFixture.open(folder, module("pass", "1 // i"), options(Map.of()))) {
            assertThat(dataset.fingerprint().hashes()).containsOnlyKeys(1L, 24L, 47L);
            assertThatThrownBy(() -> dataset.read(0)).isInstanceOf(BadSampleException.class);
        }
    }
}
