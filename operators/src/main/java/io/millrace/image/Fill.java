package io.millrace.image;

import java.util.Arrays;
import java.util.List;

/** The colour of pixels from outside of an image. Immutable. */
public final class Fill {
    /** Black: 0 in every channel. */
    public static final Fill BLACK = of(0);

    private final byte[] values;

    private Fill(byte[] values) {
        this.values = values;
    }

    /**
     * Returns a fill with the same value in every channel.
     *
     * @param value the value, 0 to 255
     */
    public static Fill of(int value) {
        return of(List.of(value));
    }

    /**
     * Returns a fill with a value for each channel.
     *
     * @param values one value for all channels, or three, each 0 to 255
     */
    public static Fill of(List<Integer> values) {
        if (values.size() != 1 && values.size() != 3) {
            throw new IllegalArgumentException("expected a fill of 1 or 3 values, found " + values);
        }
        byte[] bytes = new byte[values.size()];
        for (int channel = 0; channel < bytes.length; channel++) {
            int value = values.get(channel);
            if (value < 0 || value > 255) {
                throw new IllegalArgumentException("expected a fill with values of 0 to 255, found " + values);
            }
            bytes[channel] = (byte) value;
        }
        return new Fill(bytes);
    }

    /** Returns whether the fill suits an image with a number of channels. */
    public boolean fits(int channels) {
        return values.length == 1 || values.length == channels;
    }

    /** Returns the value of a channel as pixels store it. */
    public byte value(int channel) {
        return values.length == 1 ? values[0] : values[channel];
    }

    /** Returns whether all channels have a value. */
    public boolean is(int value) {
        for (byte own : values) {
            if ((own & 255) != value) {
                return false;
            }
        }
        return true;
    }

    /** Paints {@code count} pixels from index {@code at} on. */
    void paint(byte[] pixels, int at, int count, int channels) {
        if (values.length == 1) {
            Arrays.fill(pixels, at, at + count * channels, values[0]);
            return;
        }
        int end = at + count * channels;
        for (int pixel = at; pixel < end; pixel += channels) {
            System.arraycopy(values, 0, pixels, pixel, channels);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Fill fill && Arrays.equals(values, fill.values);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(values);
    }

    /** Returns the fill as a pipeline file writes it. */
    @Override
    public String toString() {
        if (values.length == 1) {
            return String.valueOf(values[0] & 255);
        }
        return "[" + (values[0] & 255) + ", " + (values[1] & 255) + ", " + (values[2] & 255) + "]";
    }
}
