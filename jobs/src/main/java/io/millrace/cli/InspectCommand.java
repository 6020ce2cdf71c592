package io.millrace.cli;

import io.millrace.config.ConfigReader;
import io.millrace.config.DatasetConfig;
import io.millrace.config.EvaluateConfig;
import io.millrace.config.PipelineConfig;
import io.millrace.config.SourceConfig;
import io.millrace.dataset.DatasetSpec;
import io.millrace.inspect.DatasetInspector;
import io.millrace.inspect.DatasetSummary;
import io.millrace.inspect.SummaryText;
import io.millrace.inspect.reference.ComparisonResult;
import io.millrace.inspect.reference.ComparisonText;
import io.millrace.inspect.reference.ReferenceComparison;
import io.millrace.inspect.reference.ReferenceException;
import io.millrace.pipeline.FileSystems;
import io.millrace.python.DatasetCheck;
import io.millrace.python.PythonDatasetFormat;
import io.millrace.run.ExitCode;
import io.millrace.run.FirstUse;
import io.millrace.run.UsageException;
import io.millrace.sample.Split;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command {@code inspect <pipeline>}, which describes the datasets of a pipeline. */
@Command(
        name = "inspect",
        description = "Describes a dataset: its size, classes, shapes and first samples, including bad ones.",
        footer = {
            "  ./millrace inspect conf/digits.yaml",
            "  ./millrace inspect conf/photos.yaml --first 100 --json",
            "  ./millrace inspect conf/photos.yaml --scan",
            "  ./millrace inspect data/web.jsonl                   (data in place of a pipeline file)",
            "  ./millrace inspect data/photos --compare-with python3",
            "  ./millrace inspect my.yaml --check",
            "",
            "The sha256 (--verbose, --json) is the hash of the decoded pixels before any other transform: uint8,",
            "[height, width, channels], row by row. With Pillow:",
            "  hashlib.sha256(Image.open(file).convert('RGB').tobytes()).hexdigest()"
        })
final class InspectCommand extends CliCommand {
    private static final long MOST_FIRST = 1_000_000;
    private static final Duration PROGRESS_INTERVAL = Duration.ofSeconds(3);

    @Mixin
    private PipelineArguments pipeline = new PipelineArguments();

    @Option(
            names = "--first",
            paramLabel = "N",
            description = "The number of samples to read and transform; default: 8.")
    private long first = 8;

    @Option(
            names = "--scan",
            description =
                    "Read and decode every sample, and count the bad ones by their reasons, or with --verbose list them;"
                            + " transforms after decode are not tested.")
    private boolean scan;

    @Option(
            names = "--compare-with",
            paramLabel = "PYTHON",
            description =
                    "Compare all values in the files of a folder, or of the pipeline's dataset, with those that this"
                            + " interpreter reads with Pillow, pyarrow, h5py and others, and print a table. The exit code is 1"
                            + " if a value differs.")
    private @Nullable String compareWith;

    @Option(
            names = "--check",
            description =
                    "Check the Python datasets of the pipeline: read some items twice, in two processes and in another order,"
                            + " and name what differs. The exit code is 1 if anything does.")
    private boolean check;

    @Option(
            names = "--verbose",
            description =
                    "Also print the sha256 of each first sample's decoded pixels, and each bad sample; --json always has both.")
    private boolean verbose;

    @Override
    public Integer call() throws Exception {
        if (compareWith != null) {
            return compare(compareWith);
        }
        if (check) {
            return check();
        }
        if (first < 0 || first > MOST_FIRST) {
            throw new UsageException("--first: expected 0 to " + MOST_FIRST + " samples, found " + first);
        }
        PipelineConfig config = pipeline.ofFileOrData();
        FileSystems.initialize(config.run().flink());
        PrintStream text = output().text();
        FirstUse.makeData(config, text);
        Map<String, Object> result = new LinkedHashMap<>();
        List<DatasetSummary> trained = new ArrayList<>();
        for (PipelineConfig each : config.bySource()) {
            SourceConfig source = each.data().sources().get(0);
            DatasetSummary training = summary(each, Split.TRAIN);
            trained.add(training);
            if (source.name().isEmpty()) {
                result.putAll(training.toJson());
            } else {
                result.put(source.section(), training.toJson());
            }
            text.print(SummaryText.render(
                    title(
                            source.name().isEmpty() ? "training" : source.name(),
                            source.dataset().spec()),
                    training,
                    verbose));
        }
        Optional<DatasetConfig> evaluate = config.evaluate().map(EvaluateConfig::dataset);
        if (evaluate.isPresent()) {
            DatasetSummary evaluation = summary(config, Split.EVALUATE);
            text.println();
            text.print(SummaryText.render(title("evaluation", evaluate.get().spec()), evaluation, verbose));
            result.put("evaluation", evaluation.toJson());
        }
        output().result(result);
        if (trained.stream().anyMatch(one -> one.first().isEmpty() && !one.bad().isEmpty())) {
            err().println("millrace: none of the samples that were read is good: see the reasons above");
            return ExitCode.FAILED;
        }
        return ExitCode.OK;
    }

    private int check() throws Exception {
        PipelineConfig config = ConfigReader.read(pipeline.file(), pipeline.settings());
        Map<String, DatasetSpec> datasets = new LinkedHashMap<>();
        config.data()
                .sources()
                .forEach(source ->
                        datasets.put(source.section(), source.dataset().spec()));
        config.evaluate()
                .ifPresent(found ->
                        datasets.put("evaluate.dataset", found.dataset().spec()));
        datasets.values().removeIf(spec -> !spec.format().equals(PythonDatasetFormat.NAME));
        if (datasets.isEmpty()) {
            throw new UsageException("--check: expected a dataset of the format python, found "
                    + config.data().dataset().spec().format()
                    + "; --scan lists the bad samples of a dataset of any format");
        }
        Map<String, Object> result = new LinkedHashMap<>();
        boolean good = true;
        for (Map.Entry<String, DatasetSpec> each : datasets.entrySet()) {
            DatasetCheck found = DatasetCheck.of(each.getValue().options());
            good &= found.findings().isEmpty();
            output().text().print(CheckText.render(each.getKey(), found));
            result.put(
                    each.getKey(), Map.of("size", found.size(), "items", found.items(), "findings", found.findings()));
        }
        output().result(result);
        return good ? ExitCode.OK : ExitCode.FAILED;
    }

    private int compare(String python) throws Exception {
        Path path = comparedPath();
        try {
            ComparisonResult result = ReferenceComparison.of(path, python, progress("files compared"));
            output().text().print(ComparisonText.render(result));
            output().result(result.toJson());
            return result.hasDifferences() ? ExitCode.FAILED : ExitCode.OK;
        } catch (ReferenceException e) {
            throw new UsageException("--compare-with: " + e.getMessage());
        }
    }

    /** Returns the argument if it is no pipeline file, or else the place of the pipeline's dataset. */
    private Path comparedPath() throws Exception {
        Path given = pipeline.file();
        String name = given.toString();
        if (!name.endsWith(".yaml") && !name.endsWith(".yml")) {
            FileSystems.initialize(Map.of());
            if (!Files.exists(given)) {
                throw new UsageException("no such file or folder: " + given);
            }
            return given;
        }
        PipelineConfig config = ConfigReader.read(given, pipeline.settings());
        FileSystems.initialize(config.run().flink());
        FirstUse.makeData(config, output().text());
        if (config.data().mix().isPresent()) {
            throw new UsageException(
                    "--compare-with: expected a pipeline with one dataset, found a mixture; give the folder of the files"
                            + " of one of its datasets instead of the pipeline file");
        }
        String place = config.data().dataset().spec().path();
        if (!Files.exists(Path.of(place))) {
            throw new UsageException(
                    "--compare-with: expected a dataset.path that is one file or folder of this machine," + " found "
                            + place + "; give the folder of its files instead of the pipeline file");
        }
        return Path.of(place);
    }

    private DatasetSummary summary(PipelineConfig config, Split split) throws IOException, InterruptedException {
        DatasetSummary summary = DatasetInspector.inspect(config, split, first);
        if (!scan) {
            return summary;
        }
        return summary.scanned(DatasetInspector.scan(
                config,
                split,
                progress("of " + String.format(Locale.ROOT, "%,d", summary.size()) + " samples scanned")));
    }

    /** Returns a consumer of counts, which prints one on standard error from time to time. */
    private static LongConsumer progress(String what) {
        AtomicLong printedNanos = new AtomicLong(System.nanoTime());
        return done -> {
            long printed = printedNanos.get();
            long now = System.nanoTime();
            if (now - printed > PROGRESS_INTERVAL.toNanos() && printedNanos.compareAndSet(printed, now)) {
                System.err.printf(Locale.ROOT, "%,d %s%n", done, what);
            }
        };
    }

    private static String title(String use, DatasetSpec spec) {
        return "dataset for " + use + ": " + spec.format()
                + (spec.path().equals(spec.format()) ? "" : " " + spec.path());
    }
}
