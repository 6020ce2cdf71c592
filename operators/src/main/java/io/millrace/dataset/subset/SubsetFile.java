package io.millrace.dataset.subset;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.StorageOptions;
import io.millrace.dataset.SubsetReader;
import io.millrace.dataset.npy.MalformedNpyException;
import io.millrace.dataset.npy.NpyArray;
import io.millrace.dataset.storage.Storage;
import io.millrace.sample.DType;
import io.millrace.sample.Numbers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A file that names a subset: a .npy array of indexes, or text with one index or one name in each line. Lines are indexes if all of them
 * are whole numbers, and names otherwise. A name is that of {@link Dataset#nameOf}.
 */
public final class SubsetFile implements SubsetReader {
    private static final Pattern INDEX = Pattern.compile("\\d{1,18}");

    /** The largest number of characters of a line that messages show. */
    private static final int SHOWN = 80;

    /** Creates the reader of all such files. */
    public SubsetFile() {}

    /** The dataset and the file, for messages. */
    private record Names(String file, String place, Dataset dataset) {
        DatasetException refused(String sentence) {
            return new DatasetException("dataset.subset: " + sentence);
        }

        /** Returns the position of an entry for people. */
        String entry(boolean lines, int i) {
            return (lines ? "line " + (i + 1) : "element " + i) + " of " + file;
        }
    }

    @Override
    public long[] read(String file, String place, Dataset dataset, StorageOptions storage) throws IOException {
        Names names = new Names(file, place, dataset);
        byte[] bytes;
        try {
            bytes = Storage.readFile(file, storage);
        } catch (DatasetException e) {
            throw new DatasetException("dataset.subset: " + e.getMessage(), e);
        }
        if (file.toLowerCase(Locale.ROOT).endsWith(".npy")) {
            return checked(names, false, array(names, bytes));
        }
        List<String> lines = new String(bytes, StandardCharsets.UTF_8).lines().toList();
        if (lines.isEmpty()) {
            throw names.refused("expected at least one sample in " + file + ", found none");
        }
        return lines.stream().map(String::strip).allMatch(line -> INDEX.matcher(line)
                        .matches())
                ? checked(
                        names,
                        true,
                        lines.stream()
                                .mapToLong(line -> Long.parseLong(line.strip()))
                                .toArray())
                : named(names, lines);
    }

    private static long[] array(Names names, byte[] bytes) throws DatasetException {
        NpyArray array;
        try {
            array = NpyArray.parse(bytes);
        } catch (MalformedNpyException e) {
            throw names.refused(names.file + ", offset " + e.offset() + ": " + e.reason());
        }
        if (array.shape().length != 1 || array.dtype().isFloat() || array.dtype() == DType.BOOL) {
            throw names.refused("expected an array of one dimension with the indexes of samples, whole numbers, in "
                    + names.file + ", found " + array.dtype() + Arrays.toString(array.shape()));
        }
        if (array.shape()[0] == 0) {
            throw names.refused("expected at least one sample in " + names.file + ", found none");
        }
        ByteBuffer values = ByteBuffer.wrap(array.data()).order(ByteOrder.LITTLE_ENDIAN);
        long[] indexes = new long[array.shape()[0]];
        for (int i = 0; i < indexes.length; i++) {
            indexes[i] = Numbers.whole(values, array.dtype(), i);
        }
        return indexes;
    }

    /** Requires different indexes of samples of the dataset. */
    private static long[] checked(Names names, boolean lines, long[] indexes) throws DatasetException {
        for (int i = 0; i < indexes.length; i++) {
            if (indexes[i] < 0 || indexes[i] >= names.dataset.size()) {
                throw names.refused("expected an index from 0 to " + (names.dataset.size() - 1) + " of " + names.place
                        + " in " + names.entry(lines, i) + ", found " + indexes[i]);
            }
        }
        long[] sorted = indexes.clone();
        Arrays.sort(sorted);
        for (int i = 1; i < sorted.length; i++) {
            if (sorted[i] == sorted[i - 1]) {
                throw twice(names, lines, indexes, sorted[i]);
            }
        }
        return indexes;
    }

    private static DatasetException twice(Names names, boolean lines, long[] indexes, long index) {
        int first = 0;
        while (indexes[first] != index) {
            first++;
        }
        int second = first + 1;
        while (indexes[second] != index) {
            second++;
        }
        return names.refused("expected each sample once, found index " + index + " in " + names.entry(lines, first)
                + " and again in " + (lines ? "line " + (second + 1) : "element " + second));
    }

    private static long[] named(Names names, List<String> lines) throws IOException {
        Map<String, Integer> lineOf = new HashMap<>();
        for (int i = 0; i < lines.size(); i++) {
            Integer before = lineOf.put(lines.get(i), i);
            if (before != null) {
                throw names.refused("expected each sample once, found " + shown(lines.get(i)) + " in "
                        + names.entry(true, before) + " and again in line " + (i + 1));
            }
        }
        long[] indexes = new long[lines.size()];
        Arrays.fill(indexes, -1);
        boolean hasNames = false;
        for (long index = 0; index < names.dataset.size(); index++) {
            String name = name(names.dataset, index);
            Integer line = lineOf.get(name);
            hasNames |= name != null;
            if (line == null) {
                continue;
            }
            if (indexes[line] >= 0) {
                throw names.refused("expected the name of one sample in " + names.entry(true, line) + ", found "
                        + shown(lines.get(line)) + ", which samples " + indexes[line] + " and " + index + " of "
                        + names.place + " have; use indexes");
            }
            indexes[line] = index;
        }
        for (int i = 0; i < indexes.length; i++) {
            if (indexes[i] < 0) {
                throw names.refused(
                        hasNames
                                ? "expected the name of a sample of " + names.place + ", such as "
                                        + shown(String.valueOf(name(names.dataset, 0))) + ", in "
                                        + names.entry(true, i) + ", found " + shown(lines.get(i))
                                : "expected an index in each line of " + names.file + ", because the samples of "
                                        + names.place + " have no names, found " + shown(lines.get(i)) + " in line "
                                        + (i + 1));
            }
        }
        return indexes;
    }

    private static @Nullable String name(Dataset dataset, long index) throws IOException {
        try {
            return dataset.nameOf(index);
        } catch (BadSampleException e) {
            return null; // it will be quarantined where it is read; no line can name it
        }
    }

    private static String shown(String line) {
        return "'" + (line.length() > SHOWN ? line.substring(0, SHOWN) + "..." : line) + "'";
    }
}
