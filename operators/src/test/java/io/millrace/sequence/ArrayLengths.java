package io.millrace.sequence;

/** The lengths in an array. */
final class ArrayLengths implements DocumentLengths {
    private final int[] lengths;

    ArrayLengths(int... lengths) {
        this.lengths = lengths;
    }

    @Override
    public long size() {
        return lengths.length;
    }

    @Override
    public int length(long document) {
        return lengths[(int) document];
    }
}
