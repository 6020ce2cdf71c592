package io.millrace.diagnosis.planted;

import io.millrace.config.ConfigException;
import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.diagnosis.Measurement;
import io.millrace.diagnosis.Trial;
import io.millrace.diagnosis.TrialLimits;
import io.millrace.diagnosis.Trials;
import io.millrace.pipeline.Pipeline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs planted bottlenecks, one after another: does the diagnosis name them, and is what it predicts true? */
public final class SelfTest {
    /** Small pipelines, which warm up soon; thirty runs have to end within minutes. */
    private static final TrialLimits PATIENCE = new TrialLimits(Duration.ofSeconds(2), 0.03, Duration.ofSeconds(8));

    private static final Logger LOG = LoggerFactory.getLogger(SelfTest.class);

    private final Path folder;
    private final List<Plant> plants;

    private SelfTest(Path folder, List<Plant> plants) {
        this.folder = folder;
        this.plants = List.copyOf(plants);
    }

    /**
     * All cases.
     *
     * @param folder that exists, for their data and what the runs write
     */
    public static SelfTest all(Path folder) {
        return new SelfTest(folder, Plants.all());
    }

    /**
     * Some cases.
     *
     * @throws IllegalArgumentException when there is none of a name
     */
    public static SelfTest of(Path folder, List<String> names) {
        return new SelfTest(folder, names.stream().map(Plants::named).toList());
    }

    /**
     * Runs them.
     *
     * @param listener told of each case when it is done
     * @throws IOException with a sentence, when a pipeline fails
     */
    public List<CaseResult> run(Consumer<CaseResult> listener) throws Exception {
        List<Written> written = new ArrayList<>();
        int slots = 1;
        for (Plant plant : plants) {
            Written made = write(plant);
            written.add(made);
            slots = Math.max(slots, Math.max(Pipeline.slots(made.before), Pipeline.slots(made.after)));
        }
        List<CaseResult> results = new ArrayList<>();
        try (Trials trials = Trials.start(slots, folder)) {
            for (Written made : written) {
                CaseResult result = run(trials, made);
                results.add(result);
                listener.accept(result);
            }
        }
        return results;
    }

    /** A case whose data is written and whose pipelines are read. */
    private record Written(Plant plant, PipelineConfig before, PipelineConfig after) {}

    private Written write(Plant plant) throws IOException, ConfigException {
        Path data = Files.createDirectories(folder.resolve(plant.name()));
        plant.data().write(data);
        Path file = folder.resolve(plant.name() + ".yaml");
        Files.writeString(file, plant.pipeline().replace(Plant.DATA, data.toString()));
        List<String> fix = plant.fix().stream()
                .map(setting -> setting.replace(Plant.DATA, data.toString()))
                .toList();
        return new Written(plant, ConfigReader.read(file, List.of()), ConfigReader.read(file, fix));
    }

    private static CaseResult run(Trials trials, Written made) throws Exception {
        Plant plant = made.plant;
        Trial before;
        double freed;
        try (Plant.Surroundings.Going others = plant.surroundings().begin()) {
            before = trials.run(made.before, PATIENCE);
            freed = others.cores();
        }
        Measurement measured = before.measurement();
        Trial after = trials.run(made.after, PATIENCE);
        LOG.info("{} with its culprit: {} {}", plant.name(), measured.observed(), measured.model());
        LOG.info(
                "{} without: {} {}",
                plant.name(),
                after.measurement().observed(),
                after.measurement().model());
        return new CaseResult(
                plant.name(),
                plant.planted(),
                measured.verdict()
                        .limit()
                        .map(limit -> Plant.told(limit.kind(), limit.culprit()))
                        .orElse("unknown"),
                before.samplesPerSecond(),
                measured.predicted(model -> plant.fixed().of(model, freed)).orElse(null),
                after.samplesPerSecond());
    }
}
