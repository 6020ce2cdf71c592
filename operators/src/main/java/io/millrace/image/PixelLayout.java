package io.millrace.image;

/** The order of a picture's values in memory. */
public enum PixelLayout {
    /** Row by row, the channels of a pixel side by side: [height, width, channels]. */
    HWC,
    /** Channel by channel: [channels, height, width]. */
    CHW
}
