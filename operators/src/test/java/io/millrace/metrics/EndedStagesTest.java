package io.millrace.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.millrace.metrics.Statistic.OverSlots;
import io.millrace.metrics.Statistic.Part;
import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.HdrHistogram.Histogram;
import org.apache.flink.api.common.accumulators.Accumulator;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.streaming.util.MockStreamingRuntimeContext;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;

class EndedStagesTest {
    private final RuntimeContext context = new MockStreamingRuntimeContext(1, 0);

    /** The group of an operator of a task, as Flink describes it. */
    private static final class OperatorGroup extends org.apache.flink.metrics.groups.UnregisteredMetricsGroup {
        private final Map<String, String> variables;

        OperatorGroup(String stage, String attempt) {
            this(stage, attempt, "job", "0");
        }

        OperatorGroup(String stage, String attempt, String job, String number) {
            this.variables = Map.of(
                    "<operator_name>", stage,
                    "<task_attempt_id>", attempt,
                    "<job_id>", job,
                    "<task_attempt_num>", number);
        }

        @Override
        public Map<String, String> getAllVariables() {
            return variables;
        }
    }

    private static StageMetrics stage(MetricGroup group, int samples) {
        StageMetrics metrics = new StageMetrics(group);
        metrics.addWork(samples * 1_000_000L, samples * 500_000L, samples, samples * 10L);
        for (int i = 0; i < samples; i++) {
            metrics.addRecords(1_000_000, 1);
        }
        return metrics;
    }

    private static StageFigures figures(double records, double coreWaitNanos, long durationNanos, CodeProfile code) {
        Histogram durations = new Histogram(NanosHistogram.DIGITS);
        durations.recordValue(durationNanos);
        return StageFigures.ofSlot(
                Map.of(Figures.RECORDS.name(), records, Figures.CORE_WAIT_NANOS.name(), coreWaitNanos),
                durations,
                code);
    }

    private static StageFigures of(String stage, Map<String, StageFigures> ended) {
        return Objects.requireNonNull(ended.get(stage), () -> "no stage " + stage + " in " + ended);
    }

    private Map<String, StageFigures> added() {
        Accumulator<Serializable, Serializable> ended = context.getAccumulator(EndedStages.NAME);
        return EndedStages.of(ended.getLocalValue());
    }

    @Test
    void stageThatIsClosedAlsoAddsTheFiguresOfTheReaderInItsTask() {
        OperatorGroup source = new OperatorGroup("Source: read", "attempt-1");
        OperatorGroup decode = new OperatorGroup("decode", "attempt-1");
        OperatorGroup pack = new OperatorGroup("pack", "attempt-1");
        StageMetrics reader = stage(source, 7);
        reader.failed();
        EndedStages.declareReader(source, reader);

        EndedStages.add(context, pack, stage(pack, 5));
        EndedStages.add(context, decode, stage(decode, 6));

        assertThat(added()).containsOnlyKeys("decode", "pack", "read");
        StageFigures read = of("read", added());
        assertThat(read.slots()).isEqualTo(1);
        assertThat(read.value(Figures.RECORDS.main())).isEqualTo(7);
        assertThat(read.value(Figures.FAILURES.main())).isEqualTo(1);
        assertThat(read.value(Figures.OWN_NANOS.main())).isEqualTo(7e6);
        assertThat(read.value(Figures.CPU_NANOS.main())).isCloseTo(3.5e6, within(1.0));
        assertThat(read).hasToString("7 samples");
        assertThat(of("decode", added()).value(Figures.OWN_NANOS_PER_RECORD.of(Part.MEDIAN)))
                .isCloseTo(1e6, withinPercentage(1));
    }

    @Test
    void readersThatRunOnAreNotAdded() {
        OperatorGroup other = new OperatorGroup("Source: read", "attempt-3");
        OperatorGroup pack = new OperatorGroup("pack", "attempt-2");
        EndedStages.declareReader(other, stage(other, 1));

        EndedStages.add(context, pack, stage(pack, 1));

        assertThat(added()).containsOnlyKeys("pack");
        EndedStages.join(other);
        EndedStages.closed(other);
        EndedStages.closed(other);
        EndedStages.add(context, pack, stage(pack, 1));
        assertThat(added())
                .as("the stage that joined the reader was closed before")
                .containsOnlyKeys("pack");
        EndedStages.add(context, other, stage(pack, 1));
    }

    @Test
    void readerThatEndsAloneInItsTaskIsAddedByTheNextStageOfItsJob() {
        OperatorGroup first = new OperatorGroup("Source: read", "read-1", "job-a", "0");
        OperatorGroup again = new OperatorGroup("Source: read", "read-2", "job-a", "1");
        OperatorGroup second = new OperatorGroup("Source: read", "read-3", "job-a", "1");
        OperatorGroup foreign = new OperatorGroup("Source: read", "read-4", "job-b", "1");
        OperatorGroup pack = new OperatorGroup("pack", "pack-1", "job-a", "1");
        EndedStages.declareReader(first, stage(first, 100));
        EndedStages.closed(first); // its attempt failed
        for (OperatorGroup group : List.of(again, second, foreign)) {
            EndedStages.declareReader(group, stage(group, 5));
            EndedStages.readToEnd(group);
            EndedStages.closed(group);
        }

        EndedStages.join(pack);
        EndedStages.add(context, pack, stage(pack, 10));
        EndedStages.add(context, pack, stage(pack, 10));

        assertThat(added()).containsOnlyKeys("pack", "read");
        assertThat(of("read", added()).slots()).isEqualTo(2);
        assertThat(of("read", added()).value(Figures.RECORDS.main())).isEqualTo(10);
    }

    /** Flink sends the accumulators of each task to the JobManager, which merges them. */
    @Test
    void figuresOfAllSlotsAreCombinedAfterTheirJourney() throws Exception {
        CodeProfile code =
                CodeProfile.of("augment:noise").plus(List.of(new CodeLine("augment.py", 31, "noise", "", 12)));
        EndedStages first = new EndedStages();
        first.add(Map.of("decode", figures(3, 5, 1_000_000, code)));
        EndedStages second = new EndedStages();
        second.add(Map.of("decode", figures(4, Double.NaN, 64_000_000, code), "pack", figures(4, 0, 1, code)));

        EndedStages merged = InstantiationUtil.clone(first).clone();
        merged.merge(InstantiationUtil.clone(second));
        Map<String, StageFigures> ended = EndedStages.of(InstantiationUtil.clone(merged.getLocalValue()));

        StageFigures decode = of("decode", ended);
        assertThat(ended).hasSize(2);
        assertThat(decode.slots()).isEqualTo(2);
        assertThat(decode.value(Figures.RECORDS.main())).isEqualTo(7);
        assertThat(decode.value(Figures.RECORDS.of(OverSlots.SUM))).isEqualTo(7);
        assertThat(decode.value(Figures.CORE_WAIT_NANOS.main()))
                .as("unknown in one slot")
                .isNull();
        assertThat(decode.value(Figures.OWN_NANOS.main())).as("not reported").isNull();
        assertThat(decode.value(Figures.OWN_NANOS_PER_RECORD.of(Part.MEDIAN))).isCloseTo(1e6, withinPercentage(1));
        assertThat(decode.value(Figures.OWN_NANOS_PER_RECORD.of(Part.MAX))).isCloseTo(64e6, withinPercentage(1));
        assertThat(decode.code()).isNotNull();
        assertThat(CodeProfile.whole(List.of(decode.code())).orElseThrow().samples())
                .isEqualTo(24);
        assertThat(of("decode", EndedStages.of(first.getLocalValue())).slots())
                .as("the merged ones stay as they are")
                .isEqualTo(1);
        merged.resetLocal();
        assertThat(EndedStages.of(merged.getLocalValue())).isEmpty();
        assertThat(EndedStages.of(null)).isEmpty();
    }
}
