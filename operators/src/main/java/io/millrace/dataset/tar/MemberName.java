package io.millrace.dataset.tar;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

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

    /** The files that Windows adds to folders, in lower case. */
    private static final Set<String> WINDOWS_FILES = Set.of("thumbs.db", "ehthumbs.db", "desktop.ini");

    /** The folders that macOS and programs without pax add to archives. */
    private static final Pattern SYSTEM_FOLDER = Pattern.compile("__MACOSX|PaxHeaders?(?:\\.[0-9]+)?|@PaxHeader");

    /**
     * Returns the parts of a name. The result is empty when the name belongs to no sample, because it has no dot, has
     * the form {@code __x__}, which is reserved for programs, or is a name that systems add on their own.
     */
    static Optional<MemberName> of(String latin) {
        Matcher parts = PARTS.matcher(latin);
        if (!parts.matches() || SKIPPED.matcher(latin).matches() || isFromSystem(latin)) {
            return Optional.empty();
        }
        return Optional.of(new MemberName(parts.group(1), text(parts.group(2)).toLowerCase(Locale.ROOT)));
    }

    /**
     * Returns whether macOS, Windows or a tar program added the file on its own: an AppleDouble file beside another file, the
     * settings of a folder, thumbnails, or an extracted pax header. With WebDataset's pattern such a file would be a member of
     * a sample, or stand between the members of a sample.
     */
    private static boolean isFromSystem(String latin) {
        String file = latin.substring(latin.lastIndexOf('/') + 1);
        if (file.startsWith("._")
                || file.equals(".DS_Store")
                || WINDOWS_FILES.contains(file.toLowerCase(Locale.ROOT))) {
            return true;
        }
        boolean possible = latin.contains("__MACOSX/") || latin.contains("PaxHeader");
        return possible
                && Stream.of(latin.split("/", -1))
                        .anyMatch(part -> SYSTEM_FOLDER.matcher(part).matches());
    }

    /**
     * Returns a name in the form in which the names of links and of their targets are compared, as Python's
     * {@code os.path.normpath} returns it: {@code ./a//b/../c} becomes {@code a/c}.
     */
    static String normalized(String name) {
        Deque<String> parts = new ArrayDeque<>();
        for (String part : name.split("/", -1)) {
            if (part.equals("..") && !parts.isEmpty() && !parts.getLast().equals("..")) {
                parts.removeLast();
            } else if (!part.isEmpty() && !part.equals(".") && !(part.equals("..") && name.startsWith("/"))) {
                parts.add(part);
            }
        }
        return (name.startsWith("/") ? "/" : "") + String.join("/", parts);
    }

    /** Returns the text of a name whose bytes are UTF-8. */
    static String text(String latin) {
        return new String(latin.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }
}
