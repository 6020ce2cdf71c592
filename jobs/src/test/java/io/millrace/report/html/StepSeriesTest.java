package io.millrace.report.html;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StepSeriesTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 7, 8, 9, 16, 17, 100_003})
    void spansAreBoundedAndLoseNothing(int steps) {
        StepSeries series = new StepSeries(8);
        for (int i = 1; i <= steps; i++) {
            series.add(new StepSpan(i, 1, 0.25, 3, 6, 3));
        }
        List<StepSpan> spans = series.spans();
        assertThat(spans).hasSizeBetween(Math.min(steps, 4), 8);
        assertThat(spans.stream().mapToLong(StepSpan::rows).sum()).isEqualTo(3L * steps);
        assertThat(spans.get(spans.size() - 1).endSeconds()).isEqualTo(steps);
        assertThat(spans).allSatisfy(span -> {
            assertThat(span.rowsPerSecond()).isEqualTo(3);
            assertThat(span.starvation()).isEqualTo(0.25);
            assertThat(span.loss()).isEqualTo(2);
        });
    }

    @Test
    void evenSpansMergeShortStepsAndKeepLongOnes() {
        List<StepSpan> spans = List.of(span(1, 1), span(2, 1), span(3, 1), span(4, 1), span(10, 6), span(11, 1));
        assertThat(StepSeries.even(spans, 6)).extracting(StepSpan::seconds).containsExactly(2.0, 2.0, 6.0, 1.0);
    }

    @Test
    void stepsWithoutLossHaveNone() {
        assertThat(new StepSpan(1, 1, 0, 5, 0, 0).loss()).isNull();
        assertThat(new StepSpan(0, 0, 0, 0, 0, 0).rowsPerSecond()).isNull();
        assertThat(new StepSpan(0, 0, 0, 0, 0, 0).starvation()).isNull();
    }

    private static StepSpan span(double end, double seconds) {
        return new StepSpan(end, seconds, 0, 1, 0, 0);
    }
}
