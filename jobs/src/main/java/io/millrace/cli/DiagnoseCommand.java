package io.millrace.cli;

import io.millrace.config.ConfigException;
import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.diagnosis.Patience;
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
import io.millrace.pipeline.FileSystems;
import io.millrace.pipeline.Pipeline;
import io.millrace.report.RunFolder;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code diagnose <pipeline>}: which stage costs how much speed, and what to change. */
@Command(
        name = "diagnose",
        description = "Finds which stage costs how much speed, and what to change: runs the pipeline with its samples"
                + " cached at one place after another.",
        footer = {
            "  ./millrace diagnose conf/photos.yaml",
            "  ./millrace diagnose conf/photos.yaml --samples 512 --spread 2% --most 30s",
            "  ./millrace diagnose conf/photos.yaml --apply",
            "  ./millrace diagnose conf/photos.yaml --verify",
            "",
            "Training in these runs is real and dropped. --apply writes conf/photos.improved.yaml,",
            "--verify measures it, too, and prints prediction and outcome."
        })
final class DiagnoseCommand extends CliCommand {
    @Mixin
    private PipelineArguments pipeline = new PipelineArguments();

    @Mixin
    private PatienceArguments patience = new PatienceArguments();

    @Option(names = "--samples", paramLabel = "N", description = "How many samples are cached; default: 256.")
    private int samples = LadderPlan.SAMPLES;

    @Option(names = "--apply", description = "Write the pipeline with what is advised beside the original.")
    private boolean apply;

    @Option(names = "--verify", description = "As --apply, and measure what it gives.")
    private boolean verify;

    @Override
    public Integer call() throws Exception {
        if (samples < 1) {
            throw new UsageException("--samples: expected at least 1, found " + samples);
        }
        Patience waiting = patience.patience();
        PipelineConfig config = configured(List.of());
        if (config.trainers().ranks() > 1) {
            throw new UsageException("diagnose runs one trainer, found ranks: "
                    + config.trainers().ranks() + "; try --set ranks=1");
        }
        TrainCommand.requireDevice(config.device().kind());
        FileSystems.initialize(config.flink());
        KernelsTold.description(); // refuses what there is not, before any work is done
        PrintStream text = output().text();
        FirstUse.makeData(config, text);
        Path folder = RunFolder.fresh(
                        config.run().folder().resolve("diagnose"), LocalDateTime.now(ZoneId.systemDefault()))
                .path();
        Diagnosis diagnosis = diagnosed(config, waiting, folder, text);
        Map<String, @Nullable Object> json = new LinkedHashMap<>(diagnosis.json());
        if (apply || verify) {
            json.putAll(improved(diagnosis, waiting, folder, text));
        }
        output().result(json);
        return ExitCode.OK;
    }

    private PipelineConfig configured(List<String> advised) throws ConfigException {
        List<String> settings = new ArrayList<>(pipeline.settings());
        settings.addAll(advised);
        return ConfigReader.read(pipeline.file(), settings).withoutPlacement();
    }

    private Diagnosis diagnosed(PipelineConfig config, Patience waiting, Path folder, PrintStream text)
            throws Exception {
        LadderRun.Result result;
        Trial asItIs;
        try (Trials trials = Trials.start(Pipeline.slots(config), folder)) {
            LadderPlan plan = new LadderPlan(samples, waiting);
            result = LadderRun.measure(config, plan, trials, folder, rung -> text.println("measuring: " + rung));
            if (RungPipelines.isLowestRung(config)) {
                asItIs = result.nothingCached();
            } else {
                text.println("measuring: the pipeline as it is");
                asItIs = trials.run(RungPipelines.longer(config), waiting);
            }
        }
        Situation situation = Situation.of(config, asItIs.measurement(), FactsProbe.look(config));
        List<Predicted> advice = Advisor.advise(situation);
        Plan plan = Advisor.plan(situation, this::configured);
        text.println();
        LadderText.lines(result.ladder()).forEach(text::println);
        text.println(asItIs.measurement().verdict().line());
        asItIs.measurement().contradictions().forEach(text::println);
        text.println(advice.isEmpty() ? "nothing to advise" : "what would help, each by itself:");
        AdviceText.lines(advice).forEach(text::println);
        return new Diagnosis(result, asItIs, advice, plan);
    }

    /** Writes the improved pipeline, and measures it where that is asked for. */
    private Map<String, @Nullable Object> improved(Diagnosis diagnosis, Patience waiting, Path folder, PrintStream text)
            throws Exception {
        Plan plan = diagnosis.plan();
        if (plan.changes().isEmpty()) {
            text.println("nothing that could be changed in the file would help: none is written");
            return Map.of();
        }
        List<String> settings = new ArrayList<>(pipeline.settings());
        settings.addAll(plan.settings());
        Path file = ImprovedFile.write(pipeline.file(), settings);
        text.println("written to " + file + "; comments within sections that changed are lost");
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("improved", file.toString());
        if (verify) {
            PipelineConfig config = ConfigReader.read(file, List.of()).withoutPlacement();
            text.println("measuring: " + file);
            Trial trial;
            try (Trials trials = Trials.start(Pipeline.slots(config), folder.resolve("improved"))) {
                trial = trials.run(RungPipelines.longer(config), waiting);
            }
            json.put("achieved_images_per_s", trial.samplesPerSecond());
            json.put("prediction_error", error(plan.samplesPerSecond(), trial.samplesPerSecond()));
            text.println(outcome(diagnosis.asItIs().samplesPerSecond(), plan.samplesPerSecond(), trial));
        }
        return json;
    }

    private static @Nullable Double error(@Nullable Double predicted, double achieved) {
        return predicted == null || achieved <= 0 ? null : Double.valueOf(Math.abs(predicted - achieved) / achieved);
    }

    private static String outcome(double before, @Nullable Double predicted, Trial trial) {
        Double error = error(predicted, trial.samplesPerSecond());
        return String.format(
                Locale.ROOT,
                "before %,.1f images/s, predicted %s, achieved %,.1f%s",
                before,
                predicted == null ? "-" : String.format(Locale.ROOT, "%,.1f", predicted),
                trial.samplesPerSecond(),
                error == null ? "" : String.format(Locale.ROOT, " (off by %.0f %%)", 100 * error));
    }
}
