package io.millrace.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.CommandRun;
import io.millrace.cli.SmallData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs whose transforms are Python functions, with real worker processes. */
class PythonTransformITCase {
    private static final int PHOTOS = 40;

    private static final String AUGMENT = """
            import os, random, time
            import numpy as np

            DEATHS = %s

            def noise(sample, rng):
                image = sample["image"]
                image[:] = np.clip(image + rng.integers(-20, 20, image.shape), 0, 255)
                if random.random() < 0.5:
                    return {"image": image[:, ::-1]}

            def crop(size):
                def call(image):
                    top, left = np.random.randint(0, 8, 2)
                    return image[top:top + size, left:left + size]
                return call

            def deadly(sample, rng, index):
                mark = "%s/dead-%%d" %% index
                if index in DEATHS and not os.path.exists(mark):
                    open(mark, "w").close()
                    os.kill(os.getpid(), 9)
                return noise(sample, rng)

            def slow(sample, rng):
                time.sleep(0.05)
                return noise(sample, rng)

            def picky(sample, index):
                if index %% 10 == 3:
                    raise ValueError("sample %%d is not nice" %% index)

            number = 5
            """;

    @TempDir
    static Path shared;

    private static String python = "";
    private static Path photos;
    private static String oneSlot = "";

    @TempDir
    Path folder;

    @BeforeAll
    static void trainOnOneSlot() throws Exception {
        Optional<String> found = PythonWithNumpy.find();
        assumeTrue(found.isPresent(), "needs Python 3.9 or newer with numpy");
        python = found.orElseThrow();
        photos = SmallData.photos(shared.resolve("photos"), PHOTOS, 0, 1);
        oneSlot = parameters(train(shared, "noise", "parallelism=1"));
    }

    private static List<String> arguments(Path folder, String command, String call, String... settings)
            throws IOException {
        Files.writeString(folder.resolve("augment.py"), AUGMENT.formatted("{5, 17, 30}", folder));
        Path pipeline = SmallData.photosPipeline(folder.resolve("photos.yaml"), photos, folder.resolve("runs"));
        List<String> arguments = new ArrayList<>(List.of(command, pipeline.toString()));
        if (command.equals("serve")) {
            arguments.addAll(List.of("--listen", "127.0.0.1:0"));
        }
        arguments.addAll(List.of("--set", "python.executable=" + python));
        arguments.addAll(List.of("--set", transforms(call, 1)));
        for (String setting : settings) {
            arguments.addAll(List.of("--set", setting));
        }
        return arguments;
    }

    private static String transforms(String call, int workers) {
        return "transforms=[decode, python: {call: 'augment:%s', workers: %d}, python: {call: 'augment:crop', args: {size: 48}, workers: %2$d}, Resize: {size: [24, 24]}]"
                .formatted(call, workers);
    }

    private static JsonNode train(Path folder, String call, String... settings) throws IOException {
        List<String> arguments = arguments(folder, "train", call, settings);
        arguments.add("--json");
        CommandRun run = CommandRun.of(arguments.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.json();
    }

    private static String parameters(JsonNode summary) {
        assertThat(summary.required("samples").asLong()).isEqualTo(2 * PHOTOS);
        assertThat(summary.required("quarantined").asLong()).isZero();
        return summary.required("parameters_sha256").asText();
    }

    @ParameterizedTest
    @ValueSource(strings = {"parallelism=1", "parallelism=2", "parallelism=4", "parallelism=2;stages=separate"})
    void sameBytesAtAnyParallelism(String settings) throws Exception {
        assertThat(parameters(train(folder, "noise", settings.split(";")))).isEqualTo(oneSlot);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void noSampleIsLostWhenWorkersAreKilled(int workers) throws Exception {
        String transforms = transforms("deadly", workers);
        assertThat(parameters(train(folder, "deadly", "parallelism=2", transforms)))
                .isEqualTo(oneSlot);
        assertThat(folder.resolve("dead-5")).exists();
        assertThat(folder.resolve("dead-17")).exists();
        assertThat(folder.resolve("dead-30")).exists();
    }

    @Test
    void timeOfAStageIsSharedByItsWorkers() throws Exception {
        JsonNode summary = train(folder, "slow", "parallelism=1", transforms("slow", 4));
        assertThat(parameters(summary)).isEqualTo(oneSlot);
        JsonNode stage = summary.required("stages").get(2);
        assertThat(stage.required("name").asText()).startsWith("python");
        // Each call sleeps for 50 ms, and four workers sleep at the same time.
        assertThat(stage.required("own_p50_ms").asDouble()).isBetween(50.0 / 4, 50.0 / 2);
        assertThat(summary.required("stages").get(3).required("records").asLong())
                .as("the second function has figures of its own")
                .isEqualTo(2 * PHOTOS);
    }

    @Test
    void anotherSeedGivesOtherNumbers() throws Exception {
        assertThat(parameters(train(folder, "noise", "order.seed=8", "train.seed=42", "order.shuffle=none")))
                .isNotEqualTo(
                        parameters(train(folder, "noise", "order.seed=9", "train.seed=42", "order.shuffle=none")));
    }

    @Test
    void exceptionIsListedWithFileAndLine() throws Exception {
        JsonNode summary = train(folder, "picky", "parallelism=2");
        assertThat(summary.required("quarantined").asLong()).isEqualTo(4);
        assertThat(Files.readString(CommandRun.folder(folder.resolve("runs")).resolve("quarantine.jsonl")))
                .contains("augment.py:31: ValueError: sample 3 is not nice")
                .contains("sample 33 is not nice");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "train|number|python.path={folder}|augment:number is of type int, expected a function",
                "train|missing|python.path={folder}|augment has no 'missing'",
                "serve|missing|python.path={folder}|augment has no 'missing'",
                "diagnose|missing|python.path={folder}|augment has no 'missing'",
                "preview|missing|python.path={folder}|augment has no 'missing'",
                "inspect|missing|python.path={folder}|: augment:missing: augment has no 'missing'",
                "train|noise|python.path=/no/such|python.path: there is no folder or zip file /no/such",
                "train|noise|python.executable=/no/such/python|cannot start Python with /no/such/python"
                        + " (python.executable): error=2, No such file or directory",
                "diagnose|noise|python.executable=/no/such/python|cannot start Python with /no/such/python",
                "serve|noise|python.executable=/no/such/python|cannot start Python with /no/such/python",
                "preview|noise|python.executable=/no/such/python|cannot start Python with /no/such/python",
                "inspect|noise|python.executable=/no/such/python|cannot start Python with /no/such/python",
            })
    void functionThatCannotBeUsedIsRefusedBeforeTheJobStarts(String command, String call, String setting, String reason)
            throws Exception {
        List<String> arguments = arguments(folder, command, call, setting.replace("{folder}", folder.toString()));
        CommandRun run = CommandRun.of(arguments.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.out()).isNotZero();
        assertThat(run.err()).contains(reason).doesNotContain("\tat ");
        assertThat(run.err().strip().lines().filter(line -> !line.isBlank())).hasSizeLessThanOrEqualTo(2);
    }

    @Test
    void exampleOfThePageRuns() throws Exception {
        String page = Files.readString(Path.of("../docs/data/python-transforms.md"));
        Path pipeline = Files.writeString(folder.resolve("photos.yaml"), firstBlock(page, "yaml"));
        Files.writeString(folder.resolve("augment.py"), firstBlock(page, "python"));
        CommandRun run = CommandRun.of(
                "train",
                pipeline.toString(),
                "--json",
                "--set",
                "dataset.path=" + photos,
                "--set",
                "python.executable=" + python,
                "--set",
                "run={web_port: 0, folder: " + folder + "/runs}");
        assertThat(run.exitCode()).as(run.err()).isZero();
        parameters(run.json());
    }

    private static String firstBlock(String page, String language) {
        String begin = "```" + language + "\n";
        int from = page.indexOf(begin) + begin.length();
        return page.substring(from, page.indexOf("```", from));
    }

    @Test
    void nestedTransformIsRefusedByName() throws Exception {
        List<String> arguments = arguments(
                folder,
                "train",
                "noise",
                "transforms=[decode, RandomApply: {transforms: [python: {call: 'augment:noise'}]}]");
        CommandRun run = CommandRun.of(arguments.toArray(String[]::new));
        assertThat(run.exitCode()).isNotZero();
        assertThat(run.err()).contains("expected transforms that can be nested, found 'python'");
    }

    @Test
    void placeOnTheDeviceIsRefused() throws Exception {
        List<String> arguments = arguments(
                folder, "train", "noise", "transforms=[decode, python: {call: 'augment:noise', place: device}]");
        CommandRun run = CommandRun.of(arguments.toArray(String[]::new));
        assertThat(run.exitCode()).isNotZero();
        assertThat(run.err()).contains("transforms.1.python").contains("cannot run on the device");
    }

    @Test
    void interpreterAndModulesOfATransformPrecedeThoseOfTheSection() throws Exception {
        Path modules = Files.createDirectory(folder.resolve("modules"));
        Files.writeString(modules.resolve("other.py"), "def f(image): return 255 - image");
        List<String> arguments = arguments(
                folder,
                "train",
                "noise",
                "python.executable=/no/such/python",
                "transforms=[decode, python: {call: 'other:f', path: " + modules + ", executable: " + python
                        + "}, Resize: {size: [24, 24]}]");
        CommandRun run = CommandRun.of(arguments.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.err()).isZero();
    }

    @Test
    void wrongCallIsRefusedAtItsLine() throws Exception {
        List<String> arguments = arguments(folder, "train", "noise", "transforms=[decode, python: {call: augment}]");
        CommandRun run = CommandRun.of(arguments.toArray(String[]::new));
        assertThat(run.exitCode()).isNotZero();
        assertThat(run.err())
                .contains("transforms.1.python.call: expected module:function, such as augment:train_transform, found"
                        + " 'augment'");
    }
}
