package io.millrace.order;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Weights of sources that are written as text, such as {@code 0.8}, {@code 1e-4}, {@code 1/3} or {@code 7}, as exact integers. */
public final class MixtureWeights {
    private static final Pattern DECIMAL = Pattern.compile("[+]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d{1,3})?");
    private static final Pattern FRACTION = Pattern.compile("(\\d+)\\s*/\\s*(\\d+)");

    /** The largest number of characters of a weight. */
    private static final int MOST_CHARACTERS = 100;

    private MixtureWeights() {}

    private record Ratio(BigInteger numerator, BigInteger denominator) {}

    /**
     * Returns integers that have exactly the proportions of the weights, without a common divisor.
     *
     * @param names the names of the sources, for messages
     * @param texts the weight of each source
     * @throws IllegalArgumentException when a weight is not a number of 0 or more, when all are 0, or when the integers have a sum
     *     of more than 2^62; the message is a sentence that names the source
     */
    public static long[] parse(List<String> names, List<String> texts) {
        Ratio[] ratios = new Ratio[texts.size()];
        BigInteger common = BigInteger.ONE;
        for (int source = 0; source < ratios.length; source++) {
            ratios[source] = ratio(names.get(source), texts.get(source));
            BigInteger denominator = ratios[source].denominator;
            common = common.divide(common.gcd(denominator)).multiply(denominator);
        }
        BigInteger[] integers = new BigInteger[ratios.length];
        BigInteger divisor = BigInteger.ZERO;
        BigInteger sum = BigInteger.ZERO;
        for (int source = 0; source < ratios.length; source++) {
            integers[source] = ratios[source].numerator.multiply(common).divide(ratios[source].denominator);
            divisor = divisor.gcd(integers[source]);
            sum = sum.add(integers[source]);
        }
        if (sum.signum() == 0) {
            throw new IllegalArgumentException(
                    "all weights are 0: " + String.join(", ", names) + "; at least one source needs a weight above 0");
        }
        if (sum.divide(divisor).compareTo(BigInteger.valueOf(MixturePhase.MOST)) > 0) {
            throw new IllegalArgumentException(tooFine(names, texts, ratios, sum.divide(divisor)));
        }
        long[] weights = new long[integers.length];
        for (int source = 0; source < weights.length; source++) {
            weights[source] = integers[source].divide(divisor).longValueExact();
        }
        return weights;
    }

    private static String tooFine(List<String> names, List<String> texts, Ratio[] ratios, BigInteger sum) {
        int finest = 0;
        int heaviest = 0;
        for (int source = 0; source < ratios.length; source++) {
            if (ratios[source].denominator.compareTo(ratios[finest].denominator) > 0) {
                finest = source;
            }
            if (compare(ratios[source], ratios[heaviest]) > 0) {
                heaviest = source;
            }
        }
        String largest =
                finest == heaviest ? "" : ", and " + names.get(heaviest) + " has the largest, " + texts.get(heaviest);
        return "the weights are not exact as integers of 64 bits: in proportion to one another they are integers with a sum of "
                + sum.bitLength() + " bits, and at most 2^62 is possible. The weight of " + names.get(finest) + ", "
                + texts.get(finest) + ", has the largest denominator" + largest + "; use fewer digits";
    }

    private static int compare(Ratio a, Ratio b) {
        return a.numerator.multiply(b.denominator).compareTo(b.numerator.multiply(a.denominator));
    }

    private static Ratio ratio(String name, String text) {
        String trimmed = text.strip();
        Matcher fraction = FRACTION.matcher(trimmed);
        if (trimmed.length() <= MOST_CHARACTERS && fraction.matches()) {
            BigInteger denominator = new BigInteger(fraction.group(2));
            if (denominator.signum() == 0) {
                throw refused(name, text, "a fraction with a denominator above 0");
            }
            return ratioOf(new BigInteger(fraction.group(1)), denominator);
        }
        if (trimmed.length() > MOST_CHARACTERS || !DECIMAL.matcher(trimmed).matches()) {
            throw refused(name, text, expected(trimmed));
        }
        BigDecimal decimal = new BigDecimal(trimmed).stripTrailingZeros();
        return decimal.scale() <= 0
                ? new Ratio(decimal.toBigIntegerExact(), BigInteger.ONE)
                : ratioOf(decimal.unscaledValue(), BigInteger.TEN.pow(decimal.scale()));
    }

    private static Ratio ratioOf(BigInteger numerator, BigInteger denominator) {
        BigInteger divisor = numerator.gcd(denominator);
        return new Ratio(numerator.divide(divisor), denominator.divide(divisor));
    }

    private static String expected(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        if (lower.startsWith("-")) {
            return "0 or more";
        }
        return lower.contains("inf") || lower.contains("nan")
                ? "a finite number of 0 or more"
                : "a number of 0 or more, such as 0.8, 1e-4 or 1/3";
    }

    private static IllegalArgumentException refused(String name, String text, String expected) {
        String shown = text.length() > MOST_CHARACTERS ? text.substring(0, MOST_CHARACTERS) + "..." : text;
        return new IllegalArgumentException("the weight of " + name + " is '" + shown + "'; expected " + expected);
    }
}
