package io.millrace.dataset.cifar;

import java.util.List;

/** The two CIFAR datasets, with the label bytes before each picture and their names. */
enum Variant {
    CIFAR10,
    CIFAR100;

    static final int ROWS = 32;
    static final int COLUMNS = 32;
    static final int CHANNELS = 3;
    static final int PICTURE_BYTES = ROWS * COLUMNS * CHANNELS;

    /**
     * One of the bytes before a picture.
     *
     * @param name the name of the label
     * @param classes the number of classes
     * @param names the file that lists the names of the classes
     */
    record LabelByte(String name, int classes, String names) {}

    /** Returns the labels in their order. */
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
