package io.millrace.run;

import io.millrace.config.DeviceConfig;
import io.millrace.config.PipelineConfig;
import io.millrace.order.SourceShares;
import io.millrace.pipeline.RunPlan;
import io.millrace.pipeline.web.OwnWeb;
import io.millrace.report.DeviceUseSummary;
import io.millrace.report.RunSummary;
import io.millrace.report.StageTable;
import io.millrace.report.Terminal;
import io.millrace.report.VerdictSummary;
import io.millrace.sample.Counted;
import io.millrace.sample.VisibleText;
import io.millrace.sink.files.QuarantineReasons;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A printer of the lines before and after a run. */
public final class RunSummaryPrinter {
    /** The largest number of reasons of bad samples that are printed. */
    private static final int MOST_REASONS = 3;

    private RunSummaryPrinter() {}

    /** Prints the data, the device or the clients, and the wire columns of a run, and the addresses of its web UI and its folder. */
    public static void begin(PrintStream text, PreparedRun run) {
        PipelineConfig config = run.config();
        RunPlan plan = run.plan();
        text.printf(
                Locale.ROOT,
                "%s: %s%s, batches of %d, %s%n",
                config.name(),
                plan.amount(),
                plan.classes().isEmpty()
                        ? ""
                        : " in " + Counted.of(plan.classes().size(), "class"),
                plan.batches().batch(),
                run.isServed() ? clients(config) : "device " + describe(config.device()));
        mixture(text, config, plan);
        plan.remarks().forEach(remark -> text.println("note    " + VisibleText.line(remark)));
        plan.columns().forEach(column -> text.println("sent    " + VisibleText.line(column.describe())));
        places(text, config);
        run.web().ifPresent(web -> text.println("web UI  " + OwnWeb.printed(web)));
        text.println("run     " + run.folder().path());
    }

    /** Prints the sizes of the datasets of a mixture, and its phases. */
    private static void mixture(PrintStream text, PipelineConfig config, RunPlan plan) {
        config.data().mix().ifPresent(mix -> {
            List<String> sizes = IntStream.range(
                            0, Math.min(MOST_SOURCES, plan.sources().count()))
                    .mapToObj(source -> plan.sources().get(source).name() + " " + plan.amount(source))
                    .toList();
            int more = plan.sources().count() - sizes.size();
            text.println("mix     " + String.join(", ", sizes)
                    + (more > 0 ? " and " + Counted.of(more, "more dataset") : ""));
            String phases = mix.plan().toString();
            text.println("phases  "
                    + (phases.length() <= MOST_TEXT ? phases : phases.substring(0, MOST_TEXT) + " ...")
                    + " (steps: weights)");
        });
    }

    private static String clients(PipelineConfig config) {
        int ranks = config.train().trainers().ranks();
        return ranks == 1 ? "for 1 client" : "for the clients of " + ranks + " ranks";
    }

    /** Returns the requested device. The trainer makes the final choice, which its summary reports. */
    private static String describe(DeviceConfig config) {
        if (config.simulated().asynchronous()) {
            return "simulated";
        }
        return switch (config.kind()) {
            case AUTO -> "auto (GPU or host)";
            case CUDA -> config.gpu().index().map(index -> "cuda:" + index).orElse("cuda");
            case HOST -> "host";
        };
    }

    /** Prints where each transform runs and why, for the transforms whose place the pipeline file sets. */
    public static void places(PrintStream text, PipelineConfig config) {
        config.device()
                .placed()
                .decisions()
                .forEach(decision -> text.println(
                        "place   " + decision.transform() + ": " + decision.place() + " (" + decision.reason() + ")"));
    }

    /** The largest number of datasets of a mixture that are named at the start. */
    private static final int MOST_SOURCES = 8;

    /** The largest length of the text of the phases. */
    private static final int MOST_TEXT = 400;

    /** The amount of text at the end of a run. */
    public enum Detail {
        /** What a user wants to know each time. */
        SHORT,
        /** Also the stages and all figures of the verdict. */
        VERBOSE
    }

    /**
     * Prints the verdict and the results of a run.
     *
     * @param shownDevice the description of the device that was printed while the job ran, which is not printed again
     */
    public static void end(PrintStream text, RunSummary summary, Detail detail, Optional<String> shownDevice) {
        VerdictSummary verdict = summary.verdict();
        boolean verbose = detail == Detail.VERBOSE;
        if (verbose) {
            text.println();
            text.print(StageTable.render(
                    summary.stages(), Terminal.textColumns(), verdict == null ? null : verdict.limitingStage()));
            summary.setup().unit().readNote().ifPresent(text::println);
            text.println();
            if (verdict != null) {
                text.println(verdict.line());
                verdict.contradictions().forEach(text::println);
            }
        }
        DeviceUseSummary device = summary.setup().deviceUse();
        if (device != null) {
            if (!shownDevice.equals(Optional.of(device.inShort()))) {
                text.println("device  " + device.inShort());
            }
            device.warnings().forEach(warning -> text.println("warning " + warning));
        }
        if (verdict != null) {
            text.println("verdict " + verdict.sentence());
            verdict.packsLines().forEach(text::println);
        }
        if (!summary.sources().isEmpty()) {
            text.println("mix     "
                    + summary.sources().stream().map(SourceShares.Share::text).collect(Collectors.joining(", ")));
        }
        text.println(lines(summary, detail));
    }

    /**
     * Prints why samples were bad, if the list of bad samples is on this machine.
     *
     * @param folder the run's folder
     * @throws IOException when the list is damaged; the message names it
     */
    public static void badSamples(PrintStream text, Path folder) throws IOException {
        QuarantineReasons.of(folder)
                .lines(MOST_REASONS)
                .forEach(line -> text.println("bad     " + VisibleText.line(line)));
    }

    /** Returns the exit code of the process. */
    public static int exitCode(RunSummary summary) {
        return switch (summary.status()) {
            case FINISHED -> ExitCode.OK;
            case INTERRUPTED -> ExitCode.INTERRUPTED;
            case FAILED -> ExitCode.FAILED;
        };
    }

    /** Returns one or two lines: the amount of work, and the known results of the training. */
    static String lines(RunSummary summary, Detail detail) {
        String end =
                switch (summary.status()) {
                    case FINISHED -> "finished";
                    case INTERRUPTED -> "interrupted";
                    case FAILED -> "failed after";
                };
        String line = String.format(
                Locale.ROOT,
                "%s %s in %s, %.1f s",
                end,
                Counted.of(summary.counts().samples(), "sample"),
                Counted.of(summary.counts().steps(), "step"),
                summary.speed().wallSeconds());
        List<String> facts = facts(summary, detail);
        return facts.isEmpty() ? line : line + "\n" + String.join(", ", facts);
    }

    /** Returns the known results of the training. */
    private static List<String> facts(RunSummary summary, Detail detail) {
        List<String> facts = new ArrayList<>();
        add(
                facts,
                isEvaluated(summary) ? "val loss %.4f" : "loss %.4f",
                summary.result().finalLoss());
        add(facts, "accuracy %.2f %%", percent(summary.result().finalAccuracy()));
        if (detail == Detail.VERBOSE) {
            add(facts, "starved %.0f %% of the time", percent(summary.speed().starvation()));
            add(facts, "%,.0f bytes saved for each sample", saved(summary));
        }
        long quarantined = summary.counts().quarantined();
        if (quarantined > 0) {
            // The table of stages counts a bad sample once in each epoch.
            String rows = detail == Detail.VERBOSE
                    ? " in " + Counted.of(summary.counts().quarantinedRows(), "row")
                    : "";
            facts.add(Counted.of(quarantined, "bad sample") + rows + " (quarantine.jsonl)");
        }
        return facts;
    }

    /** Returns whether the loss of the run is that of an evaluation. */
    private static boolean isEvaluated(RunSummary summary) {
        return summary.result().epochResults().stream().anyMatch(epoch -> epoch.evaluationLoss() != null);
    }

    /** Returns the bytes that the wire types saved for each sample; null when it is less than 1 or unknown. */
    private static @Nullable Double saved(RunSummary summary) {
        Double saved = summary.wireColumns().savedBytesPerSample();
        return saved == null || saved < 1 || summary.counts().samples() == 0 ? null : saved;
    }

    private static @Nullable Double percent(@Nullable Double share) {
        return share == null ? null : Double.valueOf(100 * share);
    }

    private static void add(List<String> facts, String format, @Nullable Double value) {
        if (value != null) {
            facts.add(String.format(Locale.ROOT, format, value));
        }
    }
}
