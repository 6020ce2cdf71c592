package io.millrace.dataset.parquet;

/** The extents of lists in lists, from the levels at which elements begin. For one thread. */
final class ListShape {
    private final int depth;

    /** How many elements the list at each depth has so far, in the group that is open. */
    private final int[] open;

    /** How many the first group at each depth had, or -1 while it is open. */
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

    /** An element at the innermost depth that begins a new one at depth {@code repetition}, and so all within it. */
    void add(int repetition) {
        // A new element at depth r closes the groups below it.
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

    /** Ends the row: its extents, the outermost first. */
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

    /** Whether all lists of one depth had the same length; asked after {@link #extents}. */
    boolean isRegular() {
        return regular;
    }
}
