package io.millrace.sink.progress;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.sink.figures.ColumnBytes;
import io.millrace.sink.figures.TrainedBatch;
import io.millrace.train.TrainStep.StepResult;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;

class StepLineTest {
    private static final long[] EDGES = {
        0, 1, 499, 500, 501, 999, 1_499, 1_500, 999_499, 999_500, 1_000_000, 9_999_500, 99_000_500, 100_000_499, -1_500
    };

    @Test
    void timesAreRoundedAsTheFormatterRoundsThem() {
        Random random = new Random(1);
        for (int i = 0; i < 20_000; i++) {
            long wait = i < EDGES.length ? EDGES[i] : random.nextLong(1L << (1 + random.nextInt(42)));
            StepResult result = new StepResult(random.nextGaussian(), random.nextInt(1 << 30), random.nextInt(1 << 20));
            assertThat(StepLine.of(new TrainedBatch(i, 3, 64, ColumnBytes.NONE, false), result, wait))
                    .isEqualTo(String.format(
                            Locale.ROOT,
                            "%d,3,64,%s,%.3f,%.3f,%.3f\n",
                            i,
                            Float.toString((float) result.loss()),
                            wait / 1e6,
                            result.transferNanos() / 1e6,
                            result.computeNanos() / 1e6));
        }
    }

    @Test
    void unknownLossIsLeftOut() {
        assertThat(StepLine.of(
                        new TrainedBatch(7, 0, 1, ColumnBytes.NONE, false), new StepResult(Double.NaN, 0, 0), 1_000))
                .isEqualTo("7,0,1,,0.001,0.000,0.000\n");
    }
}
