package io.millrace.order;

import java.io.Serializable;

/** The order of the samples of an epoch. */
public sealed interface Shuffle extends Serializable {
    /** Storage order in every epoch. */
    Shuffle NONE = Whole.NONE;

    /** A new permutation of the whole dataset in every epoch. */
    Shuffle FULL = Whole.FULL;

    /** The orders that have no settings. */
    enum Whole implements Shuffle {
        /** Storage order in every epoch. */
        NONE,
        /** A new permutation of the whole dataset in every epoch. */
        FULL
    }

    /**
     * An order that is new in every epoch: blocks of consecutive samples are permuted, and then the samples of several
     * blocks at a time are mixed. Samples that are near each other in the epoch then come from a few places of the
     * storage.
     *
     * @param size the number of samples in a block, at least 1; the last block of a dataset may have fewer
     * @param open the number of blocks whose samples are mixed with one another, at least 1
     */
    record Blocks(int size, int open) implements Shuffle {
        /** Blocks of 1024 samples, 16 at a time. */
        public static final Blocks STANDARD = new Blocks(1024, 16);

        public Blocks {
            if (size < 1) {
                throw new IllegalArgumentException("expected blocks of at least 1 sample, found " + size);
            }
            if (open < 1) {
                throw new IllegalArgumentException("expected at least 1 open block, found " + open);
            }
        }
    }
}
