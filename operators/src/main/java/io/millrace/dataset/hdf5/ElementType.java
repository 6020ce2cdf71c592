package io.millrace.dataset.hdf5;

import io.millrace.sample.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The type of the elements of a dataset.
 *
 * <p>Tested by {@code Hdf5DatasetTest}.
 *
 * @param kind the stored form
 * @param bytes the number of stored bytes of one element, or of the reference to an element whose length varies
 * @param number the form of one number; null for text
 * @param extents the extents of an element that is itself an array; empty for other elements
 */
record ElementType(Kind kind, int bytes, @Nullable NumberType number, List<Integer> extents) {
    /** The stored form of elements. */
    enum Kind {
        NUMBER,
        /** The same number of characters for each element, of which the first zero and all that follows is padding. */
        TERMINATED_TEXT,
        /** The same number of characters for each element, filled up with zeros. */
        ZERO_PADDED_TEXT,
        /** The same number of characters for each element, filled up with spaces. */
        SPACE_PADDED_TEXT,
        /** A reference to text. */
        TEXT,
        /** A reference to numbers. */
        LIST
    }

    private static final int INTEGER = 0;
    private static final int FLOAT = 1;
    private static final int STRING = 3;
    private static final int BITS = 4;
    private static final int ENUM = 8;
    private static final int VARYING = 9;
    private static final int ARRAY = 10;
    private static final List<String> CLASSES = List.of(
            "integer",
            "float",
            "time",
            "string",
            "bit field",
            "opaque",
            "compound",
            "reference",
            "enumeration",
            "list of varying length",
            "array",
            "complex");
    private static final int MOST_RANK = 32;
    private static final int MOST_DEPTH = 8;

    /** The bytes of a length, an address and a number within a collection of values. */
    private static final int MOST_REFERENCE_BYTES = 2 * Integer.BYTES + Long.BYTES;

    /**
     * Reads a datatype message (HDF5 File Format Specification, IV.A.2.d).
     *
     * @throws UnsupportedHdf5Exception when there is no field of this type
     */
    static ElementType read(Cursor message) throws MalformedHdf5Exception, UnsupportedHdf5Exception {
        return read(message, 0);
    }

    private static ElementType read(Cursor message, int depth) throws MalformedHdf5Exception, UnsupportedHdf5Exception {
        if (depth > MOST_DEPTH) {
            throw message.malformed("expected a type within at most " + MOST_DEPTH + " others, found more");
        }
        int classAndVersion = message.uint8();
        int version = classAndVersion >> 4;
        int bits = (int) message.unsigned(3);
        long size = message.uint32();
        int number = classAndVersion & 15;
        if (version < 1 || version > 5 || number >= CLASSES.size() || size < 1 || size > Integer.MAX_VALUE) {
            throw message.malformed(
                    "expected a type, found class " + number + " of version " + version + " with " + size + " bytes");
        }
        int bytes = (int) size;
        return switch (number) {
            case INTEGER, BITS -> of(NumberType.integer(message, bits, bytes));
            case FLOAT -> of(NumberType.floating(message, bits, bytes));
            case STRING ->
                new ElementType(
                        switch (bits & 15) {
                            case 0 -> Kind.TERMINATED_TEXT;
                            case 1 -> Kind.ZERO_PADDED_TEXT;
                            case 2 -> Kind.SPACE_PADDED_TEXT;
                            default -> throw message.malformed("expected padding of text, found " + (bits & 15));
                        },
                        bytes,
                        null,
                        List.of());
            case ENUM -> enumeration(message, version, bits & 0xFFFF, bytes, depth);
            case VARYING -> {
                if (bytes > MOST_REFERENCE_BYTES) {
                    throw message.malformed("expected references to values of varying length of at most "
                            + MOST_REFERENCE_BYTES + " bytes, found " + bytes);
                }
                if ((bits & 15) == 1) {
                    yield new ElementType(Kind.TEXT, bytes, null, List.of());
                }
                ElementType element = read(message, depth + 1);
                if (element.kind != Kind.NUMBER || !element.extents.isEmpty()) {
                    throw unsupported("lists of varying length of another type than numbers");
                }
                yield new ElementType(Kind.LIST, bytes, element.number, List.of());
            }
            case ARRAY -> array(message, version, bytes, depth);
            default -> throw unsupported("type " + CLASSES.get(number) + " of " + size + " bytes");
        };
    }

    private static ElementType of(NumberType number) {
        return new ElementType(Kind.NUMBER, number.bytes(), number, List.of());
    }

    static UnsupportedHdf5Exception unsupported(String what) {
        return new UnsupportedHdf5Exception("has elements of the " + what + ", which is not supported");
    }

    /** Reads an enumeration. h5py stores truth values in this way: FALSE and TRUE in one byte. */
    private static ElementType enumeration(Cursor message, int version, int members, int bytes, int depth)
            throws MalformedHdf5Exception, UnsupportedHdf5Exception {
        ElementType base = read(message, depth + 1);
        NumberType number = base.number;
        if (number == null || base.kind != Kind.NUMBER || base.bytes != bytes) {
            throw unsupported("enumeration of another type than integers");
        }
        List<String> names = new ArrayList<>();
        for (int i = 0; i < members; i++) {
            long start = message.position();
            names.add(message.terminated());
            int padding = (int) ((Long.BYTES - (message.position() - start) % Long.BYTES) % Long.BYTES);
            message.skip(version < 3 ? padding : 0);
        }
        boolean truth = bytes == 1 && names.equals(List.of("FALSE", "TRUE"));
        return of(truth ? number.as(DType.BOOL) : number);
    }

    private static ElementType array(Cursor message, int version, int bytes, int depth)
            throws MalformedHdf5Exception, UnsupportedHdf5Exception {
        int rank = message.uint8();
        message.skip(version < 3 ? 3 : 0);
        if (rank < 1 || rank > MOST_RANK) {
            throw message.malformed("expected an array with 1 to " + MOST_RANK + " extents, found " + rank);
        }
        List<Integer> extents = new ArrayList<>();
        long elements = 1;
        for (int i = 0; i < rank; i++) {
            long extent = message.uint32();
            elements = Math.min(elements * extent, Integer.MAX_VALUE);
            extents.add((int) extent);
        }
        message.skip(version < 3 ? rank * Integer.BYTES : 0);
        ElementType element = read(message, depth + 1);
        if (element.kind != Kind.NUMBER || !element.extents.isEmpty()) {
            throw unsupported("arrays of another type than numbers");
        }
        if (elements * element.bytes != bytes) {
            throw message.malformed("expected an array of " + bytes + " bytes, found " + extents);
        }
        return new ElementType(Kind.NUMBER, bytes, element.number, List.copyOf(extents));
    }

    /** Returns the element type of numbers and of lists of numbers; empty for text. */
    Optional<DType> dtype() {
        NumberType form = number;
        return form == null ? Optional.empty() : Optional.of(form.dtype());
    }

    String describe() {
        NumberType form = number;
        return (kind == Kind.NUMBER || kind == Kind.LIST ? kind.name().toLowerCase(java.util.Locale.ROOT) : "text")
                + (form == null ? "" : " " + form.dtype().word());
    }
}
