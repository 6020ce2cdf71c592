package io.millrace.train.update;

import static io.millrace.train.Vectors.part;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.millrace.batch.BatchSpec;
import io.millrace.train.TrainingFigures;
import io.millrace.train.Vectors;
import io.millrace.train.network.Models;
import io.millrace.train.spec.Recipe;
import io.millrace.train.spec.RunLength;
import io.millrace.train.spec.TrainData;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.spec.Tuning;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A comparison with torch.optim.lr_scheduler over 6 epochs of 10 steps from a rate of 0.5. */
class LearningRateTest {
    private static final double BASE = 0.5;

    @ParameterizedTest
    @CsvSource({
        "step, step, 0",
        "cosine, cosine, 0",
        "constant_warm_up, constant, 8",
        "cosine_warm_up, cosine, 8",
        "step_warm_up, step, 8"
    })
    void ratesEqualTorch(String recorded, String schedule, long warmUp) throws IOException {
        LearningRate rate = Schedules.of(spec(schedule, warmUp, 6), BASE);
        List<String[]> rows = Files.readAllLines(Vectors.file("schedules.csv")).stream()
                .map(line -> line.split(","))
                .filter(fields -> fields[0].equals(recorded))
                .toList();
        assertThat(rows).hasSize(60);
        for (String[] fields : rows) {
            assertThat(rate.at(Long.parseLong(fields[1])))
                    .as("step %s", fields[1])
                    .isCloseTo(Double.parseDouble(fields[2]), within(1e-13));
        }
    }

    @Test
    void cosineStaysAtZeroAfterItsEnd() {
        assertThat(Schedules.of(spec("cosine", 0, 6), BASE).at(1000)).isZero();
    }

    @Test
    void cosineWithoutAnEndIsRefused() {
        assertThatThrownBy(() -> Schedules.of(spec("cosine", 0, 0), BASE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("number of epochs");
    }

    @Test
    void warmUpAsLongAsTheRunIsRefused() {
        assertThatThrownBy(() -> Schedules.of(spec("cosine", 60, 6), BASE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("warm_up of 60")
                .hasMessageContaining("only 60");
    }

    private static TrainSpec spec(String schedule, long warmUp, int epochs) {
        Map<String, Object> options =
                schedule.equals("step") ? Map.of("every", 2L, "warm_up", warmUp) : Map.of("warm_up", warmUp);
        return new TrainSpec(
                new TrainData(new BatchSpec(List.of()), List.of()),
                new Recipe(
                        part(Models.all(), "none", Map.of()),
                        TrainingFigures.CROSS_ENTROPY,
                        TrainingFigures.SGD,
                        part(Schedules.all(), schedule, options),
                        0),
                new RunLength(10, epochs),
                Tuning.ofThreads(1));
    }
}
