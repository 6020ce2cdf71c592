package io.millrace.order;

/** Products of two numbers of 64 bits, divided without overflow and without allocation. */
final class WideMath {
    private static final long LOW_WORD = 0xFFFF_FFFFL;
    private static final long WORD = 1L << 32;

    private WideMath() {}

    /**
     * Returns {@code floor((a * b + add) / divisor)}. The result must fit into a {@code long}.
     *
     * @param a 0 or more
     * @param b 0 or more
     * @param add 0 or more
     * @param divisor 1 or more
     */
    static long quotient(long a, long b, long add, long divisor) {
        long high = Math.multiplyHigh(a, b);
        long product = a * b;
        long low = product + add;
        if (Long.compareUnsigned(low, product) < 0) {
            high++;
        }
        return high == 0 && low >= 0 ? low / divisor : quotient(high, low, divisor);
    }

    /**
     * Returns the remainder that belongs to a {@link #quotient}.
     *
     * @param quotient the result of {@link #quotient} with the same arguments
     */
    static long remainder(long a, long b, long add, long divisor, long quotient) {
        // The true value is less than the divisor, so the overflows of the two products cancel each other.
        return a * b + add - quotient * divisor;
    }

    /**
     * Divides a number of 128 bits by one of 63 bits: Knuth, "The art of computer programming", volume 2, algorithm D, with
     * digits of 32 bits.
     */
    private static long quotient(long high, long low, long divisor) {
        int shift = Long.numberOfLeadingZeros(divisor);
        long normal = divisor << shift;
        long top = (high << shift) | (low >>> (Long.SIZE - shift));
        long rest = low << shift;
        long first = digit(top, rest >>> 32, normal);
        long middle = ((top << 32) | (rest >>> 32)) - first * normal;
        return (first << 32) | digit(middle, rest & LOW_WORD, normal);
    }

    /** Returns the digit of {@code (above * 2^32 + next) / divisor}, where {@code above} is less than the divisor. */
    private static long digit(long above, long next, long divisor) {
        long divisorHigh = divisor >>> 32;
        long divisorLow = divisor & LOW_WORD;
        long digit = Long.divideUnsigned(above, divisorHigh);
        long rest = above - digit * divisorHigh;
        while (digit >= WORD || Long.compareUnsigned(digit * divisorLow, (rest << 32) | next) > 0) {
            digit--;
            rest += divisorHigh;
            if (rest >= WORD) {
                break;
            }
        }
        return digit;
    }
}
