package io.millrace.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.metrics.Figures;
import io.millrace.rest.StageReading;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.metrics.CharacterFilter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FinalMetricsReporterTest {
    private static final String JOB = "0123";
    private static final Duration LONG = Duration.ofMinutes(5);

    private final FinalMetricsReporter reporter = new FinalMetricsReporter();
    private final Gauge<Long> records = () -> 80L;

    /** The group of a task's stage. */
    private static final class Group extends UnregisteredMetricsGroup {
        @Override
        public Map<String, String> getAllVariables() {
            return Map.of("<job_id>", JOB, "<operator_name>", "decode", "<subtask_index>", "0");
        }

        @Override
        public String getMetricIdentifier(String name) {
            return "machine.taskmanager.decode.0.millrace." + name;
        }

        @Override
        public String getMetricIdentifier(String name, CharacterFilter filter) {
            return getMetricIdentifier(name);
        }
    }

    /** Other tests of this JVM leave the last values of their runs. */
    @BeforeEach
    void forgetOthers() {
        FinalMetrics.clear();
    }

    @AfterEach
    void forget() {
        reporter.close();
        FinalMetrics.clear();
    }

    @Test
    void lastValueIsKeptWhenFlinkRemovesTheMetric() throws Exception {
        reporter.notifyOfAddedMetric(records, Figures.RECORDS.name(), new Group());
        assertThat(FinalMetrics.awaitLast(JOB, Duration.ofMillis(10))).isFalse();
        assertThat(FinalMetrics.awaitLast("another", LONG)).isTrue();

        CompletableFuture<Void> ended = CompletableFuture.runAsync(
                () -> reporter.notifyOfRemovedMetric(records, Figures.RECORDS.name(), new Group()),
                CompletableFuture.delayedExecutor(50, TimeUnit.MILLISECONDS));

        assertThat(FinalMetrics.awaitLast(JOB, LONG)).isTrue();
        StageReading decode = RunResult.finalStages(Map.of("decode", 1)).get(0);
        assertThat(decode.records()).isEqualTo(80);
        ended.get();
    }

    @Test
    void nobodyWaitsForTheTasksOfAFlinkThatHasEnded() throws Exception {
        reporter.notifyOfAddedMetric(records, Figures.RECORDS.name(), new Group());
        reporter.close();
        assertThat(FinalMetrics.awaitLast(JOB, LONG)).isTrue();
    }
}
