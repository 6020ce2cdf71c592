package io.millrace.order;

/**
 * A table for drawing numbers with given probabilities in constant time: Walker's method of aliases, built as by Vose, "A linear
 * algorithm for generating random numbers with a given distribution" (1991).
 *
 * <p>Tested by {@code WeightTableTest}.
 */
final class AliasTable {
    private static final double ULP_63 = 0x1p-63;

    /** The probability with which a column keeps its own number. */
    private final double[] own;

    private final int[] alias;

    /**
     * Builds the table.
     *
     * @param weights finite numbers of 0 or more, with a finite sum above 0; a number of weight 0 is never drawn
     */
    AliasTable(double[] weights) {
        int size = weights.length;
        double sum = 0;
        for (double weight : weights) {
            sum += weight;
        }
        own = new double[size];
        alias = new int[size];
        int[] waiting = new int[size]; // columns below the mean from the left, the others from the right
        int below = 0;
        int above = size;
        int heaviest = 0;
        for (int i = 0; i < size; i++) {
            own[i] = weights[i] / sum * size;
            heaviest = weights[i] > weights[heaviest] ? i : heaviest;
            if (own[i] < 1) {
                waiting[below++] = i;
            } else {
                waiting[--above] = i;
            }
        }
        while (below > 0 && above < size) {
            int light = waiting[--below];
            int heavy = waiting[above++];
            alias[light] = heavy;
            own[heavy] -= 1 - own[light];
            if (own[heavy] < 1) {
                waiting[below++] = heavy;
            } else {
                waiting[--above] = heavy;
            }
        }
        while (above < size) {
            own[waiting[above++]] = 1;
        }
        while (below > 0) { // only rounding leaves columns below the mean without a partner
            int light = waiting[--below];
            alias[light] = heaviest;
            own[light] = weights[light] > 0 ? 1 : 0;
        }
    }

    /**
     * Returns a number, 0 to the number of weights less 1.
     *
     * @param column 63 random bits
     * @param coin 63 other random bits
     */
    int draw(long column, long coin) {
        int chosen = (int) Math.multiplyHigh(column, 2L * own.length);
        return (coin >>> 10) * (ULP_63 * 1024) < own[chosen] ? chosen : alias[chosen];
    }
}
