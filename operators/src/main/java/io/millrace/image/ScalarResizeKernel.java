package io.millrace.image;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;

/** The passes of a resize in plain Java, two rows at a time; see {@link ResampleKernel}. */
final class ScalarResizeKernel implements ResizeKernel {
    private long[] joined = new long[0];
    private int[] places = new int[0];
    private int placesElements;
    private int[][] rows = new int[0][0];
    private int[] result = new int[0];
    private int[] packed = new int[0];

    @Override
    public void resize(
            byte[] pixels,
            int corner,
            int stride,
            int channels,
            ResampleTable across,
            ResampleTable down,
            Overshoot overshoots,
            byte[] resized) {
        int elements = across.out * channels;
        int rowBytes = across.in * channels;
        prepare(rowBytes, elements, down.taps);
        IntBuffer words =
                ByteBuffer.wrap(resized).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer();
        int filtered = 0;
        for (int y = 0; y < down.out; y++) {
            int first = down.start[y];
            while (filtered < first + down.taps) {
                int upper = corner + filtered * stride;
                int lower = filtered + 1 < down.in ? upper + stride : upper;
                ResampleKernel.join(pixels, upper, lower, rowBytes, joined);
                ResampleKernel.horizontal(
                        joined,
                        channels,
                        across,
                        overshoots.across(),
                        places,
                        rows[filtered % rows.length],
                        rows[(filtered + 1) % rows.length]);
                filtered += 2;
            }
            ResampleKernel.vertical(rows, first, down.weights, y * down.taps, down.taps, overshoots.down(), result);
            ResampleKernel.pack(result, packed.length, packed);
            write(y * elements, elements, resized, words);
        }
    }

    /**
     * Allocates the scratch memory. It includes the rows between the passes: one for each tap, and one more for the
     * second row of each pair.
     */
    private void prepare(int inElements, int outElements, int taps) {
        if (joined.length < inElements) {
            joined = new long[inElements];
        }
        if (placesElements != outElements) {
            places = new int[outElements];
            for (int i = 0; i < outElements; i++) {
                places[i] = ResampleKernel.place(i, outElements);
            }
            placesElements = outElements;
            int quarter = ResampleKernel.quarter(outElements);
            packed = new int[quarter];
            result = new int[4 * quarter];
            rows = new int[0][0];
        }
        // At least four, because the kernel reads four rows even if their weights are unused.
        int count = Math.max(taps + 2, 4);
        if (rows.length < count) {
            rows = new int[count][result.length];
        }
    }

    private void write(int at, int elements, byte[] pixels, IntBuffer words) {
        if (elements % Integer.BYTES == 0) {
            words.position(at / Integer.BYTES);
            words.put(packed, 0, packed.length);
            return;
        }
        for (int i = 0; i < elements; i++) {
            pixels[at + i] = (byte) (packed[i >> 2] >>> ((i & 3) << 3));
        }
    }
}
