package io.millrace.dataset.storage;

import io.millrace.dataset.DatasetException;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The links that were found in a folder, and that lead out of it. A dataset may come from a stranger, whose links could
 * make any file of the user a sample. Any thread may add links.
 */
public final class LinksOut {
    private final Storage folder;
    private long count;
    private String example = "";
    private @Nullable Path target;

    /** Creates an object without links. */
    public LinksOut(Storage folder) {
        this.folder = folder;
    }

    /**
     * Adds an entry if it is a link that leads out.
     *
     * @param directory the entry's directory in the storage
     * @return whether it is such a link
     */
    public boolean addIfOutside(Storage.Entry entry, String directory) {
        Path outside = entry.outside();
        if (outside == null) {
            return false;
        }
        add(directory.isEmpty() ? entry.name() : directory + "/" + entry.name(), outside);
        return true;
    }

    /**
     * Adds a link.
     *
     * @param link the path of the link in the storage
     * @param to the file or folder that the link leads to
     */
    public synchronized void add(String link, Path to) {
        count++;
        // Several threads list folders, and the sentence is always the same.
        if (target == null || link.compareTo(example) < 0) {
            example = link;
            target = to;
        }
    }

    /**
     * Refuses the dataset if there are links. Leaving them out would silently make the dataset smaller.
     *
     * @throws DatasetException when there is a link; the message counts the links, and names one of them and the option
     */
    public synchronized void requireNone() throws DatasetException {
        if (target != null) {
            String others = count == 1
                    ? ""
                    : String.format(Locale.ROOT, ", like %,d other link%s", count - 1, count == 2 ? "" : "s");
            throw new DatasetException(folder.display(example) + " is a link to " + target + ", outside of the folder "
                    + folder.display("") + others + ": to follow such links, set dataset.follow_links: true"
                    + " (for an evaluation, evaluate.dataset.follow_links: true)");
        }
    }
}
