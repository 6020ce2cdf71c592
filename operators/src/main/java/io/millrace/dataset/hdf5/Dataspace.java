package io.millrace.dataset.hdf5;

/** The extents of a dataset, outermost first. */
final class Dataspace {
    private static final int MOST_RANK = 32;

    private final long[] extents;
    private final long[] limits;

    private Dataspace(long[] extents, long[] limits) {
        this.extents = extents;
        this.limits = limits;
    }

    /**
     * Reads a dataspace message (HDF5 File Format Specification, IV.A.2.b).
     *
     * @throws UnsupportedHdf5Exception when the dataset has no first extent, which counts the rows
     */
    static Dataspace read(Cursor message) throws MalformedHdf5Exception, UnsupportedHdf5Exception {
        int version = message.version("a dataspace", 1, 2);
        int rank = message.uint8();
        int flags = message.uint8();
        int kind = version == 1 ? 1 : message.uint8();
        message.skip(version == 1 ? 5 : 0);
        if (rank > MOST_RANK || kind > 2) {
            throw message.malformed("expected at most " + MOST_RANK + " extents, found " + rank);
        }
        if (rank == 0 || kind != 1) {
            throw new UnsupportedHdf5Exception(
                    kind == 2
                            ? "is empty; expected at least one extent, found a null dataspace"
                            : "has no rows; expected at least one extent, found []");
        }
        long[] extents = new long[rank];
        for (int i = 0; i < rank; i++) {
            extents[i] = message.length();
        }
        long[] limits = extents.clone();
        for (int i = 0; i < rank && (flags & 1) != 0; i++) {
            limits[i] = message.extent();
            if (limits[i] >= 0 && limits[i] < extents[i]) {
                throw message.malformed("expected an extent of at most " + limits[i] + ", found " + extents[i]);
            }
        }
        return new Dataspace(extents, limits);
    }

    /** Returns the present extents. The caller must not change them. */
    long[] extents() {
        return extents;
    }

    /** Returns the largest extent that the file allows; negative for an extent without a limit. */
    long limit(int dimension) {
        return limits[dimension];
    }
}
