package io.millrace.dataset;

import java.io.Serializable;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The choice of one part of a dataset, such as the part for training. The parts of a dataset share no sample. Which part a sample
 * belongs to depends on the seed, on the fractions and on the sample alone, and is the same in each process and on each machine.
 *
 * @param name the name of the chosen part, one of {@code shares}
 * @param shares the parts in the order of their intervals; their fractions are at most 1 together, and the samples of the rest
 *     belong to no part
 * @param seed the seed of the hashes, on which no other random number depends
 * @param group what keeps samples together; null: each sample stands for itself
 * @param stratified whether each part has the same share of each label
 */
public record PartSpec(
        String name,
        List<Share> shares,
        long seed,
        @Nullable PartGroup group,
        boolean stratified) implements Serializable {
    /**
     * A part.
     *
     * @param fraction the fraction of the samples, above 0 and at most 1
     */
    public record Share(String name, double fraction) implements Serializable {
        @Override
        public String toString() {
            return name + ": " + fraction;
        }
    }

    /**
     * Checks the parts.
     *
     * @throws IllegalArgumentException when the parts are no division of a dataset, or {@code name} is none of them; the message
     *     has the form "expected ..., found ..."
     */
    public PartSpec {
        shares = List.copyOf(shares);
        if (shares.stream().noneMatch(share -> share.name().equals(name))) {
            throw new IllegalArgumentException(
                    unknown(shares.stream().map(Share::name).toList(), name));
        }
    }

    /**
     * Checks the fractions of the parts.
     *
     * @throws IllegalArgumentException when a fraction is not above 0, or all together are over 1; the message has the form
     *     "expected ..., found ..."
     */
    public static void requireFractions(List<Share> shares) {
        for (Share share : shares) {
            if (!(share.fraction() > 0 && share.fraction() <= 1)) {
                throw new IllegalArgumentException("expected fractions above 0 and at most 1, found " + share.fraction()
                        + " for '" + share.name() + "'");
            }
        }
        BigDecimal sum = sum(shares);
        if (sum.compareTo(BigDecimal.ONE) > 0) {
            throw new IllegalArgumentException(
                    "expected fractions that are at most 1 together, found " + sum.toPlainString());
        }
    }

    /** Returns the sentence for a name that is none of the parts, in the form "expected ..., found ...". */
    public static String unknown(List<String> parts, String name) {
        return "expected one of the parts " + String.join(", ", parts) + ", found '" + name + "'";
    }

    /** Returns the sum of decimal fractions, without the errors of floating-point numbers: 0.7, 0.2 and 0.1 are 1. */
    private static BigDecimal sum(List<Share> shares) {
        return shares.stream()
                .map(share -> BigDecimal.valueOf(share.fraction()))
                .reduce(BigDecimal.ZERO, BigDecimal::add);
    }

    /** Returns the sum of the fractions before the chosen part, where its interval begins. */
    BigDecimal begin() {
        return sum(shares.subList(0, number()));
    }

    /** Returns where the interval of the chosen part ends. */
    BigDecimal end() {
        return sum(shares.subList(0, number() + 1));
    }

    private int number() {
        return shares.stream().map(Share::name).toList().indexOf(name);
    }

    /** Returns the choice of another part of the same division. */
    public PartSpec named(String other) {
        return new PartSpec(other, shares, seed, group, stratified);
    }

    /** Returns the choice as {@code pack} writes it into a manifest: {@code a of [a: 0.5, b: 0.5], seed 0, grouped by folder}. */
    @Override
    public String toString() {
        String grouped = group == null ? "" : ", grouped by " + (group.field() == null ? "folder" : group.field());
        return name + " of " + shares + ", seed " + seed + grouped + (stratified ? ", stratified" : "");
    }
}
