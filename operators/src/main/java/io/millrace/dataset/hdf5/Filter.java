package io.millrace.dataset.hdf5;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A filter that was applied to chunks before they were written.
 *
 * @param id the filter's registered number
 * @param name the name in the file; may be empty
 * @param data the filter's parameters
 */
record Filter(int id, String name, List<Integer> data) {
    private static final int FIRST_REGISTERED = 256;

    /** Reads a filter pipeline message (HDF5 File Format Specification, IV.A.2.l). */
    static List<Filter> read(Optional<Cursor> pipeline) throws MalformedHdf5Exception {
        if (pipeline.isEmpty()) {
            return List.of();
        }
        Cursor message = pipeline.get();
        int version = message.version("a filter pipeline", 1, 2);
        int count = message.uint8();
        message.skip(version == 1 ? 6 : 0);
        List<Filter> filters = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int id = message.uint16();
            int nameBytes = version == 1 || id >= FIRST_REGISTERED ? message.uint16() : 0;
            message.skip(2);
            int values = message.uint16();
            String name = message.text(version == 1 ? (nameBytes + 7) / 8 * 8 : nameBytes);
            List<Integer> data = new ArrayList<>();
            for (int j = 0; j < values; j++) {
                data.add((int) message.uint32());
            }
            message.skip(version == 1 && values % 2 != 0 ? Integer.BYTES : 0);
            filters.add(new Filter(id, name.replace("\0", "").strip(), List.copyOf(data)));
        }
        return List.copyOf(filters);
    }
}
