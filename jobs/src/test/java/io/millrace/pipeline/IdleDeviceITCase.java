package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FlinkGauges;
import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.diagnosis.Trial;
import io.millrace.diagnosis.TrialLimits;
import io.millrace.diagnosis.Trials;
import io.millrace.metrics.Figure;
import io.millrace.metrics.Figures;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The figures of a run on a device that works asynchronously and idles for a known share of its time. A step lasts as long
 * as the device simulates. Batches reach it at the speed of a simulated link, whose times do not depend on the load of this
 * machine, or at the speed of a simulated network, whose times do. One micro-batch is one batch.
 */
@Tag("measurements")
class IdleDeviceITCase {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** One percentage point. */
    private static final double POINT = 0.01;

    /**
     * Delays by other processes are part of a run of a few seconds. The median step is free of them. On a machine that runs
     * nothing else, {@code -Didle.tolerance=0.01} succeeds.
     */
    private static final double LOADED_MACHINE = Double.parseDouble(System.getProperty("idle.tolerance", "0.1"));

    /** A link for which the device hardly waits is not named. */
    private static final double LEAST_IDLE_OF_A_LINK = 0.06;

    private static final int LOST_STEP_MILLIS = 40;
    private static final long BANDWIDTH = 10_000_000;
    private static final int ROWS = 5;

    /** The rows are small, because the CPU computes on them and must need less time than the shortest step. */
    private static final int ROW_BYTES = 32 * 32 * 3;

    @TempDir
    static Path folder;

    /** The first run of a process loads the engine, and its first steps are slow. */
    @BeforeAll
    static void warmUp() throws IOException {
        train("warm-up", pipeline(10, "", 20));
    }

    /** Returns a setting of the device by which a batch takes so long. */
    private static String carriedIn(String key, int millis) {
        return ", " + key + ": " + ROWS * ROW_BYTES * 1000L / millis + "B/s";
    }

    private static String pipeline(int stepMillis, String slowness, int steps) {
        return """
                name: idle
                dataset: {format: synthetic, size: %d, shape: [32, 32, 3], classes: 10}
                parallelism: 1
                batch: {size: %d}
                device: {transforms: [ToFloat], simulated_asynchronous: true, simulated_step: %dms%s}
                train: {model: none, threads: 1}
                run: {folder: %s, web_port: 0}
                tensorboard: true
                flink: {%s}
                """.formatted(steps * ROWS, ROWS, stepMillis, slowness, folder.resolve("runs"), FlinkGauges.SETTING);
    }

    private static CommandRun train(String name, String pipeline) throws IOException {
        FlinkGauges.forget();
        Path file = Files.writeString(folder.resolve(name + ".yaml"), pipeline);
        CommandRun run = CommandRun.of("train", file.toString(), "--verbose");
        assertThat(run.exitCode()).as("%s", run).isZero();
        return run;
    }

    @ParameterizedTest(name = "{0} of the time")
    @CsvSource({"0.00, 100, 50, 40", "0.01, 99, 100, 50", "0.05, 95, 100, 50", "0.50, 25, 50, 100", "0.95, 6, 120, 50"})
    void allFiguresShowTheTimeForWhichTheDeviceIdles(double idle, int stepMillis, int copyMillis, int steps)
            throws Exception {
        String pipeline = pipeline(stepMillis, carriedIn("simulated_bandwidth", copyMillis), steps);
        CommandRun run = train("idle", pipeline);

        assertWholeRun(run, idle);
        Map<String, Double> others = new LinkedHashMap<>(ofParts(run));
        others.put("the diagnosis", diagnosed(pipeline));
        assertThat(others).allSatisfy((name, share) -> assertThat(share).isCloseTo(idle, within(LOADED_MACHINE)));
        JsonNode verdict = CommandRun.summary(folder.resolve("runs")).path("verdict");
        if (idle > LEAST_IDLE_OF_A_LINK) {
            assertThat(verdict.path("limit").asText()).as("%s", verdict).isEqualTo("transfer");
            assertThat(verdict.path("kind").asText()).as("%s", verdict).isEqualTo("link");
        }
    }

    /** A new batch comes every 101 ms for a step of 100 ms, or every 200 ms. */
    @ParameterizedTest(name = "a step of 100 ms, a batch every {0} ms")
    @CsvSource({"101, 0.01, 60", "200, 0.50, 40"})
    void starvationByTheNetworkIsTheIdleTimeToo(int periodMillis, double idle, int steps) throws Exception {
        assertWholeRun(train("network", pipeline(100, carriedIn("simulated_network", periodMillis), steps)), idle);
    }

    /**
     * Asserts that all figures of the whole run agree, and that the device idles for the expected share.
     *
     * @param idle the share that the pipeline is made for; the start of a run and a busy machine make that of the whole run
     *     larger or smaller
     */
    private static void assertWholeRun(CommandRun run, double idle) throws IOException {
        Map<String, Double> figures = ofWholeRun(run);
        double summary = Objects.requireNonNull(figures.get("summary.json"));
        assertThat(figures).allSatisfy((name, share) -> assertThat(share).isCloseTo(summary, within(POINT)));
        assertThat(summary).isCloseTo(idle, within(LOADED_MACHINE));
        double[] shares = steps(CommandRun.folder(folder.resolve("runs")).resolve("steps.csv")).stream()
                .mapToDouble(Step::starvation)
                .sorted()
                .toArray();
        assertThat(shares[shares.length / 2]).as("the median step").isCloseTo(idle, within(POINT));
    }

    /**
     * An evaluation batch lasts as long as a step, and a checkpoint as long as the link needs for the state. Neither is
     * starvation.
     */
    @Test
    void timeLostToEvaluationAndCheckpointsIsCountedAsSuch() throws Exception {
        int epochs = 10;
        String pipeline =
                """
                name: lost
                dataset: {format: synthetic, size: 96, shape: [16, 16, 3], classes: 10, epochs: %d}
                evaluate: {dataset: {format: synthetic, size: 40, shape: [16, 16, 3], classes: 10}}
                parallelism: 1
                batch: {size: 8}
                device:
                    transforms: [ToFloat]
                    simulated_asynchronous: true
                    simulated_step: %dms
                    simulated_bandwidth: %dB/s
                train: {model: {mlp: {hidden: [256]}}, threads: 1, optimizer: {sgd: {momentum: 0.9}}}
                checkpoint: {interval: 700ms}
                run: {folder: %s, web_port: 0}
                tensorboard: true
                flink: {%s}
                """.formatted(epochs, LOST_STEP_MILLIS, BANDWIDTH, folder.resolve("runs"), FlinkGauges.SETTING);
        double evaluationSeconds = epochs * 5 * LOST_STEP_MILLIS / 1e3;

        Map<String, Double> starvation = ofWholeRun(train("lost", pipeline));

        JsonNode checkpoints = CommandRun.summary(folder.resolve("runs")).path("checkpoints");
        int count = checkpoints.path("count").asInt();
        double copySeconds = count * checkpoints.path("bytes").asDouble() / BANDWIDTH;
        assertThat(count).isPositive();
        // Before its first batch, each evaluation waits until the pipeline has filled again.
        assertThat(seconds(Figures.EVALUATION_NANOS)).isBetween(evaluationSeconds * 0.95, evaluationSeconds * 1.25);
        assertThat(CommandRun.summary(folder.resolve("runs"))
                        .path("evaluation_s")
                        .asDouble())
                .isCloseTo(seconds(Figures.EVALUATION_NANOS), withinPercentage(5));
        // The task publishes the metric with the next micro-batch, of which there may be none after the last
        // checkpoint.
        assertThat(seconds(Figures.CHECKPOINT_COPY_NANOS)).isBetween(copySeconds / count, copySeconds * 1.05);
        assertThat(checkpoints.path("copy_ms").asDouble() / 1e3).isCloseTo(copySeconds, withinPercentage(5));
        assertThat(starvation).allSatisfy((name, share) -> assertThat(share).isLessThan(LOADED_MACHINE));

        Map<String, Double> costs = new LinkedHashMap<>();
        tried(pipeline, 10)
                .measurement()
                .model()
                .trainer()
                .stages()
                .forEach(stage -> costs.put(stage.name(), stage.ownSecondsPerSample()));
        assertThat(costs.get("evaluate"))
                .as("%s", costs)
                .isCloseTo(evaluationSeconds / epochs / 96, withinPercentage(25));
        assertThat(costs.get("train")).as("%s", costs).isCloseTo(LOST_STEP_MILLIS / 1e3 / 8, withinPercentage(10));
        assertThat(costs.get("checkpoint")).as("%s", costs).isPositive();
    }

    private static double seconds(Figure figure) {
        return FlinkGauges.value(figure.name()) / 1e9;
    }

    /** Returns the starvation of a part of the run, 0 to 1: of the steps that the verdict or the epoch counts. */
    private static Map<String, Double> ofParts(CommandRun run) throws IOException {
        JsonNode summary = CommandRun.summary(folder.resolve("runs"));
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put(
                "the verdict",
                percent("starved (\\d+) %", summary.path("verdict").path("line").asText()));
        figures.put("the epoch's line", percent("epoch 1/1 .*starved (\\d+) %", run.out() + run.err()));
        return figures;
    }

    /** Returns the starvation of the whole run, 0 to 1, wherever it is shown. */
    private static Map<String, Double> ofWholeRun(CommandRun run) throws IOException {
        Path runs = folder.resolve("runs");
        JsonNode summary = CommandRun.summary(runs);
        String report = Files.readString(CommandRun.folder(runs).resolve("report.html"));
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("summary.json", summary.path("starvation").asDouble(Double.NaN));
        figures.put("the summary's line", percent("starved (\\d+) % of the time", run.out() + run.err()));
        figures.put("steps.csv", ofSteps(CommandRun.folder(runs).resolve("steps.csv")));
        figures.put("the report's tile", percent("starved</div><div class=\"value\">([0-9.]+) %", report));
        figures.put("the report's chart", ofChart(report));
        figures.put("the metrics", ofMetrics());
        figures.put("TensorBoard", ofTensorBoard(CommandRun.folder(runs)));
        return figures;
    }

    private static double percent(String pattern, String text) {
        Matcher found = Pattern.compile(pattern).matcher(text);
        assertThat(found.find()).as("%s in %s", pattern, text).isTrue();
        return Double.parseDouble(found.group(1)) / 100;
    }

    private static double ofSteps(Path file) throws IOException {
        List<Step> steps = steps(file);
        double waited = steps.stream().mapToDouble(Step::waitMillis).sum();
        return waited / steps.stream().mapToDouble(Step::millis).sum();
    }

    /** The time of a step in steps.csv, and the part of it for which the device idled. */
    private record Step(double waitMillis, double millis) {
        double starvation() {
            return waitMillis / millis;
        }
    }

    private static List<Step> steps(Path file) throws IOException {
        List<String> lines = Files.readAllLines(file);
        assertThat(lines.get(0)).isEqualTo("step,epoch,rows,loss,wait_ms,transfer_ms,compute_ms");
        return lines.stream()
                .skip(1)
                .map(line -> Stream.of(line.split(",", -1))
                        .skip(4)
                        .mapToDouble(Double::parseDouble)
                        .toArray())
                .map(millis -> new Step(millis[0], DoubleStream.of(millis).sum()))
                .toList();
    }

    /** Returns the mean over the chart's points, each weighted by its time. */
    private static double ofChart(String report) throws IOException {
        int begin = report.indexOf("\"course\":[{");
        assertThat(begin).isPositive();
        JsonNode line =
                JSON.readTree(report.substring(begin + "\"course\":".length())).get(0);
        double starved = 0;
        double whole = 0;
        double before = 0;
        for (JsonNode point : line.path("starvation")) {
            double seconds = point.get(0).asDouble() - before;
            before = point.get(0).asDouble();
            starved += seconds * point.get(1).asDouble() / 100;
            whole += seconds;
        }
        return starved / whole;
    }

    private static double ofMetrics() {
        double starved = FlinkGauges.value(Figures.STARVED_NANOS.name());
        return starved / (starved + FlinkGauges.value(Figures.STEP_NANOS.name()));
    }

    /** Returns the mean over the curve's points, each weighted by its time. */
    private static double ofTensorBoard(Path run) throws IOException {
        ByteBuffer events = ByteBuffer.allocate(1 << 20).order(ByteOrder.LITTLE_ENDIAN);
        try (Stream<Path> files = Files.list(run)) {
            for (Path file : files.filter(each -> each.getFileName().toString().contains("tfevents"))
                    .toList()) {
                events.put(Files.readAllBytes(file));
            }
        }
        events.flip();
        List<Double> rates = values(events, "images_per_s");
        List<Double> shares = values(events, "starvation");
        assertThat(shares).hasSameSizeAs(rates).isNotEmpty();
        double starved = 0;
        double whole = 0;
        for (int i = 0; i < rates.size(); i++) {
            starved += shares.get(i) / rates.get(i); // each step has as many rows
            whole += 1 / rates.get(i);
        }
        return starved / whole;
    }

    /** Returns the numbers that follow a tag: in a summary's value, field 1 is the tag and field 2 a float. */
    private static List<Double> values(ByteBuffer events, String tag) {
        byte[] name = tag.getBytes(StandardCharsets.UTF_8);
        List<Double> values = new ArrayList<>();
        for (int at = 0; at + name.length + 1 + Float.BYTES <= events.limit(); at++) {
            if (ByteBuffer.wrap(name).equals(events.slice(at, name.length))
                    && events.get(at + name.length) == (2 << 3 | 5)) {
                values.add((double) events.getFloat(at + name.length + 1));
            }
        }
        return values;
    }

    private static double diagnosed(String pipeline) throws Exception {
        return Objects.requireNonNull(
                tried(pipeline, 4).measurement().observed().starvation());
    }

    private static Trial tried(String pipeline, int seconds) throws Exception {
        Path file = Files.writeString(folder.resolve("diagnosed.yaml"), pipeline);
        PipelineConfig config = ConfigReader.read(file, List.of("dataset.epochs=endless"));
        TrialLimits limits = new TrialLimits(Duration.ofSeconds(1), 1e-9, Duration.ofSeconds(seconds));
        try (Trials trials = Trials.start(Pipeline.slots(config), Files.createTempDirectory(folder, "diagnosed"))) {
            return trials.run(config, limits);
        }
    }
}
