package io.millrace.diagnosis;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Chooses how many slots the data stages get, from what was measured with the slots that they have: as many as keep the
 * trainer busy, and no more than the cores can serve.
 *
 * <p>It cannot oscillate: with what it measures it narrows the numbers that come into question, from below where the
 * trainer waited, from above where slots were idle, and it never leaves them again. Not thread-safe.
 */
public final class AutoSlots {
    /** So that a short delay does not starve the trainer. */
    private static final double RESERVE = 1.1;

    /** A change costs seconds of training: it has to be worth it. */
    private static final double LEAST_MORE = 1.2;

    /** Slots that idle cost nothing but their place. */
    private static final double LEAST_FEWER = 0.6;

    /** So many verdicts in a row have to agree. */
    private static final int AGREED = 3;

    private static final double STARVED = 0.05;

    private int least = 1;
    private int most;
    private int wanted;
    private int agreed;

    /**
     * Nothing measured yet.
     *
     * @param most slots that it may choose
     */
    public AutoSlots(int most) {
        if (most < 1) {
            throw new IllegalArgumentException("slots: expected at least 1, found " + most);
        }
        this.most = most;
    }

    /**
     * The slots that suit these costs.
     *
     * @param most slots that may be chosen, at least 1
     * @return empty when too little is known
     */
    public static OptionalInt suited(CapacityModel model, int most) {
        Optional<Double> ceiling = model.ceiling();
        if (ceiling.isEmpty()) {
            return OptionalInt.empty();
        }
        double target = model.limits().stream()
                .filter(limit -> limit.kind() == Limit.Kind.CORES)
                .mapToDouble(Limit::samplesPerSecond)
                .reduce(ceiling.get(), Math::min);
        Map<String, Integer> slots = model.slotsFor(target * RESERVE);
        return slots.entrySet().stream()
                .filter(task -> !task.getKey().equals("read") && !task.getKey().equals("assemble"))
                .mapToInt(Map.Entry::getValue)
                .max()
                .stream()
                .map(wanted -> Math.max(1, Math.min(most, wanted)))
                .findFirst();
    }

    /**
     * Another number, when the last measurements agree on one that is worth a change.
     *
     * @param now the slots with which this was measured
     */
    public OptionalInt next(Measurement measured, int now) {
        OptionalInt suited = suited(measured.model(), most);
        if (suited.isEmpty()) {
            return OptionalInt.empty();
        }
        int number = Math.max(least, Math.min(most, suited.getAsInt()));
        agreed = number == wanted ? agreed + 1 : 1;
        wanted = number;
        if (agreed < AGREED) {
            return OptionalInt.empty();
        }
        agreed = 0;
        if (number < LEAST_MORE * now && number > LEAST_FEWER * now) {
            return OptionalInt.empty();
        }
        Double starvation = measured.observed().starvation();
        if (number > now && (starvation == null || starvation < STARVED)) {
            return OptionalInt.empty(); // the trainer has what it needs, whatever the model says
        }
        if (number > now) {
            least = Math.min(most, now + 1);
        } else {
            most = Math.max(least, now - 1);
        }
        return OptionalInt.of(number);
    }
}
