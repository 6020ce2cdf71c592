package io.millrace.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.CommandRun;
import io.millrace.cli.SmallData;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs whose datasets are Python objects, with real worker processes. */
class PythonDatasetITCase {
    private static final int ITEMS = 40;

    private static final String DATA = """
            import os, random, time
            import numpy as np

            class Noisy:
                classes = ["a", "b", "c", "d"]

                def __init__(self, count=%d, deaths=(), bad=()):
                    self.count, self.deaths, self.bad = count, deaths, bad

                def __len__(self):
                    return self.count

                def __getitem__(self, i):
                    mark = r"%s/dead-%%d" %% i
                    if i in self.deaths and not os.path.exists(mark):
                        open(mark, "w").close()
                        os.kill(os.getpid(), 9)
                    if i in self.bad:
                        raise ValueError("item %%d is not nice" %% i)
                    image = np.full((32, 40, 3), 4 * i, np.uint8) + np.random.randint(0, 50, (32, 40, 3), np.uint8)
                    return image[:, ::-1] if random.random() < 0.5 else image, i %% 4

            class Uneven(Noisy):
                def __getitem__(self, i):
                    image, label = super().__getitem__(i)
                    return (image[:16] if i == 17 else image), label

            def vision(count):
                import torchvision
                from torchvision.transforms import v2
                change = v2.Compose([v2.RandomResizedCrop(24), v2.RandomHorizontalFlip(), v2.ColorJitter(0.4)])
                return torchvision.datasets.FakeData(count, (3, 32, 40), 4, transform=change)

            class Half(Noisy):
                def __init__(self, part):
                    super().__init__(%d // 2)
                    order = list(range(%d))
                    random.shuffle(order)
                    self.order = order[part::2]
                    with open(r"%s/half-%%d" %% part, "w") as file:
                        file.write(" ".join(map(str, self.order)))

                def __getitem__(self, i):
                    return super().__getitem__(self.order[i])

            class Counted:
                def __init__(self, count, pause):
                    self.count, self.pause = count, pause

                def __len__(self):
                    return self.count

                def __getitem__(self, i):
                    time.sleep(self.pause)
                    with open(r"%s/reads-%%d" %% os.getpid(), "a") as file:
                        file.write("%%d\\n" %% i)
                    return np.zeros((24, 24, 3), np.uint8), i %% 4

            def wide():
                return [{"image": np.broadcast_to(np.uint8(1), (6000, 6000, 3)), "label": 0}]

            def none():
                return [{"x": None}] * 3

            number = 5
            """;

    @TempDir
    static Path shared;

    private static String python = "";
    private static String oneSlot = "";

    @TempDir
    Path folder;

    @BeforeAll
    static void trainOnOneSlot() throws Exception {
        Optional<String> found = PythonWithNumpy.find();
        assumeTrue(found.isPresent(), "needs Python 3.9 or newer with numpy");
        python = found.orElseThrow();
        oneSlot = parameters(train(shared, "{}", "parallelism=1"));
    }

    private static List<String> arguments(Path folder, String command, String dataset, String args, String... settings)
            throws IOException {
        Files.writeString(folder.resolve("data.py"), DATA.formatted(ITEMS, folder, ITEMS, ITEMS, folder, folder));
        Path pipeline = Files.writeString(
                folder.resolve("noisy.yaml"), """
                dataset: { format: python, dataset: "%s", args: %s, epochs: 2 }
                transforms: [ RandomCrop: { size: [24, 24] } ]
                parallelism: 2
                batch: { size: 8, max_quarantined: 1.0 }
                device: { transforms: [ ToFloat ] }
                train: { model: { convnet: { channels: [4, 8] } } }
                python: { executable: %s }
                run: { folder: %s, web_port: 0 }
                """.formatted(dataset, args, python, folder.resolve("runs")));
        List<String> arguments = new ArrayList<>(List.of(command, pipeline.toString()));
        if (command.equals("serve")) {
            arguments.addAll(List.of("--listen", "127.0.0.1:0"));
        }
        for (String setting : settings) {
            arguments.addAll(List.of("--set", setting));
        }
        return arguments;
    }

    private static JsonNode train(Path folder, String args, String... settings) throws IOException {
        return trained(arguments(folder, "train", "data:Noisy", args, settings));
    }

    private static JsonNode trained(List<String> arguments) {
        arguments.add("--json");
        CommandRun run = CommandRun.of(arguments.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.json();
    }

    private static String parameters(JsonNode summary) {
        assertThat(summary.required("samples").asLong()).isEqualTo(2 * ITEMS);
        assertThat(summary.required("quarantined").asLong()).isZero();
        return summary.required("parameters_sha256").asText();
    }

    @ParameterizedTest
    @ValueSource(strings = {"parallelism=2", "parallelism=4", "parallelism=2;dataset.workers=2;stages=separate"})
    void sameBytesAtAnyParallelism(String settings) throws Exception {
        JsonNode summary = train(folder, "{}", settings.split(";"));
        assertThat(parameters(summary)).isEqualTo(oneSlot);
        assertThat(summary.at("/stages/0/name").asText()).isEqualTo("read");
        assertThat(summary.at("/stages/0/cpu_ms").asDouble()).isPositive();
    }

    @Test
    void noItemIsLostWhenWorkersAreKilled() throws Exception {
        assertThat(parameters(train(folder, "{deaths: [5, 17, 30]}", "parallelism=2")))
                .isEqualTo(oneSlot);
        assertThat(folder.resolve("dead-5")).exists();
        assertThat(folder.resolve("dead-17")).exists();
        assertThat(folder.resolve("dead-30")).exists();
    }

    @Test
    void resumedRunReadsTheSameBytes() throws Exception {
        List<String> first = arguments(folder, "train", "data:Noisy", "{}", "dataset.epochs=1");
        trained(first);
        List<String> rest = arguments(folder, "train", "data:Noisy", "{}", "parallelism=1");
        rest.add("--resume");
        assertThat(parameters(trained(rest))).isEqualTo(oneSlot);
    }

    @Test
    void datasetThatDiffersFromThatOfTheRunThatIsContinuedIsRefusedWithTheIndex() throws Exception {
        trained(arguments(folder, "train", "data:Noisy", "{}", "dataset.epochs=1"));
        List<String> rest = arguments(folder, "train", "data:Noisy", "{}");
        rest.add("--resume");
        Path data = folder.resolve("data.py");
        String other = Files.readString(data).replace("4 * i, np.uint8", "4 * i + (i == 20), np.uint8");
        Files.writeString(data, other);
        CommandRun run = CommandRun.of(rest.toArray(String[]::new));
        assertThat(run.exitCode()).isNotZero();
        assertThat(run.err())
                .contains("item 20 of data:Noisy differs from the same item in the run that is continued")
                .doesNotContain("\tat ");
        rest.addAll(List.of("--set", "dataset.compare=false"));
        parameters(trained(rest));
    }

    @Test
    void trainingAndEvaluationDatasetsAreMadeWithTheSameNumbers() throws Exception {
        CommandRun run = CommandRun.of(arguments(
                        folder,
                        "inspect",
                        "data:Half",
                        "{part: 0}",
                        "evaluate={dataset: {format: python, dataset: 'data:Half', args: {part: 1}}, transforms: []}")
                .toArray(String[]::new));
        assertThat(run.exitCode()).as(run.err()).isZero();
        Set<String> both =
                new TreeSet<>(List.of(Files.readString(folder.resolve("half-0")).split(" ", -1)));
        assertThat(both).hasSize(ITEMS / 2);
        both.addAll(List.of(Files.readString(folder.resolve("half-1")).split(" ", -1)));
        assertThat(both).hasSize(ITEMS);
    }

    @ParameterizedTest
    @CsvSource({"2500, 0, 1000", "400, 0.05, 100"})
    void eachItemIsReadOnceInEachEpochAndSomeAtTheStart(int count, double pause, int mostAtStart) throws Exception {
        trained(arguments(
                folder, "train", "data:Counted", "{count: " + count + ", pause: " + pause + "}", "batch.size=100"));
        Map<Integer, Integer> reads = new HashMap<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "reads-*")) {
            for (Path file : files) {
                Files.readAllLines(file).forEach(line -> reads.merge(Integer.valueOf(line), 1, Integer::sum));
            }
        }
        assertThat(reads).hasSize(count);
        assertThat(reads.values()).allMatch(times -> times >= 2);
        int atStart = reads.values().stream().mapToInt(times -> times - 2).sum();
        assertThat(atStart)
                .as("read for the types, to look at labels, and to compare processes")
                .isBetween(10, mostAtStart + 40 + 32);
    }

    @Test
    void checkOfInspectNamesWhatDiffers() throws Exception {
        List<String> check = arguments(folder, "inspect", "data:Noisy", "{bad: [3]}");
        check.add("--check");
        CommandRun found = CommandRun.of(check.toArray(String[]::new));
        assertThat(found.exitCode()).as(found.err()).isEqualTo(1);
        assertThat(found.out())
                .contains("dataset: data:Noisy, 40 items; 32 of them were read twice")
                .contains("item 3 is bad: data.py:19: ValueError: item 3 is not nice");
        check = arguments(folder, "inspect", "data:Noisy", "{}");
        check.add("--check");
        found = CommandRun.of(check.toArray(String[]::new));
        assertThat(found.exitCode()).as(found.err()).isZero();
        assertThat(found.out()).contains("nothing differs");
    }

    @Test
    void anotherSeedGivesOtherNumbers() throws Exception {
        assertThat(parameters(train(folder, "{}", "order.seed=8", "train.seed=42", "order.shuffle=none")))
                .isNotEqualTo(parameters(train(folder, "{}", "order.seed=9", "train.seed=42", "order.shuffle=none")));
    }

    @Test
    void exceptionIsListedWithFileAndLine() throws Exception {
        JsonNode summary = train(folder, "{bad: [3, 33]}", "parallelism=2", "dataset.epochs=1");
        assertThat(summary.required("quarantined").asLong()).isEqualTo(2);
        assertThat(Files.readString(CommandRun.folder(folder.resolve("runs")).resolve("quarantine.jsonl")))
                .contains("\"data:Noisy#3\"")
                .contains("data.py:19: ValueError: item 3 is not nice")
                .contains("item 33 is not nice");
    }

    @Test
    void itemOfAnotherShapeIsNamedByItsIndex() throws Exception {
        List<String> arguments = arguments(folder, "train", "data:Uneven", "{}", "transforms=[]", "order.shuffle=none");
        CommandRun run = CommandRun.of(arguments.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.out()).isNotZero();
        assertThat(run.err())
                .contains("sample data:Uneven#17 (index 17) has 'image' as UINT8[16, 40, 3], but the batch expects"
                        + " UINT8[32, 40, 3]");
    }

    @Test
    void inspectShowsFieldsAndClasses() throws Exception {
        CommandRun run =
                CommandRun.of(arguments(folder, "inspect", "data:Noisy", "{}").toArray(String[]::new));
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out())
                .contains("data:Noisy")
                .contains("image uint8 [32, 40, 3]")
                .containsPattern("0 +a +10")
                .containsPattern("samples +40");
    }

    @Test
    void evaluationAndPackReadTheDataset() throws Exception {
        JsonNode summary = train(
                folder,
                "{}",
                "evaluate={dataset: {format: python, dataset: 'data:Noisy', args: {count: 12}}, transforms: [CenterCrop:"
                        + " {size: [24, 24]}]}");
        assertThat(parameters(summary)).isEqualTo(oneSlot);
        Path shards = folder.resolve("shards");
        CommandRun pack =
                CommandRun.of("pack", folder.resolve("noisy.yaml").toString(), shards.toString(), "--format", "arrow");
        assertThat(pack.exitCode()).as(pack.err()).isZero();
        assertThat(shards).isDirectoryContaining("glob:**.arrow");
    }

    @Test
    void transformsOfTorchvisionWithinTheDatasetDependOnTheSeedAlone() throws Exception {
        assumeTrue(PythonWithNumpy.has(python, "torchvision"), "needs the Python package torchvision");
        List<String> parameters = new ArrayList<>();
        for (String slots : List.of("parallelism=1", "parallelism=2")) {
            parameters.add(parameters(trained(
                    arguments(folder, "train", "data:vision", "{count: " + ITEMS + "}", slots, "transforms=[]"))));
        }
        assertThat(parameters.get(0)).isEqualTo(parameters.get(1));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "train|data:number|run.web_port=0|data:number: data:number is of type int, which cannot be called with args",
                "serve|data:missing|run.web_port=0|data:missing: data has no 'missing'",
                "preview|data:missing|run.web_port=0|data:missing: data has no 'missing'",
                "inspect|data:missing|run.web_port=0|data:missing: data has no 'missing'",
                "train|data:none|run.web_port=0|none of the first samples is good; the last one tried, data:none#2:",
                "train|data:wide|batch.size=20;transforms=[]|a batch has 20 rows of 'image' with 108,000,000 bytes each:"
                        + " expected at most 2,147,483,647 bytes together. Set batch.size so that a process gets at most 19 rows",
                "train|nothing:Photos|run.web_port=0|nothing:Photos: cannot import nothing from",
                "train|data:Noisy|python.path=/no/such|python.path: there is no folder or zip file /no/such",
                "train|data:Noisy|python.executable=/no/such/python|cannot start Python with /no/such/python"
                        + " (python.executable): error=2, No such file or directory",
                "train|data:Noisy|dataset.args={size: 3}|data:Noisy(size=3) failed: TypeError",
                "train|data|run.web_port=0|dataset.dataset: expected module:name, such as data:Photos, found 'data'",
                "train|data:Noisy|dataset.workers=0|dataset.workers: expected from 1 to 64, found 0",
            })
    void datasetThatCannotBeUsedIsRefusedBeforeTheJobStarts(
            String command, String dataset, String setting, String reason) throws Exception {
        List<String> arguments = arguments(folder, command, dataset, "{}", setting.split(";", -1));
        CommandRun run = CommandRun.of(arguments.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.out()).isNotZero();
        assertThat(run.err()).contains(reason).doesNotContain("\tat ");
    }

    @Test
    void exampleOfThePageRuns() throws Exception {
        Path photos = SmallData.photos(folder.resolve("photos"), ITEMS, 0, 1);
        String page = Files.readString(Path.of("../docs/data/python-datasets.md"));
        Path pipeline = Files.writeString(folder.resolve("photos.yaml"), firstBlock(page, "yaml"));
        Files.writeString(folder.resolve("data.py"), firstBlock(page, "python"));
        CommandRun run = CommandRun.of(
                "train",
                pipeline.toString(),
                "--json",
                "--set",
                "dataset.args={folder: " + photos + "}",
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
}
