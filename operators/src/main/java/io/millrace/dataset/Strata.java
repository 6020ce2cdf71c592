package io.millrace.dataset;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.IntConsumer;

/**
 * The division of a dataset into parts with the same shares of each label. Samples with equal hashes are a group, which stays together
 * and counts for the label that most of its samples have, the smaller of two that are as frequent. The groups of a label lie one after
 * another in the order of their hashes, and a group belongs to the part in whose interval its middle lies.
 *
 * <p>Tested by {@code PartDatasetTest}.
 */
final class Strata {
    private final long[] labels;

    /** The different hashes in their order as numbers without a sign. */
    private final long[] groups;

    /** The number of each sample's group. */
    private final int[] groupOf;

    private final int[] sizes;

    /**
     * Finds the groups.
     *
     * @param hashes the hash of each sample
     * @param labels the label of each sample; the instance owns the array
     */
    Strata(long[] hashes, long[] labels) {
        this.labels = labels;
        this.groups = different(hashes);
        this.groupOf = new int[hashes.length];
        this.sizes = new int[groups.length];
        for (int i = 0; i < hashes.length; i++) {
            groupOf[i] = Arrays.binarySearch(groups, hashes[i] ^ Long.MIN_VALUE);
            sizes[groupOf[i]]++;
        }
    }

    /** Returns the different hashes in their order. The stream of an array would box them. */
    private static long[] different(long[] hashes) {
        long[] sorted = new long[hashes.length];
        for (int i = 0; i < hashes.length; i++) {
            sorted[i] = hashes[i] ^ Long.MIN_VALUE;
        }
        Arrays.parallelSort(sorted);
        int count = 0;
        for (int i = 0; i < sorted.length; i++) {
            if (i == 0 || sorted[i] != sorted[i - 1]) {
                sorted[count] = sorted[i];
                count++;
            }
        }
        return Arrays.copyOf(sorted, count);
    }

    /** Calls {@code chosen} for each sample of a part, in the order of the dataset. */
    void choose(PartSpec part, IntConsumer chosen) {
        long[] labelOf = labelsOfGroups();
        Map<Long, Stratum> strata = new HashMap<>();
        for (int group = 0; group < groups.length; group++) {
            strata.computeIfAbsent(labelOf[group], label -> new Stratum()).total += sizes[group];
        }
        strata.values().forEach(stratum -> stratum.bound(part));
        boolean[] in = new boolean[groups.length];
        for (int group = 0; group < groups.length; group++) {
            in[group] = Objects.requireNonNull(strata.get(labelOf[group])).passes(sizes[group]);
        }
        for (int i = 0; i < groupOf.length; i++) {
            if (in[groupOf[i]]) {
                chosen.accept(i);
            }
        }
    }

    /** The groups of a label. Places are counted in halves of samples, so that middles are whole numbers. */
    private static final class Stratum {
        private long total;
        private long passed;
        private long first;
        private long end;

        void bound(PartSpec part) {
            first = place(part.begin());
            end = place(part.end());
        }

        private long place(BigDecimal share) {
            return share.multiply(BigDecimal.valueOf(2 * total))
                    .setScale(0, RoundingMode.CEILING)
                    .longValueExact();
        }

        /** Returns whether the middle of the next group lies in the part. */
        boolean passes(int size) {
            long middle = 2 * passed + size;
            passed += size;
            return middle >= first && middle < end;
        }
    }

    /** Returns the label that most samples of each group have. */
    private long[] labelsOfGroups() {
        long[] labelOf = new long[groups.length];
        boolean[] seen = new boolean[groups.length];
        boolean[] mixed = new boolean[groups.length];
        for (int i = 0; i < labels.length; i++) {
            int group = groupOf[i];
            mixed[group] |= seen[group] && labelOf[group] != labels[i];
            labelOf[group] = labels[i];
            seen[group] = true;
        }
        Map<Integer, TreeMap<Long, Integer>> counts = new HashMap<>();
        for (int i = 0; i < labels.length; i++) {
            if (mixed[groupOf[i]]) {
                counts.computeIfAbsent(groupOf[i], group -> new TreeMap<>()).merge(labels[i], 1, Integer::sum);
            }
        }
        counts.forEach((group, ofLabel) -> {
            int most = 0;
            for (Map.Entry<Long, Integer> each : ofLabel.entrySet()) { // from the smallest label on
                if (each.getValue() > most) {
                    most = each.getValue();
                    labelOf[group] = each.getKey();
                }
            }
        });
        return labelOf;
    }
}
