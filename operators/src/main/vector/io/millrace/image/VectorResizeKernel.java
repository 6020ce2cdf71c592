package io.millrace.image;

/**
 * The passes of a resize with vectors. In the first pass a lane is a row, in the second a column, so that no lane needs
 * its neighbour. Groups of rows, one for each lane, are turned into columns, filtered, and turned back.
 */
final class VectorResizeKernel implements ResizeKernel {
    private static final int LANES = VectorFilters.LANES;
    private static final int EIGHT = ByteBlocks.ROWS;
    private static final int STEP = ByteBlocks.STEP;

    /** The beginnings of the eight rows that are turned. */
    private final int[] eight = new int[EIGHT];

    /** Copies of the ends of eight rows, because vectors would read beyond them. */
    private final byte[] ends = new byte[EIGHT * STEP];

    /**
     * The number of bytes from one of eight turned rows to the next. It is large enough for the widest image so far.
     */
    private int stride;

    /**
     * The columns of a group's upper eight rows, 8 bytes each. {@link #lower} has the columns of the lower eight rows,
     * if the group has more than eight rows.
     */
    private byte[] upper = new byte[0];

    private byte[] lower = new byte[0];

    /** A group of rows as columns, {@link #LANES} bytes each, in the order of {@link #places}. */
    private byte[] columns = new byte[0];

    /** The same rows, filtered, as columns. */
    private byte[] narrowed = new byte[0];

    /** The beginning of each column of a group. */
    private int[] places = new int[0];

    /** The last filtered rows: row r begins at {@code (r % kept) * rowStride}. */
    private byte[] rows = new byte[0];

    private int kept;
    private int rowStride;
    private int[] taps = new int[0];

    // The operands of the next two steps. They are fields, because creating the steps for each call would produce more
    // garbage than everything else.
    private byte[] read = new byte[0];
    private byte[] written = new byte[0];
    private int writtenStride;
    private int exchanged;
    private final VectorStep halves = to -> ByteBlocks.exchangeHalves(read, eight, written, to, stride, exchanged);
    private final VectorStep within =
            to -> ByteBlocks.exchangeWithin(read, stride, written, to, writtenStride, exchanged);

    @Override
    public void resize(
            byte[] pixels,
            int corner,
            int pixelStride,
            int channels,
            ResampleTable across,
            ResampleTable down,
            Overshoot overshoots,
            byte[] result) {
        int rowBytes = across.in * channels;
        int elements = across.out * channels;
        prepare(rowBytes, elements, down.taps);
        byte[] half = LANES > EIGHT ? upper : columns;
        byte[] halfBack = LANES > EIGHT ? upper : narrowed;
        VectorStep join = row -> ByteBlocks.interleave(upper, lower, stride, roundedUp(rowBytes, STEP), columns);
        VectorStep narrow = VectorFilters.across(columns, places, channels, across, overshoots.across(), narrowed);
        VectorStep part = row -> ByteBlocks.separate(narrowed, stride, rowStride, upper, lower);
        VectorStep shorten = VectorFilters.down(rows, taps, down, overshoots.down(), result, elements);
        int filtered = 0;
        for (int y = 0; y < down.out; y++) {
            int first = down.start[y];
            for (; filtered < first + down.taps; filtered += LANES) {
                turn(pixels, corner, pixelStride, rowBytes, filtered, down.in, half);
                if (LANES > EIGHT) {
                    turn(pixels, corner, pixelStride, rowBytes, filtered + EIGHT, down.in, lower);
                    VectorStep.run(join, filtered);
                }
                VectorStep.run(narrow, filtered);
                if (LANES > EIGHT) {
                    VectorStep.run(part, filtered);
                    turnBack(lower, filtered + EIGHT);
                }
                turnBack(halfBack, filtered);
            }
            for (int tap = 0; tap < down.taps; tap++) {
                taps[tap] = (first + tap) % kept * rowStride;
            }
            VectorStep.run(shorten, y);
        }
    }

    private void prepare(int rowBytes, int elements, int downTaps) {
        int widest = roundedUp(Math.max(rowBytes, elements), STEP);
        if (stride < widest) {
            stride = widest;
            columns = new byte[Math.multiplyExact(widest, LANES)];
            narrowed = new byte[columns.length];
            places = new int[widest];
            for (int column = 0; column < widest; column++) {
                places[column] = (column % EIGHT * (widest / EIGHT) + column / EIGHT) * LANES;
            }
            if (LANES > EIGHT) {
                upper = new byte[widest * EIGHT];
                lower = new byte[upper.length];
            }
        }
        rowStride = roundedUp(elements, STEP);
        // The group with the last row of a window must not overwrite the first row.
        kept = roundedUp(downTaps, LANES) + LANES;
        if (rows.length < Math.multiplyExact(kept, rowStride)) {
            rows = new byte[kept * rowStride];
        }
        if (taps.length < downTaps) {
            taps = new int[downTaps];
        }
    }

    /**
     * Turns the eight rows from {@code first} on into columns. The image's last row is repeated for rows below the
     * image.
     */
    private void turn(byte[] pixels, int corner, int pixelStride, int rowBytes, int first, int height, byte[] turned) {
        for (int row = 0; row < EIGHT; row++) {
            eight[row] = corner + Math.min(first + row, height - 1) * pixelStride;
        }
        int whole = rowBytes / STEP * STEP;
        exchangeHalves(pixels, turned, 0, whole);
        if (whole < rowBytes) {
            for (int row = 0; row < EIGHT; row++) {
                System.arraycopy(pixels, eight[row] + whole, ends, row * STEP, rowBytes - whole);
                eight[row] = row * STEP;
            }
            exchangeHalves(ends, turned, whole, STEP);
        }
        exchangeWithin(turned, turned, 0, stride, roundedUp(rowBytes, STEP));
    }

    /** Turns eight filtered rows back; the first of them is row {@code first} of the image. */
    private void turnBack(byte[] turned, int first) {
        for (int row = 0; row < EIGHT; row++) {
            eight[row] = row * stride;
        }
        exchangeHalves(turned, turned, 0, rowStride);
        exchangeWithin(turned, rows, first % kept * rowStride, rowStride, rowStride);
    }

    private void exchangeHalves(byte[] in, byte[] out, int to, int count) {
        read = in;
        written = out;
        exchanged = count;
        VectorStep.run(halves, to);
    }

    private void exchangeWithin(byte[] in, byte[] out, int to, int toStride, int count) {
        read = in;
        written = out;
        writtenStride = toStride;
        exchanged = count;
        VectorStep.run(within, to);
    }

    private static int roundedUp(int number, int multiple) {
        return (number + multiple - 1) / multiple * multiple;
    }
}
