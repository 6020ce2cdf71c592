package io.millrace.dataset.hdf5;

import java.util.Arrays;

/**
 * The numbers of chunks in row-major order, as far as the limits of the extents allow. An extent without a limit counts
 * as the outermost one.
 */
final class ChunkNumbers {
    private final long[] steps;

    private ChunkNumbers(long[] steps) {
        this.steps = steps;
    }

    static ChunkNumbers of(Dataspace space, int[] chunk) {
        int rank = chunk.length;
        long[] steps = new long[rank];
        int unlimited = -1;
        long step = 1;
        for (int i = rank - 1; i >= 0; i--) {
            long limit = space.limit(i);
            if (limit < 0) {
                unlimited = i;
                continue;
            }
            steps[i] = step;
            long count = limit / chunk[i] + (limit % chunk[i] == 0 ? 0 : 1);
            step = count != 0 && step > Long.MAX_VALUE / count ? Long.MAX_VALUE : step * count;
        }
        if (unlimited >= 0) {
            steps[unlimited] = step;
        }
        return new ChunkNumbers(steps);
    }

    /** Returns the number of the chunk at a place. */
    long of(long[] place) throws MalformedHdf5Exception {
        long number = 0;
        try {
            for (int i = 0; i < place.length; i++) {
                number = Math.addExact(number, Math.multiplyExact(place[i], steps[i]));
            }
        } catch (ArithmeticException e) {
            MalformedHdf5Exception malformed = new MalformedHdf5Exception(
                    0, "expected the number of a chunk, found the place " + Arrays.toString(place));
            malformed.initCause(e);
            throw malformed;
        }
        return number;
    }
}
