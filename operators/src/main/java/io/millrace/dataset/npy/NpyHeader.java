package io.millrace.dataset.npy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The header of a .npy file of version 1, 2 or 3: a Python dictionary of {@code descr}, {@code fortran_order} and
 * {@code shape}. Only headers as {@code numpy.save} writes them are accepted.
 *
 * <p>Tested by {@code NpyDatasetTest}.
 *
 * @param type the type of the elements
 * @param fortran whether the first extent is the innermost
 * @param shape the extents, outermost first, none negative; their product times the type's bytes fits a {@code long}
 * @param bytes the number of bytes before the elements
 */
record NpyHeader(NpyType type, boolean fortran, List<Long> shape, int bytes) {
    /** The number of bytes that {@link #length} needs. */
    static final int PREFIX_BYTES = 12;

    private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};
    private static final int VERSION_OFFSET = 6;
    private static final int LENGTH_OFFSET = 8;

    /** The largest length of a header. NumPy itself refuses longer ones unless its caller trusts the file. */
    private static final int MOST_BYTES = 10_000;

    private static final int MOST_EXTENTS = 64;

    private static final Pattern KEY = Pattern.compile("\\G\\s*'(descr|fortran_order|shape)'\\s*:\\s*");
    private static final Pattern VALUE =
            Pattern.compile("\\G(?:'([^']*)'|(True|False)|\\(([0-9,L ]*)\\)|(\\[.*))\\s*,?", Pattern.DOTALL);

    /**
     * Returns the length of the header in bytes, including the magic number.
     *
     * @param prefix the file's first {@link #PREFIX_BYTES}, or all bytes of a shorter file
     */
    static int length(byte[] prefix) throws MalformedNpyException {
        for (int i = 0; i < MAGIC.length; i++) {
            if (i >= prefix.length || prefix[i] != MAGIC[i]) {
                throw new MalformedNpyException(0, "expected a .npy file, which begins with 93 'NUMPY'");
            }
        }
        if (prefix.length < PREFIX_BYTES) {
            throw new MalformedNpyException(prefix.length, "expected a .npy header, found the end of the data");
        }
        int version = prefix[VERSION_OFFSET];
        if (version < 1 || version > 3) {
            throw new MalformedNpyException(
                    VERSION_OFFSET, "expected .npy version 1, 2 or 3, found " + (version & 0xFF));
        }
        ByteBuffer numbers = ByteBuffer.wrap(prefix).order(ByteOrder.LITTLE_ENDIAN);
        long length = version == 1
                ? LENGTH_OFFSET + Short.BYTES + (long) Short.toUnsignedInt(numbers.getShort(LENGTH_OFFSET))
                : LENGTH_OFFSET + Integer.BYTES + Integer.toUnsignedLong(numbers.getInt(LENGTH_OFFSET));
        if (length > MOST_BYTES || length < PREFIX_BYTES) {
            throw new MalformedNpyException(
                    LENGTH_OFFSET,
                    "expected a .npy header of " + PREFIX_BYTES + " to " + MOST_BYTES + " bytes, found " + length);
        }
        return (int) length;
    }

    /**
     * Reads a header.
     *
     * @param header at least as many bytes as {@link #length} returns
     */
    static NpyHeader parse(byte[] header) throws MalformedNpyException {
        int length = length(header);
        int start = LENGTH_OFFSET + (header[VERSION_OFFSET] == 1 ? Short.BYTES : Integer.BYTES);
        if (header.length < length) {
            throw new MalformedNpyException(
                    header.length, "expected a .npy header of " + length + " bytes, found the end of the data");
        }
        String text = new String(
                header,
                start,
                length - start,
                header[VERSION_OFFSET] == 3 ? StandardCharsets.UTF_8 : StandardCharsets.ISO_8859_1);
        return new Dictionary(text.strip(), start).parse(length);
    }

    /** Returns the product of the extents, beginning with the extent of the given index. */
    long elements(int from) {
        long product = 1;
        for (long extent : shape.subList(from, shape.size())) {
            product *= extent;
        }
        return product;
    }

    /** Describes the array for messages: "[60000, 28, 28] of uint8". */
    String describe() {
        return shape + " of " + type.dtype().name().toLowerCase(java.util.Locale.ROOT);
    }

    private record Dictionary(String text, int offset) {

        NpyHeader parse(int headerBytes) throws MalformedNpyException {
            if (!text.startsWith("{") || !text.endsWith("}")) {
                throw unexpected("a dictionary in braces");
            }
            String body = text.substring(1, text.length() - 1);
            NpyType type = null;
            Boolean fortran = null;
            List<Long> shape = null;
            Matcher key = KEY.matcher(body);
            Matcher value = VALUE.matcher(body);
            int at = 0;
            while (!body.substring(at).isBlank()) {
                if (!key.find(at) || !value.find(key.end())) {
                    throw unexpected("descr, fortran_order and shape");
                }
                switch (key.group(1)) {
                    case "descr" -> type = type(value);
                    case "fortran_order" -> fortran = "True".equals(value.group(2));
                    default -> shape = shape(value.group(3));
                }
                at = value.end();
            }
            if (type == null || fortran == null || shape == null) {
                throw unexpected("descr, fortran_order and shape");
            }
            requireAddressable(type, shape);
            return new NpyHeader(type, fortran, shape, headerBytes);
        }

        private NpyType type(Matcher value) throws MalformedNpyException {
            String descr = value.group(1);
            if (descr == null) {
                throw new MalformedNpyException(
                        offset, "expected elements of one type of number, found a structured array or no type");
            }
            return NpyType.of(descr)
                    .orElseThrow(() -> new MalformedNpyException(
                            offset,
                            "expected elements of bool, int8 to int64, uint8 to uint32 or float16 to float64, found"
                                    + " type '" + descr + "'"));
        }

        private List<Long> shape(@org.jspecify.annotations.Nullable String tuple) throws MalformedNpyException {
            if (tuple == null) {
                throw unexpected("a shape such as (60000, 28, 28)");
            }
            List<Long> extents = new ArrayList<>();
            for (String part : tuple.replace("L", "").split(",", -1)) {
                String extent = part.strip();
                if (extent.length() > 18 || extents.size() >= MOST_EXTENTS) {
                    throw unexpected("up to " + MOST_EXTENTS + " extents of up to 18 digits");
                }
                if (!extent.isEmpty()) {
                    if (!extent.chars().allMatch(digit -> digit >= '0' && digit <= '9')) {
                        throw unexpected("a shape of whole numbers");
                    }
                    extents.add(Long.parseLong(extent));
                }
            }
            return List.copyOf(extents);
        }

        private void requireAddressable(NpyType type, List<Long> shape) throws MalformedNpyException {
            long bytes = type.dtype().bytes();
            for (long extent : shape) {
                if (extent != 0 && bytes > Long.MAX_VALUE / extent) {
                    throw unexpected("an array of less than 2^63 bytes");
                }
                bytes *= Math.max(1, extent);
            }
        }

        private MalformedNpyException unexpected(String expected) {
            return new MalformedNpyException(
                    offset,
                    "expected " + expected + " in the .npy header, found '"
                            + text.substring(0, Math.min(text.length(), 80)) + "'");
        }
    }
}
