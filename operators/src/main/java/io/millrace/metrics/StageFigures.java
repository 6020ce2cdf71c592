package io.millrace.metrics;

import io.millrace.metrics.Statistic.Part;
import io.millrace.sample.Counted;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The last figures of a stage, over the slots that have ended. Immutable. A value has about 1 kB, whatever the number of slots, and
 * travels to the client with the job's result.
 */
public final class StageFigures implements Serializable {
    private static final long serialVersionUID = 1;

    /** A number over slots, of which at least one has reported it. NaN when it is unknown in one of them. */
    private record Spread(int slots, double sum, double least, double greatest) implements Serializable {
        Spread plus(Spread other) {
            return new Spread(
                    slots + other.slots,
                    sum + other.sum,
                    Math.min(least, other.least),
                    Math.max(greatest, other.greatest));
        }

        double value(Statistic.OverSlots combination) {
            return switch (combination) {
                case SUM -> sum;
                case MEAN -> sum / slots;
                case LEAST -> least;
                case GREATEST -> greatest;
            };
        }
    }

    private final int slots;

    /** The figures that are numbers, by the name of the metric. */
    private final Map<String, Spread> numbers;

    /** The compressed histogram {@link Figures#OWN_NANOS_PER_RECORD}. */
    private final byte[] durations;

    private final @Nullable CodeProfile code;

    private StageFigures(int slots, Map<String, Spread> numbers, Histogram durations, @Nullable CodeProfile code) {
        this.slots = slots;
        this.numbers = Map.copyOf(numbers);
        this.durations = compressed(durations);
        this.code = code;
    }

    /**
     * Returns the figures of one slot.
     *
     * @param numbers the values by the name of the metric; NaN when a value is unknown
     * @param durations the own time of each sample, in nanoseconds
     * @param code the profile of the user's code; null when the stage calls none
     */
    public static StageFigures ofSlot(Map<String, Double> numbers, Histogram durations, @Nullable CodeProfile code) {
        Map<String, Spread> one = new HashMap<>();
        numbers.forEach((metric, value) -> one.put(metric, new Spread(1, value, value, value)));
        return new StageFigures(1, one, durations, code);
    }

    /** Returns the figures over these slots and other slots of the same stage. */
    public StageFigures plus(StageFigures other) {
        Map<String, Spread> sums = new HashMap<>(numbers);
        other.numbers.forEach((metric, more) -> sums.merge(metric, more, Spread::plus));
        Histogram all = durations();
        all.add(other.durations());
        CodeProfile profile = CodeProfile.whole(
                        Stream.of(code, other.code).flatMap(Stream::ofNullable).toList())
                .orElse(null);
        return new StageFigures(slots + other.slots, sums, all, profile);
    }

    /** Returns the number of slots that have ended. */
    public int slots() {
        return slots;
    }

    /** Returns the profile of the user's code; null when the stage calls none. */
    public @Nullable CodeProfile code() {
        return code;
    }

    /** Returns a statistic in the unit of its figure; null when it is unknown. */
    public @Nullable Double value(Statistic statistic) {
        if (statistic.part() != Part.VALUE) {
            Histogram all = durations();
            return !statistic.metric().equals(Figures.OWN_NANOS_PER_RECORD.name()) || all.getTotalCount() == 0
                    ? null
                    : Double.valueOf((double)
                            all.getValueAtPercentile(100 * statistic.part().quantile()));
        }
        Spread number = numbers.get(statistic.metric());
        double value = number == null ? Double.NaN : number.value(statistic.overSlots());
        return Double.isFinite(value) ? Double.valueOf(value) : null;
    }

    /** Returns a few words, because Flink's own client prints the accumulators of a job when it ends. */
    @Override
    public String toString() {
        Double records = value(Figures.RECORDS.main());
        return records == null ? "unknown" : Counted.of(records.longValue(), "sample");
    }

    private static byte[] compressed(Histogram histogram) {
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        byte[] bytes = new byte[histogram.encodeIntoCompressedByteBuffer(buffer, Deflater.BEST_SPEED)];
        buffer.flip().get(bytes);
        return bytes;
    }

    private Histogram durations() {
        try {
            return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(durations), 0);
        } catch (DataFormatException e) {
            throw new IllegalStateException("a histogram of durations cannot be read", e);
        }
    }
}
