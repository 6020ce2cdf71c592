package io.millrace.diagnosis.auto;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.config.PipelineConfig;
import io.millrace.config.StagesConfig;
import io.millrace.diagnosis.CapacityModel;
import io.millrace.diagnosis.Measurement;
import io.millrace.diagnosis.Observed;
import io.millrace.diagnosis.Setting;
import io.millrace.diagnosis.StageCost;
import io.millrace.diagnosis.Task;
import io.millrace.rest.TaskReading;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class LiveChoiceTest {
    private static final Setting SETTING = new Setting(0, 1, 1);
    private static final PipelineConfig OPEN = OpenPipelines.of("parallelism={auto: {most: 32}}");

    /**
     * A simulated job whose slots slow each other down.
     *
     * @param dataMillis the time of a slot for each sample
     * @param trainMillis the time of the trainer for each sample
     * @param cores the number of cores
     * @param crowding the share by which each further slot slows all slots
     */
    private record SimulatedJob(double dataMillis, double trainMillis, double cores, double crowding) {
        Measurement measure(int slots, double seconds) {
            double own = own(slots);
            Task chain = new Task("read", slots, List.of(new StageCost("read", 1, own, own)));
            Task trainer =
                    new Task("train", 1, List.of(new StageCost("train", 1, trainMillis / 1e3, trainMillis / 1e3)));
            CapacityModel model = new CapacityModel(List.of(chain), trainer, cores, List.of());
            double rate = rate(slots);
            double starvation = 1 - Math.min(1, rate * trainMillis / 1e3);
            return new Measurement(seconds, model, new Observed(rate, starvation), List.of());
        }

        double rate(int slots) {
            return Math.min(Math.min(slots / own(slots), 1e3 / trainMillis), cores / (own(slots) + trainMillis / 1e3));
        }

        private double own(int slots) {
            return dataMillis / 1e3 * (1 + crowding * (slots - 1));
        }
    }

    private static List<TaskReading> tasks(int slots) {
        return List.of(
                new TaskReading("chain", slots, List.of("read", "Delay", "RandomMask", "pack"), null, null, null),
                new TaskReading("train", 1, List.of("train"), null, null, null));
    }

    private static LiveChoice begun(PipelineConfig config, int slots) {
        return new LiveChoice(
                config.with(config.slots().chosen(slots, config.slots().stages())), SETTING);
    }

    private static Optional<Integer> measure(LiveChoice choice, SimulatedJob job, int slots) {
        return choice.next(job.measure(slots, 10), tasks(slots))
                .map(config -> config.slots().parallelism());
    }

    private static List<Integer> changes(SimulatedJob job, int begin, int measurements) {
        LiveChoice choice = begun(OPEN, begin);
        List<Integer> changes = new ArrayList<>();
        for (int i = 0; i < measurements; i++) {
            measure(choice, job, choice.now().slots().parallelism()).ifPresent(changes::add);
        }
        return changes;
    }

    private static final SimulatedJob STARVED = new SimulatedJob(4, 1, 64, 0);

    @Test
    void oneMeasurementIsNotEnoughForAChange() {
        LiveChoice choice = begun(OPEN, 1);

        assertThat(measure(choice, STARVED, 1)).isEmpty();
        assertThat(measure(choice, STARVED, 1)).isEmpty();
        assertThat(measure(choice, STARVED, 1)).hasValue(5);
        assertThat(choice.now().slots().parallelism()).isEqualTo(5);
    }

    @Test
    void differingOrShortMeasurementsChangeNothing() {
        LiveChoice choice = begun(OPEN, 1);
        for (int i = 0; i < 30; i++) {
            assertThat(measure(choice, i % 2 == 0 ? STARVED : new SimulatedJob(16, 1, 64, 0), 1))
                    .isEmpty();
        }
        for (int i = 0; i < 30; i++) {
            assertThat(choice.next(STARVED.measure(1, 2), tasks(1))).isEmpty();
        }
    }

    @Test
    void missingSlotsOfTheClusterChangeNothing() {
        LiveChoice choice = begun(OPEN, 2);
        for (int i = 0; i < 30; i++) {
            assertThat(measure(choice, STARVED, 1)).isEmpty();
        }
    }

    @Test
    void trainerThatDoesNotWaitGetsNoMoreSlots() {
        assertThat(changes(new SimulatedJob(0.9, 1, 64, 0), 1, 30)).isEmpty();
    }

    @Test
    void fixedSlotsStayAndChosenStagesChange() {
        PipelineConfig open = OpenPipelines.of("parallelism=2", "stages=auto");
        PipelineConfig chosen =
                new SlotChoice(2, new StagesConfig(StagesConfig.Mode.FUSED, Map.of("Delay", 4))).in(open);
        LiveChoice choice = new LiveChoice(chosen, SETTING);
        CapacityModel model = new CapacityModel(
                List.of(
                        new Task("read", 2, List.of(new StageCost("read", 1, 0.001, 0.001))),
                        new Task("Delay", 4, List.of(new StageCost("Delay", 1, 0.012, 0.0)))),
                new Task("train", 1, List.of(new StageCost("train", 1, 0.002, 0.002))),
                64.0,
                64.0,
                List.of());
        Measurement measured = new Measurement(10, model, new Observed(330.0, 0.3), List.of());
        List<TaskReading> tasks = List.of(
                new TaskReading("read", 2, List.of("read"), null, null, null),
                new TaskReading("Delay", 4, List.of("Delay"), null, null, null));

        assertThat(choice.next(measured, tasks)).isEmpty();
        assertThat(choice.next(measured, tasks)).isEmpty();
        PipelineConfig next = choice.next(measured, tasks).orElseThrow();

        assertThat(next.slots().parallelism()).isEqualTo(2);
        assertThat(next.slots().stages().parallelism())
                .isEqualTo(Map.of("Delay", 7)); // 500 samples/s of 12 ms each, and a reserve of a tenth
    }

    @Property
    void slotsConvergeWithinTwoChanges(
            @ForAll @DoubleRange(min = 0.1, max = 50) double dataMillis,
            @ForAll @DoubleRange(min = 0.1, max = 10) double trainMillis,
            @ForAll @IntRange(min = 1, max = 64) int cores,
            @ForAll @DoubleRange(min = 0, max = 0.02) double crowding,
            @ForAll @IntRange(min = 1, max = 32) int begin) {
        SimulatedJob job = new SimulatedJob(dataMillis, trainMillis, cores, crowding);

        List<Integer> changes = changes(job, begin, 100);

        assertThat(changes).hasSizeLessThanOrEqualTo(2).allMatch(slots -> slots >= 1 && slots <= 32);
        int last = changes.isEmpty() ? begin : changes.get(changes.size() - 1);
        assertThat(job.rate(last)).isGreaterThanOrEqualTo(0.8 * job.rate(begin));
    }

    /** The range of possible numbers only narrows, whatever the measurements are. */
    @Property
    void changesEndForAnySequenceOfMeasurements(@ForAll List<@DoubleRange(min = 0.1, max = 50) Double> costs) {
        LiveChoice choice = begun(OPEN, 8);
        List<Integer> changes = new ArrayList<>();
        for (double cost : costs) {
            for (int i = 0; i < 3; i++) {
                measure(
                                choice,
                                new SimulatedJob(cost, 1, 64, 0),
                                choice.now().slots().parallelism())
                        .ifPresent(changes::add);
            }
        }

        assertThat(changes).doesNotHaveDuplicates().allMatch(slots -> slots >= 1 && slots <= 32);
    }
}
