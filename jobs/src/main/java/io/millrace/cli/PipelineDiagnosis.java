package io.millrace.cli;

import io.millrace.config.ConfigException;
import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.diagnosis.Limit;
import io.millrace.diagnosis.Prediction;
import io.millrace.diagnosis.Setting;
import io.millrace.diagnosis.Trial;
import io.millrace.diagnosis.Trials;
import io.millrace.diagnosis.advice.AdviceText;
import io.millrace.diagnosis.advice.Advisor;
import io.millrace.diagnosis.advice.Plan;
import io.millrace.diagnosis.advice.Predicted;
import io.millrace.diagnosis.advice.Situation;
import io.millrace.diagnosis.ladder.FactsProbe;
import io.millrace.diagnosis.ladder.LadderPlan;
import io.millrace.diagnosis.ladder.LadderRun;
import io.millrace.diagnosis.ladder.LadderText;
import io.millrace.diagnosis.ladder.RungPipelines;
import io.millrace.generate.TimedProgress;
import io.millrace.pipeline.FileSystems;
import io.millrace.pipeline.Pipeline;
import io.millrace.pipeline.RunPlan;
import io.millrace.pipeline.RunPlanner;
import io.millrace.pipeline.TransformPlacement;
import io.millrace.report.RunFolder;
import io.millrace.report.VerdictSummary;
import io.millrace.report.html.DiagnosisData;
import io.millrace.run.ExitCode;
import io.millrace.run.FirstUse;
import io.millrace.run.KernelsInUse;
import io.millrace.run.RunSummaryPrinter;
import io.millrace.run.RunSummaryPrinter.Detail;
import io.millrace.run.UsageException;
import io.millrace.sample.SampleUnit;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The diagnosis of a pipeline file: the ladder of measurements, the verdict, and the recommended changes.
 *
 * <p>Tested by {@code DiagnoseCommandITCase}.
 */
final class PipelineDiagnosis {
    /** The treatment of the recommended changes. */
    enum Advised {
        PRINTED,
        APPLIED,
        VERIFIED
    }

    private final Path file;
    private final List<String> userSettings;
    private final LadderPlan ladder;
    private final Advisor.Values values;
    private final Detail detail;
    private final Output output;

    /**
     * Creates the diagnosis of a pipeline file.
     *
     * @param userSettings the settings that override the file
     * @param values whether recommended changes that are applied may change the values of samples
     */
    PipelineDiagnosis(
            Path file,
            List<String> userSettings,
            LadderPlan ladder,
            Advisor.Values values,
            Detail detail,
            Output output) {
        this.file = file;
        this.userSettings = List.copyOf(userSettings);
        this.ladder = ladder;
        this.values = values;
        this.detail = detail;
        this.output = output;
    }

    /** Runs the ladder and prints the results. */
    int run(Advised advised) throws Exception {
        PipelineConfig config = configured(List.of());
        if (config.train().trainers().ranks() > 1) {
            throw new UsageException("diagnose runs one trainer, found ranks: "
                    + config.train().trainers().ranks() + "; try --set ranks=1");
        }
        FileSystems.initialize(config.run().flink());
        KernelsInUse.description(); // rejects kernels that this machine lacks before any work is done
        PrintStream text = output.text();
        FirstUse.makeData(config, text);
        RunFolder folder =
                RunFolder.fresh(config.run().folder().resolve("diagnose"), LocalDateTime.now(ZoneId.systemDefault()));
        Diagnosis diagnosis = diagnosed(config, folder.path(), text);
        DiagnosisReport report = new DiagnosisReport(folder, config, diagnosis);
        Path page = report.write(List.of(), null);
        Map<String, @Nullable Object> json = new LinkedHashMap<>(diagnosis.json());
        if (advised != Advised.PRINTED) {
            json.putAll(improved(diagnosis, advised, report, text));
        }
        text.println("report  " + page);
        json.put("report", page.toString());
        output.result(json);
        return ExitCode.OK;
    }

    private PipelineConfig configured(List<String> advised) throws ConfigException {
        return ConfigReader.read(file, all(advised)).withoutPlacement();
    }

    private List<String> all(List<String> advised) {
        List<String> settings = new ArrayList<>(userSettings);
        settings.addAll(advised);
        return settings;
    }

    private Diagnosis diagnosed(PipelineConfig config, Path folder, PrintStream text) throws Exception {
        LadderRun.Result result;
        PipelineConfig placed = TransformPlacement.here(config);
        RunSummaryPrinter.places(text, placed);
        RunPlan planned = RunPlanner.plan(
                placed,
                Optional.empty(),
                new TimedProgress("counting tokens", "documents", text::println, System::nanoTime));
        try (Trials trials = Trials.start(Pipeline.slots(placed), folder)) {
            result = LadderRun.measure(placed, ladder, trials, folder, rung -> text.println("measuring: " + rung));
        }
        Trial asItIs = result.asItIs();
        Setting setting = Setting.of(placed, planned);
        SampleUnit unit = setting.unit();
        Situation situation = Situation.of(config, setting, asItIs.measurement(), FactsProbe.probe(config));
        List<Predicted> advice = Advisor.advise(situation, this::configured);
        Plan plan = Advisor.plan(situation, this::configured, values);
        text.println();
        VerdictSummary summary = asItIs.measurement().summary(null);
        Optional<Limit> limit = asItIs.measurement().verdict().limit();
        if (detail == Detail.VERBOSE) {
            LadderText.allFigures(result.ladder(), unit, limit).forEach(text::println);
            text.println(summary.line());
            summary.contradictions().forEach(text::println);
        } else {
            LadderText.lines(result.ladder(), unit, limit).forEach(text::println);
        }
        text.println("verdict " + summary.sentence());
        summary.packsLines().forEach(text::println);
        text.println(
                advice.isEmpty()
                        ? "no change is recommended"
                        : "recommended changes, with the throughput that each one alone would give:");
        AdviceText.lines(advice, unit).forEach(text::println);
        return new Diagnosis(result, advice, plan, unit);
    }

    /** Writes the improved pipeline, and measures it if requested. */
    private Map<String, @Nullable Object> improved(
            Diagnosis diagnosis, Advised advised, DiagnosisReport report, PrintStream text) throws Exception {
        Plan plan = diagnosis.plan();
        if (plan.changes().isEmpty()) {
            text.println("no change of the file would help: no improved file is written");
            return Map.of();
        }
        text.println("changes that are made together:");
        plan.changes().forEach(change -> text.println("  " + change.change() + "  (" + change.reason() + ")"));
        Path better = ImprovedFile.write(file, all(plan.settings()));
        text.println("written to " + better + "; comments in changed sections are lost");
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("improved", better.toString());
        report.write(plan.changes(), null);
        if (advised == Advised.VERIFIED) {
            PipelineConfig config =
                    TransformPlacement.here(ConfigReader.read(better, List.of()).withoutPlacement());
            text.println("measuring: " + better);
            Trial trial;
            try (Trials trials =
                    Trials.start(Pipeline.slots(config), report.folder().file("improved"))) {
                trial = trials.run(RungPipelines.longer(config), ladder.limits());
            }
            json.put("achieved_images_per_s", trial.samplesPerSecond());
            Prediction predicted = plan.prediction();
            json.put("prediction_error", error(predicted, trial.samplesPerSecond()));
            double before = diagnosis.asItIs().samplesPerSecond();
            text.println(outcome(before, diagnosis.unit(), predicted, trial));
            report.write(
                    plan.changes(),
                    new DiagnosisData.Outcome(
                            better.toString(),
                            before,
                            predicted == null ? null : predicted.text(),
                            trial.samplesPerSecond()));
        }
        return json;
    }

    private static @Nullable Double error(@Nullable Prediction predicted, double achieved) {
        return predicted == null || achieved <= 0
                ? null
                : Double.valueOf(Math.abs(predicted.likely() - achieved) / achieved);
    }

    private static String outcome(double before, SampleUnit unit, @Nullable Prediction predicted, Trial trial) {
        Double error = error(predicted, trial.samplesPerSecond());
        return String.format(
                Locale.ROOT,
                "before %,.1f %s, predicted %s, achieved %,.1f%s",
                before,
                unit.perSecond(),
                predicted == null ? "-" : predicted.text(),
                trial.samplesPerSecond(),
                error == null ? "" : String.format(Locale.ROOT, " (%.0f %% from the likely throughput)", 100 * error));
    }
}
