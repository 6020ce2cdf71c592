package io.millrace.diagnosis.advice;

import java.util.List;
import java.util.Map;

/**
 * Facts about a dataset, from some of its samples.
 *
 * @param storedBytes the mean size of a sample as it is read, in bytes; not a number when unknown
 * @param pixels the mean number of pixels of the image after each stage, including read; stages after which the image is
 *     still encoded are left out
 * @param wires the fields after the last transform, in the order of the sample
 */
public record DatasetFacts(double storedBytes, Map<String, Double> pixels, List<Wire> wires) {
    /** The facts when no sample was examined. */
    public static final DatasetFacts UNKNOWN = new DatasetFacts(Double.NaN, Map.of(), List.of());

    /** The kinds of values that decide about a narrower wire form. */
    public enum Kind {
        /** Unsigned bytes that were 0 or 1 in every sample. */
        ZERO_OR_ONE,
        /** Tensors of one shape that are mostly 0 in every sample. */
        MOSTLY_ZERO,
        /** 32-bit floats. */
        FLOAT32,
        /** Anything else. */
        OTHER
    }

    /**
     * The size and the kind of values of a field in the form in which it would be sent.
     *
     * @param bytes the mean size of the field in a sample, in bytes
     * @param sparse the size of the field in the sparse form, as a share of {@code bytes}; 1 when it is not known to be sparse
     */
    public record Wire(String field, Kind kind, double bytes, double sparse) {
        /** Creates a field that is not known to be sparse. */
        public Wire(String field, Kind kind, double bytes) {
            this(field, kind, bytes, 1);
        }
    }

    public DatasetFacts {
        pixels = Map.copyOf(pixels);
        wires = List.copyOf(wires);
    }

    /** Returns the names of the fields after the last transform. */
    List<String> fields() {
        return wires.stream().map(Wire::field).toList();
    }

    /** Returns the kind of the field's values; {@link Kind#OTHER} when it is unknown. */
    Kind kind(String field) {
        return wires.stream()
                .filter(wire -> wire.field().equals(field))
                .map(Wire::kind)
                .findFirst()
                .orElse(Kind.OTHER);
    }

    /** Returns the size of the field in the sparse form, as a share of its bytes; 1 when it is unknown. */
    double sparse(String field) {
        return wires.stream()
                .filter(wire -> wire.field().equals(field))
                .mapToDouble(Wire::sparse)
                .findFirst()
                .orElse(1);
    }

    /** Returns the mean size of the field in a sample, in bytes; 0 when it is unknown. */
    double bytes(String field) {
        return wires.stream()
                .filter(wire -> wire.field().equals(field))
                .mapToDouble(Wire::bytes)
                .findFirst()
                .orElse(0);
    }
}
