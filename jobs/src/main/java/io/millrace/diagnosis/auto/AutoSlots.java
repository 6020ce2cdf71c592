package io.millrace.diagnosis.auto;

import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Decides when another number of slots is worth the pause of a change.
 *
 * <p>It cannot oscillate: with each change it narrows the numbers that come into question, from below where the trainer
 * waited, from above where slots were idle, and it never leaves them again. Not thread-safe.
 */
final class AutoSlots {
    /** A change costs seconds of training: it has to be worth it. */
    private static final double LEAST_MORE = 1.2;

    /** Slots that idle cost nothing but their place. */
    private static final double LEAST_FEWER = 0.6;

    /** So many measurements in a row have to agree. */
    private static final int AGREED = 3;

    /** They do when they are no further apart than this. */
    private static final double CLOSE = 1.2;

    private static final double STARVED = 0.05;

    private int least = 1;
    private int most;
    private int first;
    private int agreed;

    /**
     * Nothing measured yet.
     *
     * @param most slots that it may choose
     */
    AutoSlots(int most) {
        if (most < 1) {
            throw new IllegalArgumentException("slots: expected at least 1, found " + most);
        }
        this.most = most;
    }

    /**
     * Another number, when the last measurements agree on one that is worth a change.
     *
     * @param suited the number that suits what was measured just now
     * @param starvation of the trainer then; null when unknown
     * @param now the slots with which it was measured
     */
    OptionalInt next(int suited, @Nullable Double starvation, int now) {
        int number = Math.max(least, Math.min(most, suited));
        if (agreed > 0 && number <= CLOSE * first && CLOSE * number >= first) {
            agreed++;
        } else {
            first = number;
            agreed = 1;
        }
        if (agreed < AGREED || !worth(number, starvation, now)) {
            return OptionalInt.empty();
        }
        disagree();
        if (number > now) {
            least = Math.min(most, now + 1);
        } else {
            most = Math.max(least, now - 1);
        }
        return OptionalInt.of(number);
    }

    private static boolean worth(int number, @Nullable Double starvation, int now) {
        if (number > now) {
            // A trainer that does not wait has what it needs, whatever the model says.
            return number >= LEAST_MORE * now && starvation != null && starvation >= STARVED;
        }
        return number <= LEAST_FEWER * now;
    }

    /** What was measured until now does not count any more. */
    void disagree() {
        agreed = 0;
    }
}
