package io.millrace.diagnosis.planted;

import io.millrace.config.ConfigException;
import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.dataset.DatasetException;
import io.millrace.diagnosis.Measurement;
import io.millrace.diagnosis.PlantedBottlenecks;
import io.millrace.diagnosis.Prediction;
import io.millrace.diagnosis.Trial;
import io.millrace.diagnosis.TrialLimits;
import io.millrace.diagnosis.Trials;
import io.millrace.pipeline.Pipeline;
import io.millrace.python.PythonException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A test of the diagnosis on planted bottlenecks: whether it names them, and how exact its predictions are. Stateless. */
public final class SelfTest implements PlantedBottlenecks {
    /** The limits of a run. They are short because the pipelines are small, and some fifty runs must end within minutes. */
    private static final TrialLimits LIMITS = new TrialLimits(Duration.ofSeconds(2), 0.03, Duration.ofSeconds(8));

    private static final Logger LOG = LoggerFactory.getLogger(SelfTest.class);

    @Override
    public List<String> names() {
        return Plants.all().stream().map(Plant::name).toList();
    }

    @Override
    public Results run(Path folder, List<String> names, PrintStream text) throws Exception {
        text.println(SelfTestText.header());
        List<CaseResult> results = run(
                folder,
                names,
                result -> text.println(SelfTestText.line(result)),
                (name, reason) -> text.println(name + ": not run: " + reason));
        text.print(SelfTestText.summary(results));
        return new Results(results, !results.isEmpty() && results.stream().allMatch(CaseResult::passed));
    }

    /**
     * Runs cases as {@link #run(Path, List, PrintStream)} does.
     *
     * @param listener receives the result of each case when the case ends
     * @param notRun receives the name of each case that needs a Python which this machine does not have, and the reason
     * @throws IllegalArgumentException when a name is unknown
     */
    List<CaseResult> run(
            Path folder, List<String> names, Consumer<CaseResult> listener, BiConsumer<String, String> notRun)
            throws Exception {
        List<Written> cases = new ArrayList<>();
        int slots = 1;
        for (Plant plant : names.stream().map(Plants::named).toList()) {
            Written written = write(folder, plant);
            cases.add(written);
            slots = Math.max(slots, Math.max(Pipeline.slots(written.before), Pipeline.slots(written.after)));
        }
        List<CaseResult> results = new ArrayList<>();
        try (Trials trials = Trials.start(slots, folder)) {
            for (Written written : cases) {
                try {
                    CaseResult result = run(trials, written);
                    results.add(result);
                    listener.accept(result);
                } catch (DatasetException e) {
                    if (!(e.getCause() instanceof PythonException)) {
                        throw e;
                    }
                    notRun.accept(written.plant.name(), String.valueOf(e.getMessage()));
                }
            }
        }
        return results;
    }

    /** A case with its data written and its pipelines read. */
    private record Written(Plant plant, PipelineConfig before, PipelineConfig after, Optional<PipelineConfig> least) {}

    private static Written write(Path folder, Plant plant) throws IOException, ConfigException {
        Path data = Files.createDirectories(folder.resolve(plant.name()));
        plant.setting().data().write(data);
        Path file = folder.resolve(plant.name() + ".yaml");
        Files.writeString(file, plant.setting().pipeline().replace(Plant.DATA, data.toString()));
        List<String> fix = plant.fix().settings().stream()
                .map(setting -> setting.replace(Plant.DATA, data.toString()))
                .toList();
        Optional<PipelineConfig> least = plant.fix().least().isEmpty()
                ? Optional.empty()
                : Optional.of(ConfigReader.read(file, plant.fix().least()));
        return new Written(plant, ConfigReader.read(file, List.of()), ConfigReader.read(file, fix), least);
    }

    /** The part of the time of a least step that the larger model's step is likely to contain too. */
    private static final double LIKELY_LEAST = 0.15;

    /**
     * Returns the predicted throughput after the fix; null when there is none. How much of the time of a least step the step
     * with the culprit contains is unknown, because parts of both may pass at the same time.
     */
    private static @Nullable Prediction prediction(Plant plant, Measurement measured, double freed, double least) {
        Function<Double, Optional<Prediction>> predicted = part ->
                measured.predicted(model -> plant.fix().fixed().of(model, new Plant.Known(freed, part * least)));
        return predicted
                .apply(LIKELY_LEAST)
                .map(likely -> predicted.apply(0.0).map(likely::including).orElse(likely))
                .map(likely -> predicted.apply(1.0).map(likely::including).orElse(likely))
                .map(samples -> samples.times(plant.predictedPerSample(measured.observed())))
                .orElse(null);
    }

    private static CaseResult run(Trials trials, Written written) throws Exception {
        try (Plant.Disturbance.Running load = written.plant.setting().load().start()) {
            CaseResult result = measured(trials, written);
            LOG.info("{}: a load of {} cores beside it", result.name(), load.cores());
            return result;
        }
    }

    private static CaseResult measured(Trials trials, Written written) throws Exception {
        Plant plant = written.plant;
        Trial before;
        double freed;
        try (Plant.Disturbance.Running others = plant.setting().disturbance().start()) {
            before = trials.run(written.before, LIMITS);
            freed = others.cores();
        }
        Measurement measured = before.measurement();
        double least = written.least.isEmpty()
                ? 0
                : trials.run(written.least.get(), LIMITS)
                        .measurement()
                        .model()
                        .stepSecondsPerSample()
                        .orElse(0);
        Trial after = trials.run(written.after, LIMITS);
        LOG.info("{} with its culprit: {} {}", plant.name(), measured.observed(), measured.model());
        LOG.info(
                "{} without: {} {}",
                plant.name(),
                after.measurement().observed(),
                after.measurement().model());
        return new CaseResult(
                plant.name(),
                plant.planted(),
                plant.named(measured.verdict()),
                before.samplesPerSecond() * plant.perSample(measured.observed()),
                prediction(plant, measured, freed, least),
                after.samplesPerSecond() * plant.perSample(after.measurement().observed()));
    }
}
