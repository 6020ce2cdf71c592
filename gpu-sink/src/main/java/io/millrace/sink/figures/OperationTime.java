package io.millrace.sink.figures;

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
 * The durations of one of the trainer's operations in this attempt of the training.
 *
 * @param name the name in reports, such as {@code forward}
 * @param count the number of times that the operation was done
 * @param totalNanos the sum of the durations
 * @param spread a histogram of the durations in HdrHistogram's compressed form, in base64, so that the histograms of
 *     several trainers can be added up
 */
public record OperationTime(String name, long count, long totalNanos, String spread) implements Serializable {
    /** Returns the durations that a histogram recorded. */
    static OperationTime of(String name, long totalNanos, Histogram nanos) {
        ByteBuffer bytes = ByteBuffer.allocate(nanos.getNeededByteBufferCapacity());
        int length = nanos.encodeIntoCompressedByteBuffer(bytes);
        byte[] encoded = new byte[length];
        bytes.flip();
        bytes.get(encoded);
        return new OperationTime(
                name, nanos.getTotalCount(), totalNanos, Base64.getEncoder().encodeToString(encoded));
    }

    /**
     * Returns a quantile of the durations, in nanoseconds and with a precision of two digits. The given share of the
     * durations, 0 to 1, is not longer than the result.
     */
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

    private OperationTime plus(OperationTime other) {
        Histogram both = histogram();
        both.add(other.histogram());
        return of(name, totalNanos + other.totalNanos, both);
    }

    /** Returns the durations of several trainers, added up by name, in the order of their first occurrence. */
    static List<OperationTime> sum(Stream<OperationTime> times) {
        Map<String, OperationTime> sums = new LinkedHashMap<>();
        times.forEach(time -> sums.merge(time.name, time, OperationTime::plus));
        return new ArrayList<>(sums.values());
    }
}
