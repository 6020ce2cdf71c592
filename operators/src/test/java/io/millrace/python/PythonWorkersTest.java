package io.millrace.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.option.OptionValues;
import io.millrace.sample.BadSample;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import io.millrace.transform.StageFailedException;
import io.millrace.transform.TransformSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The transform {@code python} with several workers in a slot. */
@Timeout(120)
class PythonWorkersTest {
    /** Functions that draw from the sample's generator, after times that differ from sample to sample. */
    private static final String UNEVEN = """
            def noise(image, rng, index):
                time.sleep(0.03 * (index % 3 == 0))
                return image + rng.integers(0, 99, image.shape, "uint8")
            def more(image, rng, index):
                if index == 4: raise ValueError("four")
                return image * rng.integers(1, 9, image.shape, "uint8")
            """;

    @TempDir
    Path folder;

    private static Sample picture(long index) {
        return PythonFixture.sample(index).put(Sample.IMAGE, Field.image(1, 2, 1, new byte[] {1, (byte) index}));
    }

    private PythonChain chain(int workers, String module, String... functions) throws Exception {
        Files.writeString(folder.resolve("augment.py"), """
                import os, time
                FOLDER = "%s/"
                def record(what):
                    with open(FOLDER + what, "a") as file:
                        print(os.getpid(), file=file)
                record("imports")
                """.formatted(folder) + module);
        PythonTransformFactory factory = new PythonTransformFactory();
        List<TransformSpec> specs = new ArrayList<>();
        for (String function : functions) {
            Map<String, Object> options = Map.of(
                    "call",
                    "augment:" + function,
                    "workers",
                    (long) workers,
                    "timeout",
                    "20s",
                    "executable",
                    PythonFixture.interpreter(),
                    "path",
                    List.of(folder.toString()));
            specs.add(new TransformSpec("python", OptionValues.of(factory.options(), options)));
        }
        return new PythonChain(specs, true);
    }

    private List<String> processes(String file) throws Exception {
        return Files.readAllLines(folder.resolve(file)).stream().distinct().toList();
    }

    private static List<String> described(List<Sample> samples) {
        return samples.stream()
                .map(sample -> sample + " "
                        + sample.fieldNames().stream()
                                .map(name -> Arrays.toString(sample.field(name).data()))
                                .toList())
                .toList();
    }

    private List<String> run(int workers, int samples) throws Exception {
        try (PythonChain chain = chain(workers, UNEVEN, "noise", "more")) {
            for (int i = 0; i < samples; i++) {
                chain.add(picture(i));
            }
            return described(chain.end());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 5})
    void samplesAndTheirOrderAreThoseOfOneWorker(int workers) throws Exception {
        assertThat(run(workers, 30)).isEqualTo(run(1, 30)).hasSize(30);
        assertThat(processes("imports")).hasSize(1 + workers);
    }

    @Test
    void workersWorkAtTheSameTimeAndEndWithTheOperator() throws Exception {
        String meeting = """
                def meet(image, index):
                    record("calls")
                    open(FOLDER + "arrived-%d" % index, "w").close()
                    while not all(os.path.exists(FOLDER + "arrived-%d" % i) for i in range(3)):
                        time.sleep(0.001)
                """;
        try (PythonChain chain = chain(3, meeting, "meet")) {
            for (int i = 0; i < 3; i++) {
                chain.add(picture(i));
            }
            assertThat(chain.end()).extracting(Sample::badSample).containsOnlyNulls();
            assertThat(processes("calls")).hasSize(3);
        }
        List<String> pids = new ArrayList<>(processes("calls"));
        pids.addAll(processes("imports"));
        assertThat(pids).allMatch(pid -> ProcessHandle.of(Long.parseLong(pid)).isEmpty());
    }

    @Test
    void resultIsHandedOnWhenNoFurtherSampleArrives() throws Exception {
        try (PythonChain chain = chain(2, "def f(image): image += 1\n", "f")) {
            chain.add(picture(0));
            chain.awaitCall();
            assertThat(described(chain.results())).singleElement().asString().contains("photos/0.jpg", "[2, 1]");
        }
    }

    @Test
    void nothingWaitsHereWhenACheckpointBegins() throws Exception {
        try (PythonChain chain = chain(4, UNEVEN, "noise")) {
            for (int i = 0; i < 4; i++) {
                chain.add(picture(i));
            }
            chain.prepareCheckpoint();
            assertThat(chain.results()).extracting(Sample::index).containsExactly(0L, 1L, 2L, 3L);
        }
    }

    @Test
    void watermarksBadSamplesAndThoseOfTheOtherSplitKeepTheirPlaces() throws Exception {
        Sample bad = picture(1);
        bad.quarantine(new BadSample("read", "d", "f", 0, "r"));
        Sample other = new Sample(2, "k", 0)
                .placeAt(2, 0, Split.EVALUATE)
                .put(Sample.IMAGE, Field.of(DType.UINT8, new int[] {1}, new byte[] {9}));
        try (PythonChain chain = chain(2, "def f(image): time.sleep(0.05); image += 1\n", "f")) {
            chain.add(picture(0));
            chain.add(bad);
            chain.add(other);
            chain.add(new Watermark(5));
            chain.add(picture(3));
            assertThat(described(chain.end()))
                    .satisfiesExactly(
                            first -> assertThat(first).contains("photos/0.jpg", "[2, 1]"),
                            second -> assertThat(second).contains("reason=r"),
                            third -> assertThat(third).contains("Sample[k ", "[9]"),
                            fourth -> assertThat(fourth).contains("photos/3.jpg", "[2, 4]"));
            assertThat(chain.watermarks()).containsExactly(3);
        }
    }

    @Test
    void samplesStayWhenTheStageBeforeUsesItsMemoryAgain() throws Exception {
        byte[] scratch = new byte[2];
        try (PythonChain chain = chain(3, "def f(image, index): time.sleep(0.02); return image + 1\n", "f")) {
            for (int i = 0; i < 12; i++) {
                Arrays.fill(scratch, (byte) i);
                chain.add(PythonFixture.sample(i).put(Sample.IMAGE, Field.image(1, 2, 1, scratch)));
            }
            assertThat(chain.end())
                    .extracting(sample -> (int) sample.image().data()[1])
                    .containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
        }
    }

    /** Checks a sample that this stage only passes on, but that waits for an earlier sample which is in work. */
    @Test
    void waitingSampleOfTheOtherSplitStaysWhenTheStageBeforeUsesItsMemoryAgain() throws Exception {
        String waits = """
                def waits(image):
                    while not os.path.exists(FOLDER + "go"):
                        time.sleep(0.001)
                """;
        byte[] scratch = {7, 8};
        try (PythonChain chain = chain(2, waits, "waits")) {
            chain.add(picture(0));
            chain.add(new Sample(1, "other", 0)
                    .placeAt(1, 0, Split.EVALUATE)
                    .put(Sample.IMAGE, Field.image(1, 2, 1, scratch)));
            Arrays.fill(scratch, (byte) 99);
            Files.createFile(folder.resolve("go"));
            assertThat(chain.end().get(1).image().data()).containsExactly(7, 8);
        }
    }

    @Test
    void workerThatDiesLosesNoSample() throws Exception {
        String deadly = """
                def f(image, index, rng):
                    record("calls")
                    mark = FOLDER + "dead-%d" % index
                    if index in (2, 3, 7) and not os.path.exists(mark):
                        open(mark, "w").close()
                        os.kill(os.getpid(), 9)
                    if index == 5:
                        os._exit(3)
                    return image + rng.integers(0, 99, image.shape, "uint8")
                """;
        String calm = "def f(image, rng): return image + rng.integers(0, 99, image.shape, 'uint8')\n";
        List<String> expected;
        List<String> found;
        try (PythonChain chain = chain(1, calm, "f")) {
            for (int i = 0; i < 10; i++) {
                chain.add(picture(i));
            }
            expected = described(chain.end());
        }
        try (PythonChain chain = chain(3, deadly, "f")) {
            for (int i = 0; i < 10; i++) {
                chain.add(picture(i));
            }
            found = described(chain.end());
        }
        assertThat(found.get(5)).contains("augment:f, tried twice: the process ended with exit code 3");
        assertThat(new HashSet<>(found)).hasSize(10).containsAll(withoutFive(expected));
        assertThat(withoutFive(found)).isEqualTo(withoutFive(expected));
    }

    private static List<String> withoutFive(List<String> samples) {
        List<String> others = new ArrayList<>(samples);
        others.remove(5);
        return others;
    }

    @Test
    void failureEndsTheJobAndNamesItsSample() throws Exception {
        try (PythonChain chain = chain(2, "def f(image, msk): pass\n", "f")) {
            assertThatThrownBy(() -> {
                        chain.add(picture(0));
                        chain.end();
                    })
                    .isInstanceOf(StageFailedException.class)
                    .hasMessageStartingWith(
                            "stage stage0 failed on sample 0 (photos/0.jpg): augment:f has the parameter 'msk'");
            chain.cancel();
        }
    }

    @Test
    void operatorThatIsClosedWithSamplesInWorkEndsItsProcesses() throws Exception {
        try (PythonChain chain = chain(2, "def f(image): record('calls'); time.sleep(600)\n", "f")) {
            chain.add(picture(0));
            chain.add(picture(1));
            while (!Files.exists(folder.resolve("calls")) || processes("calls").size() < 2) {
                Thread.onSpinWait();
            }
            List<CompletableFuture<ProcessHandle>> ends = processes("calls").stream()
                    .map(pid ->
                            ProcessHandle.of(Long.parseLong(pid)).orElseThrow().onExit())
                    .toList();
            chain.cancel();
            assertThat(ends).allSatisfy(end -> assertThat(end).succeedsWithin(1, TimeUnit.MINUTES));
        }
    }
}
