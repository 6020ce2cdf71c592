package io.millrace.train.spec;

/** The layout of images in the device's memory, by PyTorch's names. */
public enum MemoryFormat {
    /** The layout in which the data servers send images. Convolutions are faster with it. */
    CHANNELS_LAST,
    /** One plane for each channel. It costs a copy of each batch. */
    CONTIGUOUS
}
