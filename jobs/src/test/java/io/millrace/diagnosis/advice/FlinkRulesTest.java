package io.millrace.diagnosis.advice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.diagnosis.CapacityModel;
import io.millrace.diagnosis.Measurement;
import io.millrace.diagnosis.Observed;
import io.millrace.diagnosis.Prediction;
import io.millrace.diagnosis.Setting;
import io.millrace.diagnosis.StageCost;
import io.millrace.diagnosis.Task;
import io.millrace.sample.SampleUnit;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the rules about Flink's processes on cases that can be calculated on paper. */
class FlinkRulesTest {
    /** A trainer that allows 1,000 samples per second. */
    private static final Task TRAINER = new Task("train", 1, List.of(new StageCost("train", 1, 0.001, 0.001)));

    @TempDir
    private Path folder;

    private PipelineConfig config(String checkpoint) throws Exception {
        Path file = Files.writeString(folder.resolve("a.yaml"), """
                dataset: { format: folder, path: photos }
                transforms: [ decode ]
                parallelism: 1
                train: { model: { mlp: { hidden: [16] } } }
                checkpoint: %s
                """.formatted(checkpoint));
        return ConfigReader.read(file, List.of());
    }

    /** The slot needs 10 ms for each sample, of which garbage collections take the given share. */
    private static Measurement measurement(double collecting, double storing) {
        Task decode = new Task("decode", 1, List.of(new StageCost("decode", 1, 0.01, 0.004)));
        CapacityModel model = new CapacityModel(List.of(decode), TRAINER, null, null, List.of(), collecting);
        return new Measurement(10, model, new Observed(100.0, 0.8, storing, SampleUnit.IMAGES, null), List.of());
    }

    private List<Predicted> advice(String checkpoint, double collecting, double storing) throws Exception {
        return Advisor.advise(Situation.of(
                config(checkpoint), new Setting(0, 1, 1), measurement(collecting, storing), DatasetFacts.UNKNOWN));
    }

    @Test
    void garbageCollectionsAreAnsweredWithALargerHeap() throws Exception {
        Predicted best = advice("off", 0.6, 0).get(0);

        assertThat(best.advice().reason()).startsWith("garbage collections stop all threads for 60 % of the time");
        assertThat(best.advice().change())
                .contains("MILLRACE_JVM_OPTS='-Xmn2g'", "taskmanager.memory.task.heap.size", "fewer");
        // Without collections the slot needs 4 ms for each sample. A twentieth of the 6 ms is likely to remain, and at
        // most 20 % of the time.
        Prediction prediction = Objects.requireNonNull(best.prediction());
        assertThat(prediction.likely()).isCloseTo(1 / (0.004 + 0.006 / 20), within(1e-6));
        assertThat(prediction.low()).isCloseTo(0.8 * 250 * 0.88, within(1e-6));
        assertThat(prediction.high()).isCloseTo(250 * 1.12, within(1e-6));
    }

    @Test
    void withoutCollectionsNoHeapIsProposed() throws Exception {
        assertThat(advice("off", 0, 0))
                .noneMatch(predicted -> predicted.advice().change().contains("heap"));
    }

    @Test
    void slowStorageIsAnsweredWithALongerInterval() throws Exception {
        Predicted last = advice("{ interval: 30s }", 0, 0.83).get(1);

        assertThat(last.advice().settings()).containsExactly("checkpoint.interval=2min");
        assertThat(last.advice().reason())
                .startsWith("Flink stores checkpoints for 83 % of the time")
                .contains("faster storage");
        assertThat(last.prediction()).isNull();
    }

    @Test
    void storageThatIsIdleHalfOfTheTimeIsFastEnough() throws Exception {
        assertThat(advice("{ interval: 30s }", 0, 0.5))
                .noneMatch(predicted -> predicted.advice().change().contains("checkpoint.interval"));
    }
}
