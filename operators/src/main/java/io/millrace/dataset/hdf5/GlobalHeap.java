package io.millrace.dataset.hdf5;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.storage.RangedFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The global heap of a file, which holds values whose length varies. The values lie in collections. A collection
 * consists of a header and a list of numbered objects (HDF5 File Format Specification, III.E). Safe for several
 * threads.
 *
 * @param userBlock the number of bytes before the HDF5 data begins
 */
record GlobalHeap(RangedFile file, long userBlock) {
    private static final int HEADER_BYTES = 16;
    private static final int MAGIC = 'G' | 'C' << 8 | 'O' << 16 | 'L' << 24;
    private static final int MAX_OBJECTS = 1 << 16;

    /**
     * Reads one object.
     *
     * @param address the address of the object's collection
     * @param number the number of the object in the collection; 0 stands for an empty value without an object
     * @param bytes the number of bytes to read
     */
    byte[] read(long address, int number, long bytes) throws IOException {
        if (number == 0 || bytes == 0) {
            return new byte[0];
        }
        long start = address + userBlock;
        if (address < 0 || start < 0 || start > file.size() - HEADER_BYTES) {
            throw badSample(start, "expected a heap within the file");
        }
        ByteBuffer header = header(start);
        long end = start + header.getLong(Long.BYTES);
        if (header.getInt(0) != MAGIC || end < start || end > file.size()) {
            throw badSample(start, "expected a heap that begins with GCOL and ends within the file");
        }
        long at = start + HEADER_BYTES;
        for (int i = 0; i < MAX_OBJECTS && at <= end - HEADER_BYTES; i++) {
            ByteBuffer object = header(at);
            long size = object.getLong(Long.BYTES);
            if (size < 0 || size > end - at - HEADER_BYTES) {
                throw badSample(at, "expected an object within its heap, found one of " + size + " bytes");
            }
            if (Short.toUnsignedInt(object.getShort(0)) == number) {
                if (bytes > size) {
                    throw badSample(at, "expected an object of " + bytes + " bytes, found one of " + size + " bytes");
                }
                return file.read(at + HEADER_BYTES, (int) bytes);
            }
            at += HEADER_BYTES + (size + Long.BYTES - 1) / Long.BYTES * Long.BYTES;
        }
        throw badSample(start, "expected object " + number + " in the heap, found none with that number");
    }

    private ByteBuffer header(long position) throws IOException {
        return ByteBuffer.wrap(file.read(position, HEADER_BYTES)).order(ByteOrder.LITTLE_ENDIAN);
    }

    private BadSampleException badSample(long position, String reason) {
        return new BadSampleException(file.name(), position, reason);
    }
}
