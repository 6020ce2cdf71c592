package io.millrace.dataset.files;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.StorageOptions;
import io.millrace.dataset.storage.LinksOut;
import io.millrace.dataset.storage.Storage;
import io.millrace.dataset.storage.Storage.Entry;
import io.millrace.dataset.storage.Storage.Kind;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * A search for the files or folders that match a pattern: {@code *} and {@code ?} within a name, {@code [a-z]} and
 * {@code [!a-z]} for one letter, and {@code **} as a whole name for folders at any depth. A name that begins with a
 * dot matches only a pattern that begins with a dot.
 */
final class Glob {
    /** The largest depth of folders. The limit ends the search when a link leads to one of its own parents. */
    private static final int MOST_FOLDERS_DEEP = 32;

    private static final String ANY_DEPTH = "**";
    private static final Pattern SPECIAL = Pattern.compile("[*?\\[]");

    private final Storage storage;
    private final List<String> names;
    private final Kind searched;
    private final LinksOut links;
    private final Set<String> found = new TreeSet<>(NameOrder.BY_CODE_POINT);

    private Glob(Storage storage, List<String> names, Kind searched) {
        this.storage = storage;
        this.names = names;
        this.searched = searched;
        this.links = new LinksOut(storage);
    }

    /** Returns whether the path is a pattern and not a plain name. */
    static boolean isPattern(String path) {
        return SPECIAL.matcher(path).find();
    }

    /**
     * Returns the files or folders that match the pattern, sorted by path; the list is empty when none matches.
     *
     * @param searched the kind to search for: files or folders
     */
    static List<DataFile> find(String pattern, Kind searched, StorageOptions options) throws IOException {
        var special = SPECIAL.matcher(pattern);
        int slash = special.find() ? pattern.lastIndexOf('/', special.start()) : pattern.length();
        String root = slash < 0 ? "." : slash == 0 ? "/" : pattern.substring(0, slash);
        if (root.endsWith(":/")) {
            throw new DatasetException(
                    pattern + ": expected a pattern below a bucket or host, found a pattern in its name");
        }
        Storage storage = Storage.of(root, options);
        String rest = pattern.substring(slash + 1);
        List<String> names = List.of((rest.endsWith(ANY_DEPTH) ? rest + "/*" : rest).split("/+"));
        Glob glob = new Glob(storage, names, searched);
        if (storage.kind("") == Kind.DIRECTORY) {
            glob.match("", 0, 0);
            glob.links.requireNone();
        }
        return glob.found.stream().map(path -> new DataFile(storage, path)).toList();
    }

    private void match(String folder, int at, int depth) throws IOException {
        String name = names.get(at);
        boolean last = at == names.size() - 1;
        if (name.equals(ANY_DEPTH)) {
            match(folder, at + 1, depth);
        } else if (!isPattern(name)) {
            addOrDescend(folder, new Entry(name, storage.kind(join(folder, name)), null), last, at, depth);
            return;
        }
        requireDepth(folder, depth);
        Pattern pattern = name.equals(ANY_DEPTH) ? null : compile(name);
        for (Entry entry : storage.list(folder)) {
            boolean hidden = entry.name().startsWith(".");
            if (pattern == null) {
                if (entry.kind() == Kind.DIRECTORY && !hidden && !links.addIfOutside(entry, folder)) {
                    match(join(folder, entry.name()), at, depth + 1);
                }
            } else if ((!hidden || name.startsWith("."))
                    && pattern.matcher(entry.name()).matches()) {
                addOrDescend(folder, entry, last, at, depth);
            }
        }
    }

    private void addOrDescend(String folder, Entry entry, boolean last, int at, int depth) throws IOException {
        if (entry.kind() != (last ? searched : Kind.DIRECTORY) || links.addIfOutside(entry, folder)) {
            return;
        }
        String path = join(folder, entry.name());
        if (last) {
            found.add(path);
        } else {
            match(path, at + 1, depth + 1);
        }
    }

    private void requireDepth(String folder, int depth) throws DatasetException {
        if (depth > MOST_FOLDERS_DEEP) {
            throw new DatasetException(storage.display(folder) + " is more than " + MOST_FOLDERS_DEEP
                    + " folders deep; is there a link to one of its parent folders?");
        }
    }

    private static String join(String folder, String name) {
        return folder.isEmpty() ? name : folder + "/" + name;
    }

    private static Pattern compile(String name) {
        StringBuilder regex = new StringBuilder();
        int at = 0;
        while (at < name.length()) {
            char letter = name.charAt(at);
            int close = letter == '[' ? name.indexOf(']', at + (name.startsWith("!", at + 1) ? 3 : 2)) : -1;
            if (close > 0) {
                String letters = name.substring(at + 1, close);
                boolean not = letters.startsWith("!");
                String escaped = (not ? letters.substring(1) : letters).replaceAll("([\\[\\]\\\\^&])", "\\\\$1");
                regex.append(not ? "[^" : "[").append(escaped).append(']');
                at = close + 1;
                continue;
            }
            regex.append(letter == '*' ? ".*" : letter == '?' ? "." : Pattern.quote(String.valueOf(letter)));
            at++;
        }
        return Pattern.compile(regex.toString(), Pattern.DOTALL);
    }
}
