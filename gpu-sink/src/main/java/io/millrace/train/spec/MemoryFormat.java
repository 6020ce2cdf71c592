package io.millrace.train.spec;

/** The layout of images in the device's memory, by PyTorch's names. */
public enum MemoryFormat {
    /** One of the others, chosen by device and precision: see {@link Tuning#format}. */
    AUTO,
    /** The layout in which the data servers send images. */
    CHANNELS_LAST,
    /** One plane for each channel. It costs a copy of each batch. */
    CONTIGUOUS
}
