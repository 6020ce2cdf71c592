package io.millrace.device;

import io.millrace.batch.BatchSpec;
import io.millrace.batch.Bits;
import io.millrace.batch.Form;
import java.nio.ByteBuffer;
import org.apache.arrow.memory.util.MemoryUtil;

/** Rows of one length, each at its place; bits become bytes of 0 and 1 here. */
final class DenseRows implements ColumnRows {
    private final boolean bits;
    private final int rowBytes;
    private final AlignedMemory memory;
    private int rows;

    DenseRows(String what, BatchSpec.Column column, int capacity) {
        this.bits = column.form() == Form.BITS;
        this.rowBytes = column.elementBytes();
        this.memory = AlignedMemory.allocate((long) capacity * rowBytes, what);
    }

    @Override
    public void begin() {
        rows = 0;
    }

    @Override
    public void put(int row, long address, int bytes) {
        if (bits) {
            Bits.unpack(address, at(row), rowBytes);
        } else {
            MemoryUtil.copyMemory(address, at(row), rowBytes);
        }
    }

    @Override
    public int bytes(int row) {
        return bits ? Bits.bytes(rowBytes) : rowBytes;
    }

    @Override
    public void copyTo(int row, long address) {
        if (bits) {
            Bits.pack(at(row), address, rowBytes);
        } else {
            MemoryUtil.copyMemory(at(row), address, rowBytes);
        }
    }

    @Override
    public void seal(boolean[] present, int expected) {
        for (int from = 0; from < expected; from++) {
            if (present[from]) {
                if (from != rows) {
                    MemoryUtil.copyMemory(at(from), at(rows), rowBytes);
                }
                rows++;
            }
        }
    }

    private long at(int row) {
        return memory.address() + (long) row * rowBytes;
    }

    @Override
    public ByteBuffer values() {
        return memory.slice(0, rows * rowBytes);
    }

    @Override
    public void close() {
        memory.close();
    }
}
