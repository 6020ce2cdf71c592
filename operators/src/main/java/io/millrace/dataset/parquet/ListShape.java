package io.millrace.dataset.parquet;

/** The extents of nested lists, computed from the levels at which elements begin. Belongs to one thread. */
final class ListShape {
    private final int depth;

    /** The number of elements so far of the open list at each depth. */
    private final int[] open;

    /** The number of elements of the first list at each depth, or -1 while that list is open. */
    private final int[] sizes;

    private boolean regular = true;

    ListShape(int depth) {
        this.depth = depth;
        this.open = new int[depth];
        this.sizes = new int[depth];
    }

    void beginRow() {
        regular = true;
        for (int i = 0; i < depth; i++) {
            open[i] = 0;
            sizes[i] = -1;
        }
    }

    /**
     * Adds an element at the innermost depth. The list at depth {@code repetition} gets a new element, and a new list
     * begins at each deeper depth.
     */
    void add(int repetition) {
        // A new element at depth r closes the lists below it.
        int begun = Math.max(1, repetition);
        for (int i = begun; i < depth; i++) {
            close(i);
        }
        for (int i = begun - 1; i < depth; i++) {
            open[i]++;
        }
    }

    private void close(int at) {
        if (open[at] == 0) {
            return;
        }
        if (sizes[at] < 0) {
            sizes[at] = open[at];
        } else if (sizes[at] != open[at]) {
            regular = false;
        }
        open[at] = 0;
    }

    /** Ends the row and returns its extents, the outermost first. */
    int[] extents() {
        for (int i = 0; i < depth; i++) {
            close(i);
        }
        int[] extents = new int[depth];
        for (int i = 0; i < depth; i++) {
            extents[i] = Math.max(0, sizes[i]);
        }
        return extents;
    }

    /** Returns whether all lists of one depth had the same length; valid after {@link #extents}. */
    boolean isRegular() {
        return regular;
    }
}
