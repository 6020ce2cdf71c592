package io.millrace.diagnosis.advice;

import java.util.List;
import java.util.Map;

/**
 * What some samples show on their way.
 *
 * @param storedBytes of a sample as it is read, the mean
 * @param pixels of the image behind each stage, read included, the mean; stages behind which it is encoded are not in it
 * @param wires what the last transform leaves, by field, in the sample's order
 */
public record DatasetFacts(double storedBytes, Map<String, Double> pixels, List<Wire> wires) {
    /** Nothing was looked at. */
    public static final DatasetFacts UNKNOWN = new DatasetFacts(Double.NaN, Map.of(), List.of());

    /** What could travel narrower. */
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
     * A field as it would be sent.
     *
     * @param bytes of a sample, the mean
     * @param sparse what it would have as sparse rows, as a share of these
     */
    public record Wire(String field, Kind kind, double bytes, double sparse) {
        /** Of what is not known to be sparse. */
        public Wire(String field, Kind kind, double bytes) {
            this(field, kind, bytes, 1);
        }
    }

    public DatasetFacts {
        pixels = Map.copyOf(pixels);
        wires = List.copyOf(wires);
    }

    /** The names of the fields that the last transform leaves. */
    List<String> fields() {
        return wires.stream().map(Wire::field).toList();
    }

    /** What the field holds. */
    Kind kind(String field) {
        return wires.stream()
                .filter(wire -> wire.field().equals(field))
                .map(Wire::kind)
                .findFirst()
                .orElse(Kind.OTHER);
    }

    /** What sparse rows would have of the field's bytes, as a share; 1 when it is not known. */
    double sparse(String field) {
        return wires.stream()
                .filter(wire -> wire.field().equals(field))
                .mapToDouble(Wire::sparse)
                .findFirst()
                .orElse(1);
    }

    /** The field's bytes in a sample; 0 when it is not known. */
    double bytes(String field) {
        return wires.stream()
                .filter(wire -> wire.field().equals(field))
                .mapToDouble(Wire::bytes)
                .findFirst()
                .orElse(0);
    }
}
