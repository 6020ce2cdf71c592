package io.millrace.order;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class WideMathTest {
    private static final long MOST = 1L << 62;

    @Property(tries = 20_000)
    void quotientAndRemainderEqualThoseOfBigIntegers(
            @ForAll @LongRange(max = MOST) long a,
            @ForAll @LongRange(max = MOST) long b,
            @ForAll @LongRange(min = 1, max = Long.MAX_VALUE) long divisor,
            @ForAll @LongRange(max = Long.MAX_VALUE) long add) {
        long part = b % divisor; // so that the quotient fits into a long
        long rest = add % divisor;
        BigInteger[] expected = BigInteger.valueOf(a)
                .multiply(BigInteger.valueOf(part))
                .add(BigInteger.valueOf(rest))
                .divideAndRemainder(BigInteger.valueOf(divisor));

        long quotient = WideMath.quotient(a, part, rest, divisor);

        assertThat(quotient).isEqualTo(expected[0].longValueExact());
        assertThat(WideMath.remainder(a, part, rest, divisor, quotient)).isEqualTo(expected[1].longValueExact());
    }

    @Test
    void digitsThatAreEstimatedTooLargeAreCorrected() {
        long[] edges = {1, 2, (1L << 31) - 1, 1L << 31, (1L << 32) - 1, 1L << 32, (1L << 32) + 1, MOST - 1, MOST};
        for (long a : edges) {
            for (long divisor : edges) {
                for (long b : edges) {
                    long part = Math.min(b, divisor);
                    BigInteger expected = BigInteger.valueOf(a)
                            .multiply(BigInteger.valueOf(part))
                            .add(BigInteger.valueOf(divisor - 1))
                            .divide(BigInteger.valueOf(divisor));
                    assertThat(WideMath.quotient(a, part, divisor - 1, divisor)).isEqualTo(expected.longValueExact());
                }
            }
        }
    }
}
