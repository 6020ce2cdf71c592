package io.millrace.diagnosis.auto;

import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * The decision when another number of slots is worth the pause of a change.
 *
 * <p>The number cannot oscillate, because each change narrows the range of possible numbers, and the range never widens.
 * The lower bound rises when the trainer waited; the upper bound falls when slots were idle. Not thread-safe.
 */
final class AutoSlots {
    /** The smallest factor for more slots. A change stops training for seconds, so a small gain is not worth it. */
    private static final double LEAST_MORE = 1.2;

    /** The largest factor for fewer slots. An idle slot costs little, so a small reduction is not worth a change. */
    private static final double LEAST_FEWER = 0.6;

    /** The number of consecutive measurements that must agree. */
    private static final int AGREED = 3;

    /** The largest ratio between two measurements that agree. */
    private static final double CLOSE = 1.2;

    /** The starvation above which the trainer needs more slots. */
    private static final double STARVED = 0.05;

    private int least = 1;
    private int most;
    private int first;
    private int agreed;

    /**
     * Creates a decision without measurements.
     *
     * @param most the largest number of slots that may be chosen, at least 1
     */
    AutoSlots(int most) {
        if (most < 1) {
            throw new IllegalArgumentException("slots: expected at least 1, found " + most);
        }
        this.most = most;
    }

    /**
     * Returns another number of slots when the last measurements agree on one that is worth a change; otherwise empty.
     *
     * @param suited the number of slots that suits the latest measurement, at least 1
     * @param starvation the trainer's starvation in that measurement, 0 to 1; null when unknown
     * @param now the number of slots during that measurement, at least 1
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
        discard();
        if (number > now) {
            least = Math.min(most, now + 1);
        } else {
            most = Math.max(least, now - 1);
        }
        return OptionalInt.of(number);
    }

    private static boolean worth(int number, @Nullable Double starvation, int now) {
        if (number > now) {
            // A trainer that does not wait needs no more slots, even if the model proposes more.
            return number >= LEAST_MORE * now && starvation != null && starvation >= STARVED;
        }
        return number <= LEAST_FEWER * now;
    }

    /** Discards the measurements so far. */
    void discard() {
        agreed = 0;
    }
}
