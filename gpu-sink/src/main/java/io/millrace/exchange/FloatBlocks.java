package io.millrace.exchange;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;

/** Several blocks of memory as one sequence of floats. Safe for several threads that access different floats. */
final class FloatBlocks {
    private final List<FloatBuffer> blocks = new ArrayList<>();
    private final long[] ends;

    /** Creates a view of the blocks, from position 0 to the limit of each. */
    FloatBlocks(List<ByteBuffer> memory) {
        ends = new long[memory.size()];
        long end = 0;
        for (int i = 0; i < ends.length; i++) {
            FloatBuffer view = memory.get(i)
                    .duplicate()
                    .position(0)
                    .order(ByteOrder.nativeOrder())
                    .asFloatBuffer();
            blocks.add(view);
            end += view.limit();
            ends[i] = end;
        }
    }

    long size() {
        return ends.length == 0 ? 0 : ends[ends.length - 1];
    }

    /** Copies floats {@code [from, from + count)} to the beginning of the array. */
    void read(long from, float[] into, int count) {
        int done = 0;
        for (int block = block(from); done < count; block++) {
            int at = (int) (from + done - (block == 0 ? 0 : ends[block - 1]));
            int here = Math.min(count - done, blocks.get(block).limit() - at);
            blocks.get(block).get(at, into, done, here);
            done += here;
        }
    }

    /** Copies the beginning of the array over floats {@code [from, from + count)}. */
    void write(long from, float[] values, int count) {
        int done = 0;
        for (int block = block(from); done < count; block++) {
            int at = (int) (from + done - (block == 0 ? 0 : ends[block - 1]));
            int here = Math.min(count - done, blocks.get(block).limit() - at);
            blocks.get(block).put(at, values, done, here);
            done += here;
        }
    }

    private int block(long from) {
        int block = 0;
        while (block < ends.length - 1 && from >= ends[block]) {
            block++;
        }
        return block;
    }
}
