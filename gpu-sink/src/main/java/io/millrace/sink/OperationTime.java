package io.millrace.sink;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/**
 * How long one of the trainer's operations took, in this attempt of the training.
 *
 * @param name for people: {@code forward}
 * @param count how often
 * @param totalNanos in all
 * @param spread how these durations are spread: a histogram in HdrHistogram's own compressed form, in base64, so that
 *     those of several trainers can be added up
 */
public record OperationTime(String name, long count, long totalNanos, String spread) implements Serializable {
    /** Of all that a histogram recorded. */
    static OperationTime of(String name, long totalNanos, Histogram nanos) {
        ByteBuffer bytes = ByteBuffer.allocate(nanos.getNeededByteBufferCapacity());
        int length = nanos.encodeIntoCompressedByteBuffer(bytes);
        byte[] encoded = new byte[length];
        bytes.flip();
        bytes.get(encoded);
        return new OperationTime(
                name, nanos.getTotalCount(), totalNanos, Base64.getEncoder().encodeToString(encoded));
    }

    /** What a share of these durations do not exceed, in nanoseconds, to two digits; of at least one. */
    public long quantileNanos(double share) {
        return histogram().getValueAtPercentile(100 * share);
    }

    private Histogram histogram() {
        try {
            return Histogram.decodeFromCompressedByteBuffer(
                    ByteBuffer.wrap(Base64.getDecoder().decode(spread)), 0);
        } catch (DataFormatException | IllegalArgumentException e) {
            throw new IllegalStateException("the durations of '" + name + "' are damaged", e);
        }
    }

    private OperationTime and(OperationTime other) {
        Histogram both = histogram();
        both.add(other.histogram());
        return of(name, totalNanos + other.totalNanos, both);
    }

    /** Those of several trainers, added up by name, in the order in which they first come. */
    static List<OperationTime> sum(Stream<OperationTime> times) {
        Map<String, OperationTime> sums = new LinkedHashMap<>();
        times.forEach(time -> sums.merge(time.name, time, OperationTime::and));
        return new ArrayList<>(sums.values());
    }
}
