package io.millrace.inspect;

import io.millrace.image.codec.ImageFormat;
import io.millrace.image.codec.JpegRestarts;
import io.millrace.image.codec.MalformedImageException;
import io.millrace.sample.DType;
import io.millrace.sample.Sample;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The number of JPEGs by their restart interval; 0 for JPEGs without restart markers. Not thread-safe. */
final class RestartIntervals {
    private static final Logger LOG = LoggerFactory.getLogger(RestartIntervals.class);

    private final TreeMap<Integer, Long> counts = new TreeMap<>();

    /** Counts the JPEGs among the encoded fields of a sample. */
    void add(Sample sample) {
        for (String name : sample.fieldNames()) {
            if (sample.field(name).dtype() == DType.ENCODED) {
                add(sample.field(name).data());
            }
        }
    }

    private void add(byte[] encoded) {
        try {
            if (ImageFormat.of(encoded) == ImageFormat.JPEG) {
                counts.merge(JpegRestarts.interval(encoded), 1L, Long::sum);
            }
        } catch (MalformedImageException e) {
            // The sample is listed as bad when its image is decoded.
            LOG.debug("the restart interval of an image is unknown", e);
        }
    }

    void add(RestartIntervals other) {
        other.counts.forEach((interval, count) -> counts.merge(interval, count, Long::sum));
    }

    Map<Integer, Long> counts() {
        return counts;
    }
}
