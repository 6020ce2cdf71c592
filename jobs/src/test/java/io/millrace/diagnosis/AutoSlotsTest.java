package io.millrace.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class AutoSlotsTest {
    /**
     * A job on so many cores, in which slots get in each other's way.
     *
     * @param dataMillis of a slot for each sample
     * @param crowding by how much each further slot slows all
     */
    private record SimulatedJob(double dataMillis, double trainMillis, double cores, double crowding) {
        Measurement measure(int slots) {
            double own = dataMillis / 1e3 * (1 + crowding * (slots - 1));
            Task chain = new Task("decode", slots, List.of(new StageCost("decode", 1, own, own)));
            Task trainer =
                    new Task("train", 1, List.of(new StageCost("train", 1, trainMillis / 1e3, trainMillis / 1e3)));
            CapacityModel model = new CapacityModel(List.of(chain), trainer, cores, List.of());
            double rate = rate(slots);
            double starvation = 1 - Math.min(1, rate * trainMillis / 1e3);
            return new Measurement(10, model, new Observed(rate, starvation), List.of());
        }

        double rate(int slots) {
            double own = dataMillis / 1e3 * (1 + crowding * (slots - 1));
            return Math.min(Math.min(slots / own, 1e3 / trainMillis), cores / (own + trainMillis / 1e3));
        }
    }

    private static List<Integer> changes(SimulatedJob job, AutoSlots auto, int begin, int looks) {
        List<Integer> changes = new ArrayList<>();
        int slots = begin;
        for (int look = 0; look < looks; look++) {
            OptionalInt next = auto.next(job.measure(slots), slots);
            if (next.isPresent()) {
                slots = next.getAsInt();
                changes.add(slots);
            }
        }
        return changes;
    }

    @Test
    void slotsKeepTheTrainerBusyWithSomeReserve() {
        SimulatedJob job = new SimulatedJob(4, 1, 64, 0);

        assertThat(AutoSlots.suited(job.measure(1).model(), 16)).hasValue(5); // 4 and a tenth
    }

    @Test
    void slotsThatTheCoresCannotServeAreNotTaken() {
        SimulatedJob job = new SimulatedJob(4, 1, 2, 0);

        assertThat(AutoSlots.suited(job.measure(1).model(), 16)).hasValue(2); // 400 images/s are all that 2 cores give
    }

    @Test
    void limitIsKept() {
        assertThat(AutoSlots.suited(new SimulatedJob(4, 1, 64, 0).measure(1).model(), 3))
                .hasValue(3);
        assertThatThrownBy(() -> new AutoSlots(0)).hasMessage("slots: expected at least 1, found 0");
    }

    @Test
    void nothingIsChosenWhereTooLittleIsKnown() {
        CapacityModel model = new CapacityModel(
                List.of(), new Task("train", 1, List.of(new StageCost("train", 1, null, null))), null, List.of());

        assertThat(AutoSlots.suited(model, 4)).isEmpty();
    }

    @Test
    void oneLookIsNotEnoughForAChange() {
        SimulatedJob job = new SimulatedJob(4, 1, 64, 0);
        AutoSlots auto = new AutoSlots(16);

        assertThat(auto.next(job.measure(1), 1)).isEmpty();
        assertThat(auto.next(job.measure(1), 1)).isEmpty();
        assertThat(auto.next(job.measure(1), 1)).hasValue(5);
    }

    @Test
    void trainerThatDoesNotWaitIsLeftAlone() {
        assertThat(changes(new SimulatedJob(0.9, 1, 64, 0), new AutoSlots(16), 1, 30))
                .isEmpty();
    }

    @Property
    void itConvergesWithinTwoStepsAndStaysThere(
            @ForAll @DoubleRange(min = 0.1, max = 50) double dataMillis,
            @ForAll @DoubleRange(min = 0.1, max = 10) double trainMillis,
            @ForAll @IntRange(min = 1, max = 64) int cores,
            @ForAll @DoubleRange(min = 0, max = 0.02) double crowding,
            @ForAll @IntRange(min = 1, max = 32) int begin) {
        SimulatedJob job = new SimulatedJob(dataMillis, trainMillis, cores, crowding);
        AutoSlots auto = new AutoSlots(32);

        List<Integer> changes = changes(job, auto, begin, 100);

        assertThat(changes).hasSizeLessThanOrEqualTo(2).allMatch(slots -> slots >= 1 && slots <= 32);
        int last = changes.isEmpty() ? begin : changes.get(changes.size() - 1);
        assertThat(job.rate(last)).isGreaterThanOrEqualTo(0.8 * job.rate(begin));
    }
}
