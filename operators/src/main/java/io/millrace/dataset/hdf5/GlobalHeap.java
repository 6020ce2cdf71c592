package io.millrace.dataset.hdf5;

import java.io.IOException;

/**
 * The global heap of a file, which holds values whose length varies. The values lie in collections. A collection
 * consists of a header and a list of numbered objects (HDF5 File Format Specification, III.E). Safe for several
 * threads.
 */
record GlobalHeap(Hdf5Bytes bytes) {
    private static final int HEADER_BYTES = 16;
    private static final int MAX_VALUE_BYTES = 1 << 30;
    private static final int MAX_OBJECTS = 1 << 16;

    /**
     * Reads one object.
     *
     * @param address the address of the object's collection
     * @param number the number of the object in the collection; 0 stands for an empty value without an object
     * @param count the number of bytes to read
     */
    byte[] read(long address, int number, long count) throws IOException {
        if (number == 0 || count == 0) {
            return new byte[0];
        }
        Cursor header = bytes.block(address, HEADER_BYTES);
        header.expect("GCOL");
        header.skip(4);
        long size = header.length();
        if (size > bytes.left(address)) {
            throw header.malformed("expected a heap within the file, found one of " + size + " bytes");
        }
        long at = HEADER_BYTES;
        for (int i = 0; i < MAX_OBJECTS && at <= size - HEADER_BYTES; i++) {
            Cursor object = bytes.block(address + at, HEADER_BYTES);
            int found = object.uint16();
            object.skip(6);
            long objectBytes = object.length();
            if (objectBytes > size - at - HEADER_BYTES) {
                throw object.malformed("expected an object within its heap, found one of " + objectBytes + " bytes");
            }
            if (found == number) {
                if (count < 0 || count > objectBytes || count > MAX_VALUE_BYTES) {
                    throw object.malformed(
                            "expected an object of " + count + " bytes, found one of " + objectBytes + " bytes");
                }
                return bytes.file().read(bytes.position(address + at + HEADER_BYTES), (int) count);
            }
            at += HEADER_BYTES + (objectBytes + Long.BYTES - 1) / Long.BYTES * Long.BYTES;
        }
        throw header.malformed("expected object " + number + " in the heap, found none with that number");
    }
}
