package io.millrace.diagnosis.advice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.diagnosis.CapacityModel;
import io.millrace.diagnosis.Measurement;
import io.millrace.diagnosis.Observed;
import io.millrace.diagnosis.Setting;
import io.millrace.diagnosis.StageCost;
import io.millrace.diagnosis.Task;
import io.millrace.metrics.CodeLine;
import io.millrace.metrics.CodeProfile;
import io.millrace.rest.StageReading;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CodeRulesTest {
    private static final Task TRAINER = new Task("train", 1, List.of(new StageCost("train", 1, 0.001, 0.001)));

    @TempDir
    private Path folder;

    /** The slot needs 10 ms for each sample, of which the line takes the given share. */
    private List<Predicted> advice(long percent) throws Exception {
        Path file = Files.writeString(folder.resolve("a.yaml"), """
                dataset: { format: folder, path: photos }
                transforms: [ decode, python: { call: "augment:noise" } ]
                parallelism: 1
                train: { model: { mlp: { hidden: [16] } } }
                """);
        PipelineConfig config = ConfigReader.read(file, List.of());
        Task task = new Task("python", 1, List.of(new StageCost("python", 1, 0.01, 0.01)));
        CapacityModel model = new CapacityModel(List.of(task), TRAINER, 8.0, List.of());
        CodeProfile code = new CodeProfile(
                "augment:noise", 100, List.of(new CodeLine("augment.py", 31, "noise", "image += 1", percent)));
        Measurement measured = new Measurement(10, model, new Observed(100.0, 0.8), List.of())
                .with(List.of(StageReading.unknown("python").with(code)));
        return Advisor.advise(Situation.of(config, new Setting(0, 1, 1), measured, DatasetFacts.UNKNOWN));
    }

    @Test
    void costlyLineIsNamedAndThePredictionIsWithoutIt() throws Exception {
        Predicted made = advice(75).stream()
                .filter(predicted -> predicted.advice().change().equals("make this line cheaper: image += 1"))
                .findFirst()
                .orElseThrow();

        assertThat(made.advice().reason())
                .isEqualTo("augment:noise spends 75 % of its time in augment.py:31 of noise; the prediction is without"
                        + " this line");
        assertThat(Objects.requireNonNull(made.prediction()).likely()).isCloseTo(400, within(1e-6));
    }

    @Test
    void slotsAreProposedToo() throws Exception {
        assertThat(advice(75)).anyMatch(predicted -> predicted.advice().change().startsWith("--set parallelism="));
    }

    @Test
    void cheapLineIsNoChange() throws Exception {
        assertThat(advice(19))
                .noneMatch(predicted -> predicted.advice().change().contains("line"));
    }
}
