package io.millrace.dataset.parquet;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The known mistakes of the program that wrote a file, as its name and version in the footer show.
 *
 * @param compressesAllPages whether pages of version 2 are compressed, even if their headers state that they are not:
 *     Arrow before 3.0, see ARROW-17100
 * @param omitsDictionaryHeader whether the stated size of a column's pages lacks the header of the dictionary:
 *     parquet-mr before 1.2.9, see PARQUET-816
 */
record FileWriter(boolean compressesAllPages, boolean omitsDictionaryHeader) {
    private static final Pattern PARQUET_MR =
            Pattern.compile("parquet-mr version (\\d{1,4})\\.(\\d{1,4})\\.(\\d{1,4}).*");

    /** Returns the writer that a footer names; the name is null when the footer has none. */
    static FileWriter of(@Nullable String createdBy) {
        String name = createdBy == null ? "" : createdBy;
        // Arrow calls itself parquet-cpp-arrow since 3.0.
        return new FileWriter(
                name.startsWith("parquet-cpp version "),
                name.equals("parquet-mr") || isBefore129(PARQUET_MR.matcher(name)));
    }

    private static boolean isBefore129(Matcher version) {
        if (!version.matches()) {
            return false;
        }
        int[] fixed = {1, 2, 9};
        for (int i = 0; i < fixed.length; i++) {
            int part = Integer.parseInt(version.group(i + 1));
            if (part != fixed[i]) {
                return part < fixed[i];
            }
        }
        return false;
    }
}
