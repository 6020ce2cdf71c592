package io.millrace.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FlinkMain;
import io.millrace.cli.SmallData;
import io.millrace.cluster.ClusterStart;
import io.millrace.cluster.TestCluster;
import io.millrace.served.ClientProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Python modules that travel with a job to a cluster of real processes. The path of their folder leads through the working directory
 * of each process, so that only the command finds the folder.
 */
@EnabledOnOs(OS.LINUX)
@Tag("processes")
class PythonModulesE2E {
    private static final String FOLDER = "/proc/self/cwd/modules";

    private static final String AUGMENT = """
            import numpy as np
            from shades import shade
            with open("%s", "a") as file:
                print(__file__, file=file)

            def noise(sample, rng, index):
                image = sample["image"]
                image[:] = image // 2 + shade(rng, image.shape)
                if index == 7:
                    raise ValueError("not this one")

            def invert(image):
                return 255 - image

            class Shades:
                def __len__(self):
                    return 60

                def __getitem__(self, i):
                    if i == 7:
                        raise ValueError("not this one")
                    return shade(np.random.default_rng(i), (28, 28, 1)), i %% 10

            class Forgetful(Shades):
                def __init__(self, log):
                    import subprocess
                    for apart in (False, True):
                        nested = ["sh", "-c", "sleep 3600 & echo $! >> " + log + "; exec sleep 3600"]
                        left = subprocess.Popen(nested, start_new_session=apart)
                        with open(log, "a") as file:
                            print(left.pid, file=file)
            """;

    @TempDir
    static Path folder;

    private static @Nullable TestCluster started;
    private static @Nullable ClientProcess programs;
    private static Path runs = Path.of("");
    private static Path imported = Path.of("");
    private static List<String> arguments = List.of();
    private static String expected = "";
    private static String expectedOfDataset = "";

    /** Replaces the dataset and the transforms by a dataset of the module. */
    private static final List<String> DATASET = List.of(
            "--set", "dataset={format: python, dataset: 'augment:Shades', epochs: 2}", "--set", "transforms=[]");

    @BeforeAll
    static void start() throws Exception {
        Optional<String> python = PythonWithNumpy.find();
        assumeTrue(python.isPresent(), "needs Python 3.9 or newer with numpy");
        runs = folder.resolve("runs");
        imported = Files.createFile(folder.resolve("imported"));
        Path modules = Files.createDirectories(folder.resolve("modules"));
        Path shades = Files.createDirectories(modules.resolve("shades"));
        Files.writeString(modules.resolve("augment.py"), AUGMENT.formatted(imported));
        Files.writeString(shades.resolve("__init__.py"), """
                import os
                with open(os.path.join(os.path.dirname(__file__), "most.txt")) as file:
                    MOST = int(file.read())
                def shade(rng, shape):
                    return rng.integers(0, MOST, shape, "uint8")
                """);
        Files.writeString(shades.resolve("most.txt"), "100");
        Path pipeline = SmallData.digitsPipeline(
                folder.resolve("digits.yaml"), SmallData.digits(folder.resolve("digits")), runs);
        arguments = List.of(
                "train",
                pipeline.toString(),
                "--set",
                "python.executable=" + python.get(),
                "--set",
                "transforms=[python: {call: 'augment:noise'}, python: {call: 'augment:invert'}]",
                "--set",
                "batch.max_quarantined=1.0");
        expected = embedded(List.of("--set", "python.path=" + modules), 10);
        expectedOfDataset = embedded(with(DATASET, "--set", "python.path=" + modules), 21);
        assertThat(imported).content().contains(modules + "/augment.py").doesNotContain("millrace-python-");
        programs = new ClientProcess(folder);
        started = TestCluster.start(
                folder.resolve("cluster"),
                ClusterStart.of(TestCluster.settings("elastic").with(Map.of("taskmanager.numberOfTaskSlots", "2")), 1));
    }

    @AfterAll
    static void stop() {
        if (started != null) {
            started.close();
        }
    }

    @Test
    void processesThatADatasetStartedEndWithTheTraining() throws Exception {
        Path log = Files.createFile(folder.resolve("started"));
        List<String> settings = with(
                arguments,
                "--set",
                "python.path=" + folder.resolve("modules"),
                "--set",
                "dataset={format: python, dataset: 'augment:Forgetful', args: {log: " + log + "}}",
                "--set",
                "transforms=[]");
        ClientProcess.Ended ended = Objects.requireNonNull(programs).millrace(settings.toArray(String[]::new));
        assertThat(ended.exitCode()).as("%s", ended).isZero();
        List<String> pids = Files.readAllLines(log);
        assertThat(pids).hasSizeGreaterThanOrEqualTo(4);
        // The system has reaped them, or will: a process that is killed runs no more.
        assertThat(pids).allMatch(pid -> !isRunning(Path.of("/proc", pid, "stat")));
    }

    private static boolean isRunning(Path status) {
        try {
            return !Files.readString(status).contains(") Z ");
        } catch (IOException ended) {
            return false;
        }
    }

    private static List<String> with(List<String> some, String... more) {
        List<String> all = new ArrayList<>(some);
        all.addAll(List.of(more));
        return all;
    }

    private static String embedded(List<String> settings, int line) throws Exception {
        List<String> all = with(arguments, settings.toArray(String[]::new));
        all.add("--json");
        CommandRun embedded = CommandRun.of(all.toArray(String[]::new));
        assertThat(embedded.exitCode()).as("%s", embedded).isZero();
        return sha(embedded.json(), line);
    }

    /** Returns the sum over the parameters; the line of the module has made a sample bad. */
    private static String sha(JsonNode summary, int line) throws Exception {
        assertThat(summary.required("status").asText()).as("%s", summary).isEqualTo("finished");
        assertThat(Files.readString(CommandRun.folder(runs).resolve("quarantine.jsonl")))
                .contains("augment.py:" + line + ": ValueError: not this one");
        return summary.required("parameters_sha256").asText();
    }

    /** Waits until the copies are gone from which the slots imported the modules. */
    private static void awaitNoCopies() throws Exception {
        List<Path> copies = Files.readAllLines(imported).stream()
                .filter(file -> file.contains("millrace-python-"))
                .map(Path::of)
                .toList();
        assertThat(copies).isNotEmpty();
        Objects.requireNonNull(started)
                .await("the end of the copies", () -> copies.stream().noneMatch(Files::exists));
    }

    private static String onTheCluster(List<String> settings, int line) throws Exception {
        List<String> all = with(arguments, settings.toArray(String[]::new));
        all.addAll(List.of("--set", "python.path=" + FOLDER));
        all.addAll(List.of("--cluster", Objects.requireNonNull(started).address()));
        ClientProcess.Ended run = Objects.requireNonNull(programs).millrace(all.toArray(String[]::new));
        assertThat(run.exitCode()).as("%s", run).isZero();
        return sha(CommandRun.summary(runs), line);
    }

    @Test
    void clusterTrainsTheSameWithoutTheFolder() throws Exception {
        assertThat(onTheCluster(List.of(), 10)).isEqualTo(expected);
        awaitNoCopies();
    }

    @Test
    void clusterReadsTheSameDatasetWithoutTheFolder() throws Exception {
        assertThat(onTheCluster(DATASET, 21)).isEqualTo(expectedOfDataset);
        awaitNoCopies();
    }

    @Test
    void jobOfFlinksClientTrainsTheSameWithoutTheFolder() throws Exception {
        List<String> flink = new ArrayList<>(List.of(
                "run",
                "-c",
                FlinkMain.class.getName(),
                Objects.requireNonNull(programs).jobJar().toString()));
        flink.addAll(with(arguments, "--set", "python.path=" + FOLDER));
        Path configuration = Objects.requireNonNull(started).cluster().folder().resolve("conf");
        ClientProcess.Ended run = Objects.requireNonNull(programs).flink(configuration, flink.toArray(String[]::new));
        assertThat(run.exitCode()).as("%s", run).isZero();
        assertThat(sha(CommandRun.summary(runs), 10)).isEqualTo(expected);
        awaitNoCopies();
    }
}
