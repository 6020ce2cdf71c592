package io.millrace.pack;

import io.millrace.image.codec.ImageFormat;
import io.millrace.image.codec.JpegRestarts;
import io.millrace.image.codec.MalformedImageException;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import org.jspecify.annotations.Nullable;

/** The restart markers that a pack writes into the JPEGs of samples, and their numbers. Not thread-safe. */
final class RestartWriter {
    private final int interval;
    private final JpegRestarts restarts = new JpegRestarts();
    private RestartCounts counts = RestartCounts.NONE;

    RestartWriter(PackSpec spec) {
        interval = spec.restart();
    }

    /**
     * Writes restart markers into the JPEGs of a sample, if the pack is to have any.
     *
     * @throws MalformedImageException when an encoded field has an unknown format; the sample is unchanged
     */
    void apply(Sample sample) throws MalformedImageException {
        if (interval == 0) {
            return;
        }
        for (String name : sample.fieldNames()) {
            if (sample.field(name).dtype() == DType.ENCODED) {
                ImageFormat.of(sample.field(name).data());
            }
        }
        for (String name : sample.fieldNames()) {
            if (sample.field(name).dtype() == DType.ENCODED) {
                byte[] before = sample.field(name).data();
                JpegRestarts.Recoded recoded = restarts.recode(before, interval);
                long grown = (long) recoded.bytes().length - before.length;
                counts = counts.plus(
                        switch (recoded.change()) {
                            case ADDED -> new RestartCounts(1, 0, 0, grown);
                            case PRESENT -> new RestartCounts(0, 1, 0, 0);
                            case LEFT -> new RestartCounts(0, 0, 1, 0);
                        });
                sample.put(name, Field.encoded(recoded.bytes()));
            }
        }
    }

    /** Returns the numbers since the last call, or null if the pack writes no restart markers. */
    @Nullable
    RestartCounts takeCounts() {
        RestartCounts taken = counts;
        counts = RestartCounts.NONE;
        return interval == 0 ? null : taken;
    }
}
