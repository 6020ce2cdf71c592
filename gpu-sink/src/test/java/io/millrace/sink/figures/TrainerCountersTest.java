package io.millrace.sink.figures;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.sink.files.StateBytes;
import io.millrace.sink.files.StateBytes.Kind;
import io.millrace.sink.progress.Progress;
import io.millrace.sink.trainer.StoredState;
import java.util.List;
import org.junit.jupiter.api.Test;

class TrainerCountersTest {
    private static final TrainerCounters.Times TIMES = TrainerCounters.Times.NONE
            .plusStarved(1)
            .plusStep(2, 3)
            .plusEvaluation(4)
            .withCpu(5);

    private static final TrainerCounters TWO_STEPS =
            TrainerCounters.NONE.plusStep(8, 100, 7_000).plusStep(4, 50, 8_000).with(TIMES);

    @Test
    void stepsAreAddedUpAndTheFirstKeepsItsTime() {
        assertThat(TWO_STEPS).isEqualTo(new TrainerCounters(2, 12, 150, 7_000, TIMES, 0, 0));
        assertThat(TIMES).isEqualTo(new TrainerCounters.Times(1, 2, 3, 4, 5));
    }

    @Test
    void continuedRunCountsOnAndItsFirstStepIsStillToCome() {
        assertThat(TWO_STEPS.inAnotherRun()).isEqualTo(new TrainerCounters(2, 12, 150, -1, TIMES, 2, 12));
    }

    @Test
    void severalTrainersHaveTheSumsTheFewestStepsAndTheLongestTimes() {
        TrainerCounters other = TrainerCounters.NONE.plusStep(8, 100, 6_000).with(TIMES.plusStarved(10));

        assertThat(TrainerCounters.whole(List.of(TWO_STEPS, other)))
                .isEqualTo(new TrainerCounters(1, 20, 250, 6_000, new TrainerCounters.Times(11, 2, 3, 4, 10), 0, 0));
    }

    @Test
    void trainerThatMadeNoStepHasNoPartInTheTimeOfTheFirst() {
        assertThat(TrainerCounters.whole(List.of(TWO_STEPS, TrainerCounters.NONE))
                        .firstStepAtMillis())
                .isEqualTo(7_000);
    }

    @Test
    void progressIsWrittenWithTheValuesOfAllPartsSideBySideAsItIsStored() throws Exception {
        ObjectMapper json = new ObjectMapper();
        JsonNode stored = json.readTree(StateBytes.unwrap(Kind.PROGRESS, StoredState.bytes("progress-v1.bin")));

        assertThat(stored.at("/trainer/epochs").isMissingNode())
                .as("the state was stored before trainers had records of epochs")
                .isTrue();
        assertThat(json.readTree(StoredState.progress().json()))
                .isEqualTo(json.readTree(Progress.completed(stored).toString()));
    }
}
