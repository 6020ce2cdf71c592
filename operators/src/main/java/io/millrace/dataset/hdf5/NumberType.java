package io.millrace.dataset.hdf5;

import io.millrace.sample.DType;

/**
 * The stored form of numbers, and the conversion to the numbers of a field.
 *
 * <p>Tested by {@code Hdf5DatasetTest}.
 *
 * @param bytes the size of a stored number
 * @param dtype the type in a field
 * @param bigEndian whether the high byte comes first
 * @param signed whether integers are signed
 * @param firstBit the number of unused bits below the value
 * @param bits the number of bits of the value
 */
record NumberType(int bytes, DType dtype, boolean bigEndian, boolean signed, int firstBit, int bits) {
    private static final int BRAIN_FLOAT_BITS = 16;

    /** Reads the properties of an integer or of a field of bits, which h5py reads as an unsigned integer. */
    static NumberType integer(Cursor message, int flags, int bytes)
            throws MalformedHdf5Exception, UnsupportedHdf5Exception {
        boolean signed = (flags & 8) != 0;
        int firstBit = message.uint16();
        int bits = message.uint16();
        DType dtype =
                switch (bytes) {
                    case 1 -> signed ? DType.INT8 : DType.UINT8;
                    case 2 -> signed ? DType.INT16 : DType.UINT16;
                    case 4 -> signed ? DType.INT32 : DType.INT64;
                    case 8 -> DType.INT64;
                    default -> throw ElementType.unsupported("type integer of " + bytes + " bytes");
                };
        if (bits < 1 || firstBit + bits > bytes * Byte.SIZE) {
            throw message.malformed("expected an integer within " + bytes + " bytes, found " + bits + " bits from bit "
                    + firstBit + " on");
        }
        return new NumberType(bytes, dtype, (flags & 1) != 0, signed, firstBit, bits);
    }

    /** Reads the properties of a floating-point number. */
    static NumberType floating(Cursor message, int flags, int bytes)
            throws MalformedHdf5Exception, UnsupportedHdf5Exception {
        int firstBit = message.uint16();
        int bits = message.uint16();
        Layout layout = new Layout(
                flags >> 8 & 0xFF,
                message.uint8(),
                message.uint8(),
                message.uint8(),
                message.uint8(),
                message.uint32(),
                flags >> 4 & 3);
        boolean whole = firstBit == 0 && bits == bytes * Byte.SIZE && (flags & 0x40) == 0;
        boolean bigEndian = (flags & 1) != 0;
        if (whole && bytes == 2 && layout.equals(Layout.HALF)) {
            return new NumberType(bytes, DType.FLOAT16, bigEndian, true, 0, bits);
        }
        if (whole && bytes == 2 && layout.equals(Layout.BRAIN)) {
            return new NumberType(bytes, DType.FLOAT32, bigEndian, true, 0, bits);
        }
        if (whole && bytes == 4 && layout.equals(Layout.SINGLE)) {
            return new NumberType(bytes, DType.FLOAT32, bigEndian, true, 0, bits);
        }
        if (whole && bytes == 8 && layout.equals(Layout.DOUBLE)) {
            return new NumberType(bytes, DType.FLOAT64, bigEndian, true, 0, bits);
        }
        throw ElementType.unsupported("type float of " + bytes + " bytes"
                + ((flags & 0x40) != 0 ? " in the byte order of VAX" : "") + " with " + layout.exponentBits
                + " bits of exponent, bias " + layout.bias + ", and " + layout.fractionBits + " bits of fraction");
    }

    /** The bits of a floating-point number. The normalization 2 means that the first bit is implied. */
    private record Layout(
            int sign,
            int exponentAt,
            int exponentBits,
            int fractionAt,
            int fractionBits,
            long bias,
            int normalization) {
        static final Layout HALF = new Layout(15, 10, 5, 0, 10, 15, 2);
        static final Layout BRAIN = new Layout(15, 7, 8, 0, 7, 127, 2);
        static final Layout SINGLE = new Layout(31, 23, 8, 0, 23, 127, 2);
        static final Layout DOUBLE = new Layout(63, 52, 11, 0, 52, 1023, 2);
    }

    NumberType as(DType other) {
        return new NumberType(bytes, other, bigEndian, signed, firstBit, bits);
    }

    /**
     * Returns the numbers of a field, little-endian. Takes ownership of {@code stored}, whose bytes it may change and
     * return.
     *
     * @throws UnsupportedHdf5Exception when a number is larger than the field's type allows
     */
    byte[] decode(byte[] stored) throws UnsupportedHdf5Exception {
        if (bigEndian && bytes > 1) {
            reverse(stored);
        }
        if (!dtype.isFloat() && bits < bytes * Byte.SIZE) {
            shift(stored);
        }
        if (dtype == DType.INT64 && bytes == 8 && !signed) {
            requireSigned(stored);
        }
        return bytes == dtype.bytes() ? stored : widened(stored);
    }

    private void reverse(byte[] numbers) {
        for (int at = 0; at + bytes <= numbers.length; at += bytes) {
            for (int i = 0; i < bytes / 2; i++) {
                byte swapped = numbers[at + i];
                numbers[at + i] = numbers[at + bytes - 1 - i];
                numbers[at + bytes - 1 - i] = swapped;
            }
        }
    }

    /** Moves the bits of each number to its low end, and fills the others with zeros or the sign. */
    private void shift(byte[] numbers) {
        for (int at = 0; at + bytes <= numbers.length; at += bytes) {
            long value = load(numbers, at) << (Long.SIZE - firstBit - bits);
            store(numbers, at, bytes, signed ? value >> (Long.SIZE - bits) : value >>> (Long.SIZE - bits));
        }
    }

    private void requireSigned(byte[] numbers) throws UnsupportedHdf5Exception {
        for (int at = 0; at + Long.BYTES <= numbers.length; at += Long.BYTES) {
            if (numbers[at + Long.BYTES - 1] < 0) {
                throw new UnsupportedHdf5Exception("expected numbers up to " + Long.MAX_VALUE + ", found "
                        + Long.toUnsignedString(load(numbers, at)));
            }
        }
    }

    /** Returns unsigned integers as wider ones, and floats of 16 bits as the upper half of floats of 32. */
    private byte[] widened(byte[] numbers) {
        int width = dtype.bytes();
        byte[] wide = new byte[numbers.length / bytes * width];
        for (int from = 0, to = 0; from + bytes <= numbers.length; from += bytes, to += width) {
            long value = load(numbers, from);
            store(wide, to, width, dtype.isFloat() ? value << BRAIN_FLOAT_BITS : value);
        }
        return wide;
    }

    private long load(byte[] numbers, int at) {
        long value = 0;
        for (int i = 0; i < bytes; i++) {
            value |= (numbers[at + i] & 0xFFL) << (Byte.SIZE * i);
        }
        return value;
    }

    private static void store(byte[] numbers, int at, int width, long value) {
        for (int i = 0; i < width; i++) {
            numbers[at + i] = (byte) (value >> (Byte.SIZE * i));
        }
    }
}
