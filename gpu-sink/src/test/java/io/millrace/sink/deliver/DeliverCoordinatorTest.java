package io.millrace.sink.deliver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The answer of a coordinator whose run is stopped. */
class DeliverCoordinatorTest {
    @Test
    void theAnswerComesAfterTheReportOfTheLastSink() {
        DeliverCoordinator.StopReports reports = new DeliverCoordinator.StopReports(Set.of(0, 2));
        reports.stopped(2, null);
        reports.stopped(2, "twice");
        assertThat(reports.answer()).isNotDone();
        reports.stopped(0, null);
        assertThat(reports.answer()).isCompletedWithValue(new DeliverEvents.StopAnswer(2, List.of()));
    }

    @Test
    void sinksThatCannotReportAreNamed() {
        DeliverCoordinator.StopReports reports = new DeliverCoordinator.StopReports(Set.of(0, 1));
        reports.stopped(1, "its sink has failed");
        reports.stopped(0, "cannot write summary.json");
        assertThat(reports.answer())
                .isCompletedWithValue(new DeliverEvents.StopAnswer(
                        2, List.of("rank 1: its sink has failed", "rank 0: cannot write summary.json")));
    }

    @Test
    void withoutSinksTheAnswerComesAtOnce() {
        assertThat(new DeliverCoordinator.StopReports(Set.of()).answer())
                .isCompletedWithValue(new DeliverEvents.StopAnswer(0, List.of()));
    }
}
