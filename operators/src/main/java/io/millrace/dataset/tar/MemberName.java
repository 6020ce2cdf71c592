package io.millrace.dataset.tar;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A member's name as WebDataset takes it apart: the sample's key, which is all before the first dot of the last name with
 * its folders, and the suffix behind that dot, in lower case.
 *
 * @param key bytes as Latin-1 letters
 */
record MemberName(String key, String suffix) {
    private static final Pattern PARTS = Pattern.compile("((?:.*/|)[^.]+)[.]([^/]*)", Pattern.DOTALL);
    private static final Pattern SKIPPED = Pattern.compile("__[^/]*__(?:/.*)?", Pattern.DOTALL);

    /** Takes a name apart; empty where it is no sample's: without a dot, or {@code __x__}, which are for programs. */
    static Optional<MemberName> of(String latin) {
        Matcher parts = PARTS.matcher(latin);
        if (!parts.matches() || SKIPPED.matcher(latin).matches()) {
            return Optional.empty();
        }
        return Optional.of(new MemberName(parts.group(1), text(parts.group(2)).toLowerCase(Locale.ROOT)));
    }

    /** What a person reads: the bytes as UTF-8. */
    static String text(String latin) {
        return new String(latin.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }
}
