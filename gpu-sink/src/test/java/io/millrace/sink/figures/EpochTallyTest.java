package io.millrace.sink.figures;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.order.BatchPlan;
import java.util.List;
import org.junit.jupiter.api.Test;

class EpochTallyTest {
    /** Two steps in each of four epochs, and an evaluation after every second one. */
    private static final BatchPlan PLAN = new BatchPlan(8, 4, false, 4, 4, 2);

    private final TrainerMetrics metrics = new TrainerMetrics();

    private EpochTally tally(EpochTally.State from) {
        return new EpochTally(PLAN, metrics, from);
    }

    private static void train(EpochTally tally, int epoch, int ordinal, long nanos, long waited) {
        TrainedBatch batch = new TrainedBatch(2L * epoch + ordinal, epoch, 4, ColumnBytes.NONE, ordinal == 1);
        tally.step(batch, nanos, waited, 0.5);
    }

    private List<EpochRecord> published() {
        return EpochRecord.parse(metrics.epochs);
    }

    @Test
    void epochIsPublishedWhenItEndsAndOneThatIsEvaluatedWithItsEvaluation() {
        EpochTally tally = tally(EpochTally.State.NONE);
        train(tally, 0, 0, 3_000_000_000L, 0);
        assertThat(published()).isEmpty();
        train(tally, 0, 1, 1_000_000_000L, 400_000_000L);
        EpochRecord first = new EpochRecord(0, 4, 8, 0.4, 0.5, null, null);
        assertThat(published()).containsExactly(first);
        assertThat(first.samplesPerSecond()).isEqualTo(2);
        assertThat(first.starvation()).isEqualTo(0.1);

        train(tally, 1, 0, 1_000_000_000L, 0);
        train(tally, 1, 1, 1_000_000_000L, 0);
        assertThat(published()).as("the evaluation has not ended").containsExactly(first);
        tally.evaluated(0.25, 0.75);
        assertThat(published()).containsExactly(first, new EpochRecord(1, 2, 8, 0, 0.5, 0.25, 0.75));
    }

    @Test
    void restartContinuesInTheMiddleOfAnEpochAndBeforeItsEvaluation() {
        EpochTally tally = tally(EpochTally.State.NONE);
        train(tally, 0, 0, 1, 0);
        train(tally, 0, 1, 1, 0);
        train(tally, 1, 0, 1_000_000_000L, 500_000_000L);
        EpochTally continued = tally(tally.state());
        train(continued, 1, 1, 1_000_000_000L, 0);
        EpochTally again = tally(continued.state());
        again.evaluated(0.25, null);
        assertThat(published()).hasSize(2).element(1).isEqualTo(new EpochRecord(1, 2, 8, 0.5, 0.5, 0.25, null));
    }

    @Test
    void anotherJobPublishesOnlyItsOwnEpochsAndReportsAll() {
        metrics.job = "one";
        EpochTally tally = tally(EpochTally.State.NONE);
        train(tally, 0, 0, 1, 0);
        train(tally, 0, 1, 1, 0);
        EpochTally.State state = tally.state();

        metrics.job = "two";
        EpochTally resumed = tally(state);
        assertThat(published()).isEmpty();
        train(resumed, 1, 0, 1, 0);
        train(resumed, 1, 1, 1, 0);
        resumed.evaluated(1.0, 1.0);
        train(resumed, 2, 0, 1, 0);
        train(resumed, 2, 1, 1, 0);
        EpochTally restarted = tally(resumed.state());
        assertThat(published()).extracting(EpochRecord::epoch).containsExactly(1, 2);
        assertThat(restarted.report().ofThisJob())
                .extracting(EpochRecord::epoch)
                .containsExactly(1, 2);
        assertThat(restarted.report().records()).extracting(EpochRecord::epoch).containsExactly(0, 1, 2);
    }

    @Test
    void stepsOfUnknownTimeDoNotChangeTheThroughput() {
        EpochTally tally = tally(EpochTally.State.NONE);
        train(tally, 0, 0, 2_000_000_000L, 0);
        train(tally, 0, 1, 0, 0);
        assertThat(published()).singleElement().satisfies(epoch -> assertThat(epoch.samplesPerSecond())
                .isEqualTo(2));
    }

    @Test
    void epochOfAllTrainersNeedsEachOfThem() {
        EpochRecord one = new EpochRecord(0, 2, 10, 1, 0.5, 0.1, 0.5);
        EpochRecord other = new EpochRecord(0, 4, 30, 0.5, 0.9, 0.3, 1.0);
        EpochRecord ahead = new EpochRecord(1, 2, 10, 1, 0.5, null, null);
        List<EpochRecord> whole = EpochRecord.whole(List.of(List.of(one, ahead), List.of(other)));
        assertThat(whole).singleElement().satisfies(epoch -> {
            assertThat(epoch.seconds()).isEqualTo(4);
            assertThat(epoch.samples()).isEqualTo(40);
            assertThat(epoch.starvedSeconds()).isEqualTo(1);
            assertThat(epoch.loss()).isEqualTo(0.8);
            assertThat(epoch.evaluationLoss()).isEqualTo(0.2);
            assertThat(epoch.accuracy()).isEqualTo(0.75);
        });
        assertThat(EpochRecord.whole(List.of(List.of(one), List.of()))).isEmpty();
        assertThat(EpochRecord.whole(List.of())).isEmpty();
    }

    @Test
    void textOfAnotherVersionHasNoEpochs() {
        assertThat(EpochRecord.parse("")).isEmpty();
        assertThat(EpochRecord.parse("[{\"epoch\": 1, \"colour\": 2}]")).isEmpty();
    }
}
