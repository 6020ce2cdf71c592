package io.millrace.sequence;

/** The lengths in an array. */
record ArrayLengths(int... lengths) implements DocumentLengths {
    @Override
    public long size() {
        return lengths.length;
    }

    @Override
    public int length(long document) {
        return lengths[(int) document];
    }
}
