package io.millrace.dataset.files;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** The sentence on files that a dataset leaves out. */
public final class LeftOut {
    /** The largest number of names in a sentence. */
    public static final int MOST_NAMES = 3;

    private LeftOut() {}

    /**
     * Returns a sentence such as "12 files were not read: notes.txt, README, x.heic".
     *
     * @param count the number of files, at least 1
     * @param what the word for one of them
     * @param names the names of some of them, of which the first three are shown
     */
    public static String sentence(long count, String what, Stream<String> names) {
        List<String> shown = names.limit(MOST_NAMES).map(LeftOut::printable).toList();
        return String.format(
                Locale.ROOT,
                "%,d %s not read: %s",
                count,
                count == 1 ? what + " was" : what + "s were",
                String.join(", ", shown));
    }

    /** Returns a name on one line. */
    private static String printable(String name) {
        return name.replaceAll("\\p{Cntrl}", "?");
    }
}
