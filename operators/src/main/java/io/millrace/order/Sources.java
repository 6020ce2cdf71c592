package io.millrace.order;

import java.io.Serializable;
import java.util.List;
import java.util.Objects;

/**
 * The datasets that a run trains on, in the order of the pipeline file. A sample is known by its dataset and its index in it. The two
 * together are also one number, the index among all datasets: the indexes of a dataset follow those of the datasets before it. A dataset
 * that is added at the end changes none of these numbers.
 *
 * @param list the datasets, at least one
 */
public record Sources(List<Source> list) implements Serializable {
    /**
     * A dataset.
     *
     * @param name the name in the pipeline file; empty for the only dataset of a run without names
     * @param size the number of samples of the dataset, or of the part of it that the run trains on; {@link #ENDLESS} if they are
     *     numbered over all rounds
     * @param first the index among all datasets of the sample with the index 0
     * @param indexes the number of indexes: more than {@code size} where the run trains on a part
     */
    public record Source(String name, long size, long first, long indexes) implements Serializable {
        /** Returns whether nobody needs to know how many samples a round of the dataset has. */
        public boolean isEndless() {
            return size == ENDLESS;
        }
    }

    /** The number of samples of a dataset whose samples are numbered over all rounds. */
    public static final long ENDLESS = Permutation.MAX_SIZE;

    /** A sample: the number of its dataset, and its index there. */
    public record Place(int source, long index) {}

    public Sources {
        list = List.copyOf(list);
        if (list.isEmpty()) {
            throw new IllegalArgumentException("expected at least one dataset");
        }
        long next = 0;
        for (Source source : list) {
            if (source.first != next || source.indexes < source.size) {
                throw new IllegalArgumentException("the indexes of " + source + " do not begin at " + next);
            }
            next += source.indexes;
            if (next > SampleRandom.INDEXES) {
                throw new IllegalArgumentException(
                        "the datasets have more than " + SampleRandom.INDEXES + " samples together");
            }
        }
    }

    /** Returns the only dataset of a run. */
    public static Sources single(long size) {
        return new Sources(List.of(new Source("", size, 0, size)));
    }

    /** Returns whether the datasets are those of a mixture, which have names. */
    public boolean named() {
        return !list.get(0).name().isEmpty();
    }

    /** Returns the dataset with a number. */
    public Source get(int source) {
        return list.get(source);
    }

    /** Returns the number of datasets. */
    public int count() {
        return list.size();
    }

    /** Returns the number of samples that the run trains on. */
    public long size() {
        return list.stream().mapToLong(Source::size).sum();
    }

    /**
     * Returns the sample with an index among all datasets.
     *
     * @throws IndexOutOfBoundsException when no dataset has this index
     */
    public Place place(long index) {
        int low = 0;
        int high = list.size() - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (list.get(middle).first <= index) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        Source found = list.get(low);
        return new Place(low, Objects.checkIndex(index - found.first, found.indexes));
    }
}
