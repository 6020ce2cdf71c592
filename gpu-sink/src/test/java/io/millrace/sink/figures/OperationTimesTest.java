package io.millrace.sink.figures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.millrace.train.StepTimes;
import io.millrace.train.TrainStep.StepResult;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class OperationTimesTest {
    @Test
    void partsOfStepsAreCountedByName() {
        OperationTimes times = new OperationTimes();
        for (int i = 1; i <= 100; i++) {
            times.waited(i);
            times.trained(new StepResult(0, 0, 0, new StepTimes(1, 2, i * 1_000_000L, 4, StepTimes.NONE, 6)));
        }
        times.evaluated(9);
        List<OperationTime> list = times.list();
        assertThat(list)
                .extracting(OperationTime::name)
                .as("without replicas nothing is exchanged")
                .containsExactly(
                        "wait for a batch", "inputs", "targets", "forward", "backward", "optimizer", "evaluation");
        OperationTime forward = list.get(3);
        assertThat(forward.count()).isEqualTo(100);
        assertThat(forward.totalNanos()).isEqualTo(5_050_000_000L);
        assertThat((double) forward.quantileNanos(0.99)).isCloseTo(99e6, Percentage.withPercentage(1));
    }

    @Test
    void stepWithoutPartsCountsOnlyItsTransfer() {
        OperationTimes times = new OperationTimes();
        times.trained(new StepResult(0, 7, 0));
        assertThat(times.list())
                .extracting(OperationTime::name, OperationTime::totalNanos)
                .containsExactly(tuple("inputs", 7L));
    }

    @Test
    void timesOfSeveralTrainersAreAddedAndTheTailIsThatOfAll() {
        OperationTimes quick = new OperationTimes();
        OperationTimes slow = new OperationTimes();
        for (int i = 0; i < 97; i++) {
            quick.evaluated(1_000_000);
        }
        for (int i = 0; i < 3; i++) {
            slow.evaluated(80_000_000);
        }
        List<OperationTime> both = OperationTime.sum(Stream.of(quick, slow).flatMap(times -> times.list().stream()));
        assertThat(both).hasSize(1);
        assertThat(both.get(0).count()).isEqualTo(100);
        assertThat(both.get(0).totalNanos()).isEqualTo(97_000_000L + 240_000_000L);
        assertThat((double) both.get(0).quantileNanos(0.5)).isCloseTo(1e6, Percentage.withPercentage(1));
        assertThat((double) both.get(0).quantileNanos(0.99)).isCloseTo(80e6, Percentage.withPercentage(1));
    }
}
