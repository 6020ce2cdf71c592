package io.millrace.cli;

import io.millrace.config.ConfigReader;
import io.millrace.config.DatasetConfig;
import io.millrace.config.EvaluateConfig;
import io.millrace.config.PipelineConfig;
import io.millrace.dataset.DatasetSpec;
import io.millrace.inspect.DatasetInspector;
import io.millrace.inspect.DatasetSummary;
import io.millrace.inspect.SummaryText;
import io.millrace.pipeline.FileSystems;
import io.millrace.run.ExitCode;
import io.millrace.run.FirstUse;
import io.millrace.run.UsageException;
import io.millrace.sample.Split;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
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
            "",
            "The sha256 is the hash of the decoded pixels before any other transform: uint8,",
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
                    "Read and decode every sample, and list the bad ones; transforms after decode are not tested.")
    private boolean scan;

    @Override
    public Integer call() throws Exception {
        if (first < 0 || first > MOST_FIRST) {
            throw new UsageException("--first: expected 0 to " + MOST_FIRST + " samples, found " + first);
        }
        PipelineConfig config = ConfigReader.read(pipeline.file(), pipeline.settings());
        FileSystems.initialize(config.run().flink());
        PrintStream text = output().text();
        FirstUse.makeData(config, text);
        DatasetSummary training = summary(config, Split.TRAIN);
        text.print(SummaryText.render(title("training", config.data().dataset().spec()), training));
        Map<String, Object> result = new LinkedHashMap<>(training.toJson());
        Optional<DatasetConfig> evaluate = config.evaluate().map(EvaluateConfig::dataset);
        if (evaluate.isPresent()) {
            DatasetSummary evaluation = summary(config, Split.EVALUATE);
            text.println();
            text.print(SummaryText.render(title("evaluation", evaluate.get().spec()), evaluation));
            result.put("evaluation", evaluation.toJson());
        }
        output().result(result);
        return ExitCode.OK;
    }

    private DatasetSummary summary(PipelineConfig config, Split split) throws IOException, InterruptedException {
        DatasetSummary summary = DatasetInspector.inspect(config, split, first);
        if (!scan) {
            return summary;
        }
        AtomicLong printedNanos = new AtomicLong(System.nanoTime());
        return summary.scanned(DatasetInspector.scan(config, split, done -> {
            long printed = printedNanos.get();
            long now = System.nanoTime();
            if (now - printed > PROGRESS_INTERVAL.toNanos() && printedNanos.compareAndSet(printed, now)) {
                System.err.printf(Locale.ROOT, "%,d of %,d samples scanned%n", done, summary.size());
            }
        }));
    }

    private static String title(String use, DatasetSpec spec) {
        return "dataset for " + use + ": " + spec.format()
                + (spec.path().equals(spec.format()) ? "" : " " + spec.path());
    }
}
