package io.millrace.dataset;

import java.util.Objects;

/**
 * A set of the samples of a dataset, as one bit for each sample. A set of 100 million samples takes 13 MB. Immutable, except while
 * one thread for each word of 64 samples fills it; any thread may read it afterwards.
 */
final class SampleSet {
    /** The words whose samples are counted together: a search for a sample reads at most so many of them. */
    private static final int BLOCK = 32;

    private final long[] words;

    /** The number of samples before each block, followed by that of all samples. */
    private final long[] before;

    /** Takes ownership of the words; bit i of word w stands for sample 64 w + i. */
    SampleSet(long[] words) {
        this.words = words;
        this.before = new long[(words.length + BLOCK - 1) / BLOCK + 1];
        for (int word = 0; word < words.length; word++) {
            before[word / BLOCK + 1] += Long.bitCount(words[word]);
        }
        for (int block = 1; block < before.length; block++) {
            before[block] += before[block - 1];
        }
    }

    /** Returns the number of samples in the set. */
    long size() {
        return before[before.length - 1];
    }

    /**
     * Returns the index of a sample in the dataset.
     *
     * @param i the number of the sample in the set, 0 to {@code size() - 1}, in the order of the dataset
     */
    long index(long i) {
        Objects.checkIndex(i, size());
        int low = 0;
        int high = before.length - 1;
        while (high - low > 1) {
            int middle = (low + high) >>> 1;
            if (before[middle] <= i) {
                low = middle;
            } else {
                high = middle;
            }
        }
        long left = i - before[low];
        int word = low * BLOCK;
        while (left >= Long.bitCount(words[word])) {
            left -= Long.bitCount(words[word]);
            word++;
        }
        long bits = words[word];
        for (; left > 0; left--) {
            bits &= bits - 1;
        }
        return 64L * word + Long.numberOfTrailingZeros(bits);
    }
}
