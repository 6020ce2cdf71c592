package io.millrace.dataset.tar;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The records of a pax header, one after another. A record is {@code length key=value\n}, and its length includes the
 * digits of the length.
 */
final class PaxRecords {
    static final String PATH = "path";
    static final String LINK_PATH = "linkpath";
    static final String SIZE = "size";

    /** The key under which GNU tar stores the name of a sparse file. */
    static final String SPARSE_NAME = "GNU.sparse.name";

    private static final String SPARSE = "GNU.sparse.";
    private static final int LENGTH_DIGITS = 9;

    /** The keys that matter here. The others of sparse files are those of GNU tar's formats 0.0, 0.1 and 1.0. */
    private static final Set<String> USED = Stream.concat(
                    Stream.of(PATH, LINK_PATH, SIZE),
                    Stream.of("major", "minor", "name", "realsize", "size", "numblocks", "offset", "numbytes", "map")
                            .map(SPARSE::concat))
            .collect(Collectors.toUnmodifiableSet());

    private PaxRecords() {}

    /**
     * Adds the records of a header to {@code records}, as far as they matter here. A record with an empty value cancels earlier records of its key.
     *
     * @param content the content of the header
     * @param offset the offset of the records in the file
     * @param records the records of earlier headers, which this method changes
     */
    static void parse(byte[] content, long offset, Map<String, String> records) throws MalformedPaxException {
        String text = new String(content, StandardCharsets.ISO_8859_1);
        int at = 0;
        // Some programs fill up the header with zeros.
        while (at < text.length() && text.charAt(at) != 0) {
            int space = text.indexOf(' ', at);
            int length = space < 0 ? -1 : length(text.substring(at, space));
            int equals = text.indexOf('=', at);
            int end = at + length;
            boolean sound = length > 0
                    && end <= text.length()
                    && text.charAt(end - 1) == '\n'
                    && equals > space
                    && equals < end - 1;
            if (!sound) {
                throw new MalformedPaxException(
                        offset + at,
                        "expected a pax record such as '18 path=0001.jpg', found '"
                                + text.substring(at, Math.min(text.length(), at + 40))
                                        .replaceAll("[^ -~]", "?") + "'");
            }
            String value = text.substring(equals + 1, end - 1);
            String key = text.substring(space + 1, equals);
            // The records of the whole archive are merged with those of each member: a million of others would take
            // hours.
            if (USED.contains(key)) {
                records.put(key, value);
            }
            at = end;
        }
    }

    /** Returns the records that apply to a member: those of the whole archive, and the member's own in their place. */
    static Map<String, String> merged(Map<String, String> global, Map<String, String> own) {
        Map<String, String> merged = new HashMap<>(global);
        merged.putAll(own);
        merged.values().removeIf(String::isEmpty);
        return merged;
    }

    private static int length(String digits) {
        boolean number = !digits.isEmpty()
                && digits.length() <= LENGTH_DIGITS
                && digits.chars().allMatch(digit -> digit >= '0' && digit <= '9');
        return number ? Integer.parseInt(digits) : -1;
    }

    /** Returns whether the member is stored without its holes. */
    static boolean isSparse(Map<String, String> records) {
        return records.keySet().stream().anyMatch(key -> key.startsWith(SPARSE));
    }
}
