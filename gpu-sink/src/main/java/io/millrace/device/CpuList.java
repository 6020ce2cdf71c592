package io.millrace.device;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The form in which Linux writes lists of CPUs and of NUMA nodes, as "0-15,32". Stateless. */
final class CpuList {
    private static final Pattern RANGE = Pattern.compile("(\\d{1,6})(?:-(\\d{1,6}))?");

    private CpuList() {}

    /**
     * Returns the numbers of a list; an empty text is an empty list.
     *
     * @throws IllegalArgumentException when the text is no such list; the message contains it
     */
    static BitSet parse(String text) {
        BitSet numbers = new BitSet();
        String list = text.strip();
        if (list.isEmpty()) {
            return numbers;
        }
        for (String part : list.split(",", -1)) {
            Matcher range = RANGE.matcher(part);
            if (!range.matches()) {
                throw new IllegalArgumentException("expected a list of numbers as 0-15,32, found '" + list + "'");
            }
            int first = Integer.parseInt(range.group(1));
            int last = range.group(2) == null ? first : Integer.parseInt(range.group(2));
            if (last < first) {
                throw new IllegalArgumentException(
                        "expected ranges that ascend, found '" + part + "' in '" + list + "'");
            }
            numbers.set(first, last + 1);
        }
        return numbers;
    }

    /** Returns the list of numbers as Linux writes it. */
    static String format(BitSet numbers) {
        List<String> ranges = new ArrayList<>();
        for (int first = numbers.nextSetBit(0); first >= 0; ) {
            int last = numbers.nextClearBit(first) - 1;
            ranges.add(first == last ? String.valueOf(first) : first + "-" + last);
            first = numbers.nextSetBit(last + 1);
        }
        return String.join(",", ranges);
    }
}
