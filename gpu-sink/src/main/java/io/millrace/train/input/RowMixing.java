package io.millrace.train.input;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.JniUtils;
import io.millrace.device.AlignedMemory;
import java.util.List;
import org.apache.arrow.memory.util.MemoryUtil;

/**
 * An operation that mixes rows of floats, in place, with the rows before them. The rows are mixed from the last to the
 * first, so that the row before is still unchanged when a row is mixed with it.
 *
 * @param memory the rows, one after another
 * @param rows the number of rows that are mixed, at least 1
 * @param rowFloats the number of values of a row
 */
record RowMixing(AlignedMemory memory, int rows, int rowFloats) {
    /** The number of values that are mixed at a time. Their 1 MB stays in a core's cache. */
    private static final int PART_FLOATS = 1 << 18;

    /**
     * Applies mixtures to the rows, in order.
     *
     * @param shape the shape of a row; images are [height, width, channels]
     */
    void mix(List<RowMixture> mixtures, List<Integer> shape, PtNDManager manager) {
        for (RowMixture mixture : mixtures) {
            RowMixture.Box box = mixture.box();
            if (box == null) {
                blend(mixture.share(), manager);
            } else {
                paste(box, shape.get(1), shape.get(2));
            }
        }
    }

    /**
     * Replaces each row by {@code share} times the row plus {@code 1 - share} times the row before it. The products are
     * rounded, and then the sum, as in torchvision.
     */
    void blend(double share, PtNDManager manager) {
        int partRows = Math.max(1, PART_FLOATS / rowFloats);
        try (PtNDArray own = (PtNDArray) manager.create((float) share);
                PtNDArray other = (PtNDArray) manager.create((float) (1 - share));
                NDArray last = part(rows - 1, rows, manager).duplicate()) {
            for (int to = rows; to > 1; to -= partRows) {
                int from = Math.max(1, to - partRows);
                add(part(from, to, manager), part(from - 1, to - 1, manager), own, other);
            }
            add(part(0, 1, manager), (PtNDArray) last, own, other);
        }
    }

    private static void add(PtNDArray mixed, PtNDArray before, PtNDArray own, PtNDArray other) {
        try (mixed;
                before;
                PtNDArray added = JniUtils.mul(before, other)) {
            JniUtils.muli(mixed, own);
            JniUtils.addi(mixed, added);
        }
    }

    private PtNDArray part(int from, int to, PtNDManager manager) {
        int rowBytes = rowFloats * Float.BYTES;
        return manager.create(
                memory.slice(from * rowBytes, (to - from) * rowBytes),
                new Shape(to - from, rowFloats),
                DataType.FLOAT32);
    }

    /** Copies the box from the previous row into each row. Rows are images with channels last. */
    void paste(RowMixture.Box box, int width, int channels) {
        long line = (long) width * channels * Float.BYTES;
        long offset = box.top() * line + (long) box.left() * channels * Float.BYTES;
        long bytes = (long) (box.right() - box.left()) * channels * Float.BYTES;
        int lines = box.bottom() - box.top();
        if (bytes == 0 || lines == 0) {
            return;
        }
        try (AlignedMemory last = AlignedMemory.allocate(bytes * lines, "a part of an image")) {
            copyLines(row(rows - 1) + offset, line, last.address(), bytes, bytes, lines);
            for (int row = rows - 1; row > 0; row--) {
                copyLines(row(row - 1) + offset, line, row(row) + offset, line, bytes, lines);
            }
            copyLines(last.address(), bytes, row(0) + offset, line, bytes, lines);
        }
    }

    private long row(int row) {
        return memory.address() + (long) row * rowFloats * Float.BYTES;
    }

    private static void copyLines(long from, long fromStep, long to, long toStep, long bytes, int lines) {
        for (int i = 0; i < lines; i++) {
            MemoryUtil.copyMemory(from + i * fromStep, to + i * toStep, bytes);
        }
    }
}
