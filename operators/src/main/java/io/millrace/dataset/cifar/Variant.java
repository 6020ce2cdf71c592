package io.millrace.dataset.cifar;

import java.util.List;

/** The two CIFAR datasets. They differ in the label bytes that precede each picture. */
enum Variant {
    CIFAR10,
    CIFAR100;

    static final int ROWS = 32;
    static final int COLUMNS = 32;
    static final int CHANNELS = 3;
    static final int PICTURE_BYTES = ROWS * COLUMNS * CHANNELS;

    /**
     * A label byte, which precedes the picture in a record.
     *
     * @param name the name of the label
     * @param classes the number of classes
     * @param namesFile the name of the file that lists the names of the classes
     */
    record LabelByte(String name, int classes, String namesFile) {}

    /** Returns the label bytes in the order in which a record stores them. */
    List<LabelByte> labels() {
        return switch (this) {
            case CIFAR10 -> List.of(new LabelByte("fine", 10, "batches.meta.txt"));
            case CIFAR100 ->
                List.of(
                        new LabelByte("coarse", 20, "coarse_label_names.txt"),
                        new LabelByte("fine", 100, "fine_label_names.txt"));
        };
    }

    int recordBytes() {
        return (this == CIFAR10 ? 1 : 2) + PICTURE_BYTES;
    }
}
