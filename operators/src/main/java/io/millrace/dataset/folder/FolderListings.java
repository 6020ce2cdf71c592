package io.millrace.dataset.folder;

import io.millrace.dataset.files.SampleFile;
import io.millrace.dataset.storage.LinksOut;
import io.millrace.dataset.storage.Storage;
import io.millrace.dataset.storage.Storage.Entry;
import io.millrace.dataset.storage.Storage.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The files in the folders that a list of files names. A folder is listed once, because that costs less than one request for each of
 * its files, above all on remote storage. Belongs to one thread.
 *
 * <p>Tested by {@code LabelsFileTest}.
 */
final class FolderListings {
    private final Storage storage;
    private final LinksOut links;
    private final Map<String, Set<String>> filesByFolder = new HashMap<>();

    /** The links in these folders that lead out of the dataset, each with its target, until a line names them. */
    private final Map<String, Path> linksByPath = new HashMap<>();

    FolderListings(Storage storage) {
        this.storage = storage;
        this.links = new LinksOut(storage);
    }

    /** Returns the path without {@code ./} before it, which stands for the folder itself. */
    static String withoutDot(String file) {
        String path = file;
        while (path.startsWith("./")) {
            path = path.substring(2);
        }
        return path;
    }

    /** Returns the folder of a file, empty for the dataset's own folder. */
    static String folder(String file) {
        return file.substring(0, Math.max(file.lastIndexOf('/'), 0));
    }

    /** Returns the last part of a path. */
    static String name(String file) {
        return file.substring(file.lastIndexOf('/') + 1);
    }

    /** Returns whether a file exists. */
    boolean contains(String file) throws IOException {
        return in(folder(file)).contains(name(file));
    }

    /** Returns the names of the files in a folder. */
    Set<String> in(String folder) throws IOException {
        Set<String> listed = filesByFolder.get(folder);
        if (listed == null) {
            listed = list(folder);
            filesByFolder.put(folder, listed);
        }
        return listed;
    }

    private Set<String> list(String folder) throws IOException {
        if (storage.kind(folder) != Kind.DIRECTORY) {
            return Set.of();
        }
        Set<String> names = new HashSet<>();
        for (Entry entry : FolderScan.list(storage, folder)) {
            if (entry.kind() == Kind.FILE) {
                names.add(entry.name());
                if (entry.outside() != null) {
                    linksByPath.put(folder.isEmpty() ? entry.name() : folder + "/" + entry.name(), entry.outside());
                }
            }
        }
        return names;
    }

    /** Adds a file that the list names, if it is a link that leads out of the dataset. */
    void addIfLink(String file) {
        Path target = linksByPath.remove(file);
        if (target != null) {
            links.add(file, target);
        }
    }

    /**
     * Adds the file of a picture that a column names, if it is a link that leads out of the dataset. Only folders on this machine have
     * links. Whether the file exists is not checked before its sample is read.
     *
     * @param value the value of the column, with the white space around it
     */
    void addPicture(String value) throws IOException {
        String file = value.strip();
        if (storage.local("").isPresent() && SampleFile.isBelow(file)) {
            in(folder(file));
            addIfLink(file);
        }
    }

    /** Refuses the dataset if one of the files is a link that leads out of it, as {@link LinksOut#requireNone} does. */
    void requireNoLinks() throws IOException {
        links.requireNone();
    }
}
