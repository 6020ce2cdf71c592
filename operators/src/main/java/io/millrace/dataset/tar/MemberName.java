package io.millrace.dataset.tar;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The two parts of a member's name, as WebDataset defines them. The key of the sample is everything before the first
 * dot of the file name, including the folders. The suffix is everything after that dot, in lower case.
 *
 * @param key the key's bytes as Latin-1 letters
 * @param suffix the suffix in lower case
 */
record MemberName(String key, String suffix) {
    private static final Pattern PARTS = Pattern.compile("((?:.*/|)[^.]+)[.]([^/]*)", Pattern.DOTALL);
    private static final Pattern SKIPPED = Pattern.compile("__[^/]*__(?:/.*)?", Pattern.DOTALL);

    /**
     * Returns the parts of a name. The result is empty when the name belongs to no sample, because it has no dot or has
     * the form {@code __x__}, which is reserved for programs.
     */
    static Optional<MemberName> of(String latin) {
        Matcher parts = PARTS.matcher(latin);
        if (!parts.matches() || SKIPPED.matcher(latin).matches()) {
            return Optional.empty();
        }
        return Optional.of(new MemberName(parts.group(1), text(parts.group(2)).toLowerCase(Locale.ROOT)));
    }

    /** Returns the text of a name whose bytes are UTF-8. */
    static String text(String latin) {
        return new String(latin.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }
}
