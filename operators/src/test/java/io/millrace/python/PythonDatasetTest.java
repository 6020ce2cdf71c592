package io.millrace.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.fields.Labels;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The items of Python datasets as samples. */
class PythonDatasetTest {
    @TempDir
    Path folder;

    private static final String HEAD = """
            import collections, dataclasses, types
            import numpy as np
            def pil(mode, size=(3, 2)):
                from PIL import Image
                return Image.new(mode, size)
            def jpeg():
                return b"\\xff\\xd8\\xff\\xe0" + bytes(8)
            Named = collections.namedtuple("Named", "image weight")
            @dataclasses.dataclass
            class Data:
                image: object
                weight: float
            """;

    private Sample item(String expression, Object fields) throws Exception {
        Map<String, ?> options = Map.of("dataset", "data:items", "fields", fields);
        try (Dataset dataset = PythonDatasetFixture.settled(folder, HEAD + "items = [" + expression + "]", options)) {
            return dataset.read(0);
        }
    }

    private static String describe(Sample sample) {
        StringBuilder text = new StringBuilder().append(sample.label());
        for (String name : sample.fieldNames()) {
            Field field = sample.field(name);
            if (name.equals("label") && field.dtype() == DType.INT64) {
                continue; // it is the label
            }
            text.append(", ").append(name).append(' ').append(field.kind()).append(' ');
            text.append(field.dtype().name()).append(Arrays.toString(field.shape()));
        }
        return text.toString();
    }

    /** Compares the samples of items, which one worker gets, with their descriptions. */
    private void assertSamples(String head, List<Map.Entry<String, String>> items) throws Exception {
        List<String> expressions = items.stream().map(Map.Entry::getKey).toList();
        Files.writeString(folder.resolve("data.py"), head + "items = [" + String.join(",", expressions) + "]");
        DatasetTask task = new DatasetTask(
                "items",
                new Interpreter(Optional.of(PythonFixture.interpreter())),
                List.of(folder.toString()),
                "data:items",
                null,
                Optional.empty(),
                true,
                42,
                Duration.ofSeconds(60),
                Duration.ofMinutes(5));
        ItemSamples samples = new ItemSamples(task, Labels.of(List.of()));
        try (WorkerPool pool = new WorkerPool(task)) {
            DatasetWorker worker = pool.take();
            for (int i = 0; i < items.size(); i++) {
                ItemReply reply = worker.items(new long[] {i}, new long[] {1}).get(0);
                assertThat(reply.trace() + reply.reason())
                        .as(items.get(i).getKey())
                        .isEmpty();
                assertThat(describe(samples.of(i, reply)))
                        .as(items.get(i).getKey())
                        .isEqualTo(items.get(i).getValue());
            }
        }
    }

    @Test
    void itemsBecomeFields() throws Exception {
        assertSamples(
                HEAD,
                List.of(
                        Map.entry("(np.zeros((2, 3, 3), np.uint8), 5)", "5, image IMAGE UINT8[2, 3, 3]"),
                        Map.entry("(np.zeros((2, 3), np.uint8), np.int32(5))", "5, image IMAGE UINT8[2, 3, 1]"),
                        Map.entry("[np.zeros((2, 3, 3), np.uint8), np.array([5])]", "5, image IMAGE UINT8[2, 3, 3]"),
                        Map.entry("(np.zeros((3, 2, 2), np.float32), 5)", "5, image TENSOR FLOAT32[3, 2, 2]"),
                        Map.entry(
                                "(np.zeros(4, np.float32), 2.5)",
                                "0, input TENSOR FLOAT32[4], target TENSOR FLOAT64[]"),
                        Map.entry("(np.zeros(4), 'text', 7)", "7, input TENSOR FLOAT64[4], field1 TEXT UINT8[4]"),
                        Map.entry("(jpeg(), 1)", "1, image IMAGE ENCODED[12]"),
                        Map.entry(
                                "{'image': jpeg(), 'label': 3, 'boxes': [[1.0, 2.0], [3.0, 4.0]]}",
                                "3, image IMAGE ENCODED[12], boxes TENSOR FLOAT64[2, 2]"),
                        Map.entry(
                                "{'image': np.frombuffer(jpeg(), np.uint8), 'label': 1.5}",
                                "0, image IMAGE ENCODED[12], label TENSOR FLOAT64[]"),
                        Map.entry(
                                "{'a': True, 'b': 3, 'c': 1.5, 'd': np.float16(1)}",
                                "0, a TENSOR BOOL[], b TENSOR INT64[], c TENSOR FLOAT64[], d TENSOR FLOAT16[]"),
                        Map.entry(
                                "Named(np.zeros((2, 3, 1), np.uint8), 0.5)",
                                "0, image IMAGE UINT8[2, 3, 1], weight TENSOR FLOAT64[]"),
                        Map.entry(
                                "Data(np.zeros((2, 3, 1), np.uint8), 0.5)",
                                "0, image IMAGE UINT8[2, 3, 1], weight TENSOR FLOAT64[]"),
                        Map.entry(
                                "(np.zeros((2, 2, 3), np.uint8), {'boxes': np.zeros((2, 4)), 'label': 4})",
                                "4, image IMAGE UINT8[2, 2, 3], boxes TENSOR FLOAT64[2, 4]"),
                        Map.entry("np.zeros((2, 3, 3), np.uint8)", "0, image IMAGE UINT8[2, 3, 3]"),
                        Map.entry("np.zeros(3, '>f4')", "0, input TENSOR FLOAT32[3]"),
                        Map.entry("7.5", "0, input TENSOR FLOAT64[]"),
                        Map.entry("'text'", "0, input TEXT UINT8[4]")));
    }

    @Test
    void picturesOfPillowBecomeImagesAndMasks() throws Exception {
        PythonFixture.requirePackage("PIL");
        assertSamples(
                HEAD,
                List.of(
                        Map.entry("(pil('RGB'), 1)", "1, image IMAGE UINT8[2, 3, 3]"),
                        Map.entry("(pil('L'), 1)", "1, image IMAGE UINT8[2, 3, 1]"),
                        Map.entry("(pil('1'), 1)", "1, image IMAGE UINT8[2, 3, 1]"),
                        Map.entry("(pil('P'), 1)", "1, image IMAGE UINT8[2, 3, 3]"),
                        Map.entry("(pil('RGBA'), 1)", "1, image IMAGE UINT8[2, 3, 3]"),
                        Map.entry("(pil('CMYK'), 1)", "1, image IMAGE UINT8[2, 3, 3]"),
                        Map.entry("(pil('I;16'), 1)", "1, image TENSOR UINT16[2, 3]"),
                        Map.entry("(pil('RGB'), pil('P'))", "0, image IMAGE UINT8[2, 3, 3], mask MASK UINT8[2, 3, 1]"),
                        Map.entry("(pil('RGB'), pil('L'))", "0, image IMAGE UINT8[2, 3, 3], mask MASK UINT8[2, 3, 1]"),
                        Map.entry(
                                "{'image': pil('RGB'), 'depth': pil('I')}",
                                "0, image IMAGE UINT8[2, 3, 3], depth MASK INT32[2, 3, 1]"),
                        Map.entry(
                                "{'image': pil('RGB'), 'other': pil('RGB')}",
                                "0, image IMAGE UINT8[2, 3, 3], other IMAGE UINT8[2, 3, 3]")));
    }

    @Test
    void tensorsOfTorchBecomeImagesOnlyWhereTheyArePixels() throws Exception {
        PythonFixture.requirePackage("torch");
        assertSamples(
                "import torch\n",
                List.of(
                        Map.entry(
                                "(torch.zeros(3, 2, 5, dtype=torch.uint8), torch.tensor(4))",
                                "4, image IMAGE UINT8[2, 5, 3]"),
                        Map.entry("(torch.zeros(3, 2, 5), 4)", "4, image TENSOR FLOAT32[3, 2, 5]"),
                        Map.entry("(torch.zeros(12, dtype=torch.uint8), 4)", "4, input TENSOR UINT8[12]")));
    }

    @Test
    void unsupportedValuesAreNamedWithTheirItems() throws Exception {
        String accepted = "expected a numpy array, a torch tensor, a number, a text or bytes";
        Map<String, String> reasons = new LinkedHashMap<>();
        reasons.put("{'x': object()}", "field 'x' has the type object, " + accepted);
        reasons.put("{'x': None}", "field 'x' has the type NoneType, " + accepted);
        reasons.put("{'x': ['a', 'b']}", "field 'x' is a list of str, expected numbers in one shape");
        reasons.put("{'x': [[1], [1, 2]]}", "field 'x' is a list of list, expected numbers in one shape");
        reasons.put(
                "{'x': np.zeros(2, 'uint32')}",
                "field 'x' has the dtype uint32, expected one of uint8, float32, int8, int16, uint16, int32, int64, float16,"
                        + " float64, bool, bfloat16");
        reasons.put("{3: 4}", "the name 3, expected a text");
        reasons.put("(1, {'a': 1}, {'a': 2})", "two values for the field 'a'");
        String items = "items = [{'x': 1}, " + String.join(", ", reasons.keySet()) + "]";
        try (Dataset dataset = PythonDatasetFixture.open(folder, HEAD + items, "items")) {
            long index = 1;
            for (String reason : reasons.values()) {
                long at = index++;
                assertThatThrownBy(() -> dataset.read(at))
                        .isInstanceOf(BadSampleException.class)
                        .hasMessage("data:items returned for item " + at + ": " + reason)
                        .satisfies(
                                e -> assertThat(((BadSampleException) e).file()).isEqualTo("data:items#" + at));
            }
        }
    }

    @Test
    void chosenFieldsNameTheValuesOfTuplesAndSelectThoseOfDicts() throws Exception {
        assertThat(item("(jpeg(), 2, 1)", List.of("image", "weight", "label"))).satisfies(sample -> {
            assertThat(sample.label()).isEqualTo(1);
            assertThat(sample.fieldNames()).containsExactly("image", "weight");
        });
        Map<String, ?> fields = Map.of("picture", Map.of("from", "1", "as", "image"));
        assertThat(item("(7, np.zeros((2, 2, 3), np.uint8))", fields)
                        .field("picture")
                        .kind())
                .isEqualTo(FieldKind.IMAGE);
        Map<String, ?> mask = Map.of("m", Map.of("from", "seg", "as", "mask"), "boxes", Map.of("as", "ragged"));
        Sample sample = item("{'seg': np.zeros((2, 2), np.int32), 'boxes': np.zeros((3, 4)), 'rest': object()}", mask);
        assertThat(sample.fieldNames()).containsExactlyInAnyOrder("m", "boxes");
        assertThat(sample.field("m").kind()).isEqualTo(FieldKind.MASK);
        assertThat(sample.field("boxes").kind()).isEqualTo(FieldKind.RAGGED);
    }

    @Test
    void classesOfTheDatasetNameTheLabels() throws Exception {
        String module = """
                class Photos:
                    classes = ["cat", "dog"]
                    targets = [1, 0, 1]
                    def __len__(self): return 3
                    def __getitem__(self, i):
                        open(r"%s", "a").write("read ")
                        return b"x", self.targets[i]
                """.formatted(folder.resolve("reads"));
        try (Dataset dataset = PythonDatasetFixture.open(folder, module, "Photos")) {
            assertThat(dataset.classes()).containsExactly("cat", "dog");
            assertThat(List.of(dataset.label(0), dataset.label(1), dataset.label(2)))
                    .containsExactly(1L, 0L, 1L);
            assertThat(dataset.size()).isEqualTo(3);
            assertThat(folder.resolve("reads")).doesNotExist();
            assertThat(dataset.read(2).key()).isEqualTo("data:Photos#2");
        }
        try (Dataset dataset = PythonDatasetFixture.open(
                folder,
                "words = [(b'x', 'dog')]",
                Map.of(
                        "dataset",
                        "data:words",
                        "classes",
                        List.of("cat", "dog"),
                        "fields",
                        List.of("image", "label")))) {
            assertThat(dataset.label(0)).isEqualTo(1);
        }
    }

    @Test
    void labelsOfAnUnusualDatasetAreReadFromItsItems() throws Exception {
        String module = """
                class Photos:
                    classes = ["cat", "dog"]
                    targets = [1, 0]
                    target_transform = staticmethod(lambda label: 1 - label)
                    def __len__(self): return 2
                    def __getitem__(self, i): return b"x", self.target_transform(self.targets[i])
                """;
        try (Dataset dataset = PythonDatasetFixture.open(folder, module, "Photos")) {
            assertThat(List.of(dataset.label(0), dataset.label(1))).containsExactly(0L, 1L);
        }
    }

    @Test
    void datasetMayBeAClassAFunctionOrAnObject() throws Exception {
        String module = """
                class Numbers:
                    def __init__(self, count=2, step=1): self.count, self.step = count, step
                    def __len__(self): return self.count
                    def __getitem__(self, i): return {"n": i * self.step}
                def made(count): return Numbers(count, 10)
                ready = Numbers(4)
                """;
        for (var options : List.of(
                Map.of("dataset", "data:Numbers"),
                Map.of("dataset", "data:Numbers", "args", Map.of("count", 3, "step", 5)),
                Map.of("dataset", "data:made", "args", Map.of("count", 3)),
                Map.of("dataset", "data:ready"))) {
            try (Dataset dataset = PythonDatasetFixture.open(folder, module, options)) {
                assertThat(number(dataset.read(1)))
                        .isEqualTo(Map.of(2L, 1L, 3L, options.toString().contains("made") ? 10L : 5L, 4L, 1L)
                                .get(dataset.size()));
            }
        }
    }

    private static long number(Sample sample) {
        return ByteBuffer.wrap(sample.field("n").data())
                .order(ByteOrder.LITTLE_ENDIAN)
                .getLong();
    }

    @Test
    void valuesStayValidWhileOthersAreRead() throws Exception {
        String module = """
                import numpy as np
                class Large:
                    def __len__(self): return 40
                    def __getitem__(self, i): return np.full((300, 300, 3), i, np.uint8), i
                """;
        try (Dataset dataset = PythonDatasetFixture.open(folder, module, "Large")) {
            Dataset.Reading reading = PythonDatasetFixture.reading(dataset, 0);
            Sample first = reading.read(0);
            for (int i = 1; i < 40; i++) {
                assertThat(reading.read(i).label()).isEqualTo(i);
            }
            assertThat(first.image().data()).containsOnly(0);
            assertThat(reading.remoteCpuNanos()).isPositive();
        }
    }

    /** Two readings share the only worker, so one of them waits while the other's item sleeps. */
    @Test
    void waitForTheWorkerOfAnotherReadingIsCountedApart() throws Exception {
        String module = """
                import time
                class Slow:
                    def __len__(self): return 20
                    def __getitem__(self, i):
                        time.sleep(0.02)
                        return {"n": i}
                """;
        try (Dataset dataset = PythonDatasetFixture.open(folder, module, "Slow")) {
            CyclicBarrier begins = new CyclicBarrier(2);
            List<CompletableFuture<Long>> queued = new ArrayList<>();
            for (int reader = 0; reader < 2; reader++) {
                queued.add(CompletableFuture.supplyAsync(() -> {
                    try {
                        Dataset.Reading reading = PythonDatasetFixture.reading(dataset, 0);
                        begins.await();
                        for (int i = 0; i < 20; i++) {
                            reading.read(i);
                        }
                        return reading.queuedNanos();
                    } catch (Exception e) {
                        throw new CompletionException(e);
                    }
                }));
            }
            assertThat(queued.get(0).get() + queued.get(1).get()).isGreaterThan(100_000_000L);
        }
    }

    /** Twice as many processes compute as there are cores, so that each waits for one about half of the time. */
    @Test
    void waitOfWorkersForACoreIsCountedApart() throws Exception {
        String module = """
                import time
                class Computes:
                    def __len__(self): return 4
                    def __getitem__(self, i):
                        began = time.process_time()
                        while time.process_time() - began < 0.1: pass
                        return {"n": i}
                """;
        int readers = 2 * Runtime.getRuntime().availableProcessors();
        try (Dataset dataset = PythonDatasetFixture.open(folder, module, "Computes")) {
            dataset.readers(readers);
            CyclicBarrier begins = new CyclicBarrier(readers);
            List<Thread> threads = new ArrayList<>();
            List<Dataset.Reading> readings = new ArrayList<>();
            List<Throwable> failures = new CopyOnWriteArrayList<>();
            for (int reader = 0; reader < readers; reader++) {
                Dataset.Reading reading = PythonDatasetFixture.reading(dataset, 0);
                readings.add(reading);
                threads.add(new Thread(() -> {
                    try {
                        begins.await();
                        for (int i = 0; i < 4; i++) {
                            reading.read(i);
                        }
                    } catch (Exception e) {
                        failures.add(e);
                    }
                }));
            }
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(failures).isEmpty();
            long waited = readings.stream()
                    .mapToLong(Dataset.Reading::remoteCoreWaitNanos)
                    .sum();
            assertThat(waited).isGreaterThan(readers * 50_000_000L);
        }
    }

    @Test
    void quickItemsComeTogether() throws Exception {
        String module = """
                class Quick:
                    def __len__(self): return 20
                    def __getitem__(self, i): return {"n": i}
                """;
        try (Dataset dataset = PythonDatasetFixture.open(folder, module, "Quick")) {
            Dataset.Reading reading = PythonDatasetFixture.reading(dataset, 0);
            int i = 0;
            reading.read(i++);
            while (reading.obtained() == 0) { // the first items may be slow, and then come alone
                reading.read(i++);
            }
            int more = reading.obtained();
            assertThat(more).isLessThan(20);
            reading.read(i);
            assertThat(reading.obtained()).isEqualTo(more - 1);
        }
    }

    @Test
    void randomNumbersDependOnSeedEpochAndItemAlone() throws Exception {
        String module = """
                import random
                import numpy as np
                class Random:
                    def __init__(self): self.own = random.Random(0)
                    def set_random_seed(self, seed): self.own.seed(seed)
                    def __len__(self): return 6
                    def __getitem__(self, i):
                        return {"n": np.random.randint(1 << 40) ^ random.getrandbits(40) ^ self.own.getrandbits(40)}
                """;
        try (Dataset dataset = PythonDatasetFixture.open(folder, module, "Random");
                Dataset again = PythonDatasetFixture.open(folder, module, "Random")) {
            Dataset.Reading reading = PythonDatasetFixture.reading(dataset, 0);
            long third = 0;
            for (int i = 0; i < 6; i++) {
                third = i == 3 ? number(reading.read(i)) : third;
            }
            assertThat(number(PythonDatasetFixture.reading(again, 0).read(3))).isEqualTo(third);
            assertThat(number(PythonDatasetFixture.reading(again, 1).read(3))).isNotEqualTo(third);
            assertThat(number(PythonDatasetFixture.reading(again, 0).read(4))).isNotEqualTo(third);
        }
        Map<String, ?> unseeded = Map.of("dataset", "data:Random", "seed", false);
        try (Dataset dataset = PythonDatasetFixture.open(folder, module, unseeded)) {
            assertThat(number(dataset.read(3))).isNotEqualTo(number(dataset.read(3)));
        }
    }

    @Test
    void datasetOfTorchvisionIsReadAsItIs() throws Exception {
        PythonFixture.requirePackage("torchvision");
        Map<String, ?> fake = Map.of(
                "dataset",
                "torchvision.datasets:FakeData",
                "args",
                Map.of("size", 5, "image_size", List.of(3, 6, 4), "num_classes", 3));
        try (Dataset dataset = PythonDatasetFixture.open(folder, "", fake)) {
            Sample sample = dataset.read(2);
            assertThat(dataset.size()).isEqualTo(5);
            assertThat(sample.image().shape()).containsExactly(6, 4, 3);
            assertThat(sample.image().kind()).isEqualTo(FieldKind.IMAGE);
            assertThat(sample.label()).isBetween(0L, 2L);
            assertThat(dataset.read(2).image().data()).isEqualTo(sample.image().data());
        }
    }

    /** Returns what is read of each item: its label and fields, or the reason why it is bad. */
    private List<String> outcomes(String items) throws Exception {
        List<String> outcomes = new ArrayList<>();
        try (Dataset dataset = PythonDatasetFixture.settled(
                folder, HEAD + "items = [" + items + "]", Map.of("dataset", "data:items"))) {
            Dataset.Reading reading = PythonDatasetFixture.reading(dataset, 0);
            for (int i = 0; i < dataset.size(); i++) {
                try {
                    outcomes.add(describe(reading.read(i)));
                } catch (BadSampleException e) {
                    outcomes.add(e.reason());
                }
            }
            outcomes.addAll(dataset.remarks());
        }
        return outcomes;
    }

    private static String lacks(String what, String expected, String found) {
        return "the sample " + what + ": expected the fields [" + expected
                + "], which the first samples of the run settled, found [" + found + "]";
    }

    @Test
    void fieldsAreFoundByNameInAnyOrder() throws Exception {
        assertThat(outcomes("{'a': 1, 'b': 2.5, 'label': 3}, {'label': 4, 'b': 1.5, 'a': 2}"))
                .containsExactly("3, a TENSOR INT64[], b TENSOR FLOAT64[]", "4, a TENSOR INT64[], b TENSOR FLOAT64[]");
    }

    @Test
    void sampleThatLacksAFieldOfMostSamplesIsBadByName() throws Exception {
        assertThat(outcomes("{'y': 1}, {'x': 1, 'y': 1}, {'x': 2, 'y': 1}"))
                .containsExactly(
                        lacks("lacks 'x'", "y, x", "y"),
                        "0, y TENSOR INT64[], x TENSOR INT64[]",
                        "0, y TENSOR INT64[], x TENSOR INT64[]");
    }

    @Test
    void fieldOfFewSamplesIsLeftOutWithARemark() throws Exception {
        assertThat(outcomes("{'x': 1, 'aux': 1}, {'x': 2}, {'x': 3}"))
                .containsExactly(
                        "0, x TENSOR INT64[]",
                        "0, x TENSOR INT64[]",
                        "0, x TENSOR INT64[]",
                        "'aux' is left out, because only 1 of 3 samples that were looked at have it");
    }

    @Test
    void labelThatSomeSamplesHaveIsRequiredOfAll() throws Exception {
        assertThat(outcomes("{'x': 1}, {'x': 2}, {'x': 3, 'label': 7}"))
                .containsExactly(
                        lacks("lacks 'label'", "x, label", "x"),
                        lacks("lacks 'label'", "x, label", "x"),
                        "7, x TENSOR INT64[]");
    }

    @Test
    void numbersOfOneFieldHaveTheTypeThatTorchPromotesThemTo() throws Exception {
        assertThat(outcomes("{'x': 1}, {'x': 1.5}")).containsOnly("0, x TENSOR FLOAT64[]");
        assertThat(outcomes("{'x': np.ones(2, np.float32)}, {'x': np.ones(2)}")).containsOnly("0, x TENSOR FLOAT64[2]");
        assertThat(outcomes("{'x': np.ones(2, np.int32)}, {'x': np.ones(2, np.float32)}"))
                .containsOnly("0, x TENSOR FLOAT32[2]");
        assertThat(outcomes("{'x': np.ones(2, np.int8)}, {'x': np.ones(2, np.uint8)}"))
                .containsOnly("0, x TENSOR INT16[2]");
    }

    @Test
    void emptyListsHaveTheInnerExtentsOfTheOthers() throws Exception {
        assertThat(outcomes("{'boxes': []}, {'boxes': np.ones((2, 4), np.float32)}, {'boxes': np.zeros(0)}"))
                .containsExactly(
                        "0, boxes TENSOR FLOAT32[0, 4]",
                        "0, boxes TENSOR FLOAT32[2, 4]",
                        "0, boxes TENSOR FLOAT32[0, 4]");
        assertThat(outcomes("{'tokens': []}, {'tokens': [1, 2, 3]}"))
                .containsExactly("0, tokens TENSOR INT64[0]", "0, tokens TENSOR INT64[3]");
    }

    @Test
    void labelThatIsNoWholeNumberIsAFieldOrBad() throws Exception {
        assertThat(outcomes("{'x': 1, 'label': 0.5}, {'x': 1, 'label': 1}"))
                .containsOnly(
                        "1, x TENSOR INT64[], label TENSOR FLOAT64[]", "0, x TENSOR INT64[], label TENSOR FLOAT64[]");
        assertThat(outcomes("{'x': 1, 'label': 3}, {'x': 1, 'label': np.eye(2)[0]}"))
                .containsExactly(
                        "3, x TENSOR INT64[]",
                        "expected 'label' as int64 [], the type that the first samples of the run settled, found float64"
                                + " [2]");
    }

    @Test
    void mappingsOfAnyClassAreItems() throws Exception {
        assertThat(outcomes("collections.UserDict(x=1, label=2), types.MappingProxyType({'x': 1, 'label': 3})"))
                .containsExactly("2, x TENSOR INT64[]", "3, x TENSOR INT64[]");
        assertThat(outcomes("{'x': 1}, {}, (), {'x': 2}"))
                .containsExactly(
                        "0, x TENSOR INT64[]",
                        "data:items returned for item 1: an empty dict, expected at least one value",
                        "data:items returned for item 2: an empty tuple, expected at least one value",
                        "0, x TENSOR INT64[]");
    }

    @Test
    void itemsMayHaveHundredsOfFields() throws Exception {
        assertThat(outcomes("{'f%d' % k: k for k in range(300)}"))
                .singleElement(InstanceOfAssertFactories.STRING)
                .contains("f299 TENSOR INT64[]");
    }

    @Test
    void itemLargerThanTheMemoryIsRefusedWithTheLimit() {
        assertThatThrownBy(() -> outcomes("{'x': np.broadcast_to(np.uint8(1), 1 << 30)}"))
                .isInstanceOf(DatasetException.class)
                .hasMessage(
                        "data:items#0: data:items returned for item 0: values of 1073741888 bytes and more, expected at"
                                + " most 1073741760 in a sample");
    }
}
