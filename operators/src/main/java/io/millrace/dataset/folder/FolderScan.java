package io.millrace.dataset.folder;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.fields.FieldSelection;
import io.millrace.dataset.files.LeftOut;
import io.millrace.dataset.files.MissingPath;
import io.millrace.dataset.files.NameOrder;
import io.millrace.dataset.files.ParallelTasks;
import io.millrace.dataset.files.SplitNames;
import io.millrace.dataset.storage.LinksOut;
import io.millrace.dataset.storage.Storage;
import io.millrace.dataset.storage.Storage.Entry;
import io.millrace.dataset.storage.Storage.Kind;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The search for the images of a folder dataset, in the order of their indexes.
 *
 * <p>Tested by {@code FolderDatasetTest}.
 */
final class FolderScan {
    private static final List<String> EXTENSIONS = List.of(
            "jpg", "jpeg", "png", "bmp", "webp", "tiff", "tif", "gif", "ppm", "pgm", "jfif", "jpe", "jif", "apng",
            "pbm", "pnm", "dib");
    private static final Set<String> EXTENSION_SET = Set.copyOf(EXTENSIONS);
    private static final String SOUND = "wav";

    /** The extensions of images and sounds, in lower case. */
    static final List<String> SAMPLE_EXTENSIONS =
            Stream.concat(EXTENSIONS.stream(), Stream.of(SOUND)).toList();

    /**
     * The largest depth of folders. The limit ends the search where links to their own parents cannot be recognized by the
     * identity of a folder.
     */
    private static final int MAX_DEPTH = 32;

    /**
     * The number of classes that are listed at a time: enough to keep disks and networks busy. More classes would only
     * need more memory for names.
     */
    private static final int CLASSES_AT_A_TIME = 64;

    /**
     * A folder in a class folder, at any depth.
     *
     * @param images the names of its images, sorted
     * @param sounds the names of its sounds, sorted
     * @param others its other files
     * @param withSounds its other files and its sounds
     */
    private record Directory(String path, List<String> images, List<String> sounds, Others others, Others withSounds) {}

    /**
     * Files that are left out.
     *
     * @param count their number, without hidden ones
     * @param shown the paths of the first of them
     */
    private record Others(long count, List<String> shown) {
        static Others of(List<String> paths) {
            return new Others(
                    paths.size(),
                    paths.stream()
                            .sorted(NameOrder.BY_CODE_POINT)
                            .limit(LeftOut.MOST_NAMES)
                            .toList());
        }

        Others and(Others more) {
            return new Others(
                    count + more.count,
                    shown.size() < LeftOut.MOST_NAMES
                            ? Stream.concat(shown.stream(), more.shown.stream()).toList()
                            : shown);
        }
    }

    /** The listing of a class: its folders sorted by path, and the links to one of their own parents. */
    private record ClassListing(List<Directory> directories, List<String> loops) {
        ClassListing() {
            this(new ArrayList<>(), new ArrayList<>());
        }
    }

    private final Storage storage;
    private final FieldSelection fields;
    private final FileList images = new FileList();
    private final FileList sounds = new FileList();
    private final LinksOut links;
    private final List<String> loops = new ArrayList<>();
    private Others others = new Others(0, List.of());
    private Others withSounds = others;

    private FolderScan(Storage storage, FieldSelection fields) {
        this.storage = storage;
        this.fields = fields;
        this.links = new LinksOut(storage);
    }

    /**
     * Lists the class folders sorted by name, and their images in the same order as torchvision: a folder's own images
     * sorted by name, and folders sorted by path.
     *
     * @throws DatasetException when this is not a folder that holds one folder of images for each class
     */
    static FolderDataset scan(Storage storage, FieldSelection fields) throws IOException {
        return new FolderScan(storage, fields).scan();
    }

    private FolderDataset scan() throws IOException {
        String root = storage.display("");
        switch (storage.kind("")) {
            case MISSING -> throw MissingPath.folder(storage);
            case FILE ->
                throw new DatasetException(
                        root + " is a file; expected a folder that holds one folder of images per class");
            case DIRECTORY -> {}
        }
        List<Entry> entries = list(storage, "");
        entries.removeIf(entry ->
                entry.kind() == Kind.DIRECTORY && !entry.name().startsWith(".") && links.addIfOutside(entry, ""));
        List<String> classes = new ArrayList<>();
        Optional<Object> identity = storage.identity("");
        for (String name : names(entries, Kind.DIRECTORY)) {
            boolean loop = identity.isPresent() && identity.equals(storage.identity(name));
            (loop ? loops : classes).add(name);
        }
        if (classes.isEmpty()) {
            links.requireNone();
            long images = names(entries, Kind.FILE).stream()
                    .filter(FolderScan::isImage)
                    .count();
            throw new DatasetException(
                    images == 0
                            ? root + (entries.isEmpty() ? " is empty" : " holds no folders")
                                    + "; expected one folder of images per class in it"
                            : root + " holds " + images + " images but no class folders; expected one folder per class,"
                                    + " named as the class, with its images in it (" + root + "/cat/1.jpg), or a "
                                    + LabelsFile.NAME
                                    + " that lists files and labels (a list of another name or form: set dataset.labels)");
        }
        addOthers(names(entries, Kind.FILE));
        List<String> withoutImages = new ArrayList<>();
        List<String> withoutSounds = new ArrayList<>();
        for (int from = 0; from < classes.size(); from += CLASSES_AT_A_TIME) {
            List<String> some = classes.subList(from, Math.min(classes.size(), from + CLASSES_AT_A_TIME));
            List<ClassListing> listed = ParallelTasks.map(some, this::listClass);
            for (int i = 0; i < some.size(); i++) {
                add(listed.get(i), from + i);
                if (listed.get(i).directories().stream()
                        .allMatch(each -> each.images().isEmpty())) {
                    withoutImages.add(some.get(i));
                }
                if (listed.get(i).directories().stream()
                        .allMatch(each -> each.sounds().isEmpty())) {
                    withoutSounds.add(some.get(i));
                }
            }
        }
        links.requireNone();
        boolean ofSounds = images.size() == 0 && sounds.size() > 0;
        List<String> empty = ofSounds ? withoutSounds : withoutImages;
        if (!empty.isEmpty()) {
            throw new DatasetException(root + ": no " + (ofSounds ? "sounds" : "images") + " in "
                    + (empty.size() == 1 ? "class folder " : "class folders ")
                    + shorten(empty) + "; expected files ending in "
                    + (ofSounds ? SOUND : String.join(", ", EXTENSIONS))
                    + ". Remove the folder or put " + (ofSounds ? "sounds" : "images")
                    + " into it: an empty folder changes the labels of the classes"
                    + " after it");
        }
        return new FolderDataset(
                storage,
                (ofSounds ? sounds : images).compact(),
                classes,
                ofSounds && !fields.chosen() ? FolderFormat.SOUNDS : fields,
                Map.of(),
                remarks(ofSounds ? others : withSounds, SplitNames.remarkOnClasses(root, classes)));
    }

    private List<String> remarks(Others left, Optional<String> onClasses) {
        List<String> remarks = new ArrayList<>(onClasses.stream().toList());
        if (left.count() > 0) {
            remarks.add(LeftOut.sentence(left.count(), "file", left.shown().stream()));
        }
        if (!loops.isEmpty()) {
            remarks.add(LeftOut.sentence(loops.size(), "looping link", loops.stream()));
        }
        return remarks;
    }

    private void addOthers(List<String> names) {
        others = Others.of(names);
        withSounds = others;
    }

    private void add(ClassListing listing, int label) {
        loops.addAll(listing.loops());
        for (Directory directory : listing.directories()) {
            others = others.and(directory.others());
            withSounds = withSounds.and(directory.withSounds());
            directory.images().forEach(image -> images.add(directory.path() + "/" + image, label));
            directory.sounds().forEach(sound -> sounds.add(directory.path() + "/" + sound, label));
        }
    }

    /** Lists the folders of a class, sorted by path. Several threads call this method. */
    private ClassListing listClass(String name) throws IOException {
        ClassListing found = new ClassListing();
        Deque<Object> parents = new ArrayDeque<>();
        storage.identity("").ifPresent(parents::push);
        walk(name, parents, found);
        found.directories().sort(Comparator.comparing(Directory::path, NameOrder.BY_CODE_POINT));
        return found;
    }

    /**
     * Lists a folder and the folders in it.
     *
     * @param parents the identities of the folders on the way to this folder
     */
    private void walk(String directory, Deque<Object> parents, ClassListing found) throws IOException {
        Object identity = storage.identity(directory).orElse(directory);
        if (parents.contains(identity)) {
            found.loops().add(directory);
            return;
        }
        if (parents.size() > MAX_DEPTH) {
            throw new DatasetException(storage.display(directory) + " is more than " + MAX_DEPTH
                    + " folders deep; is there a link to one of its parent folders?");
        }
        List<String> images = new ArrayList<>();
        List<String> directories = new ArrayList<>();
        List<String> sounds = new ArrayList<>();
        List<String> otherFiles = new ArrayList<>();
        for (Entry entry : list(storage, directory)) {
            String name = entry.name();
            if (name.startsWith(".")) {
                continue;
            }
            boolean folder = entry.kind() == Kind.DIRECTORY;
            if ((folder || isSample(name)) && links.addIfOutside(entry, directory)) {
                continue;
            }
            if (folder) {
                directories.add(name);
            } else if (isImage(name)) {
                images.add(name);
            } else if (isSound(name)) {
                sounds.add(name);
            } else {
                otherFiles.add(directory + "/" + name);
            }
        }
        images.sort(NameOrder.BY_CODE_POINT);
        sounds.sort(NameOrder.BY_CODE_POINT);
        directories.sort(NameOrder.BY_CODE_POINT);
        Others notSounds = Others.of(otherFiles);
        sounds.forEach(sound -> otherFiles.add(directory + "/" + sound));
        found.directories().add(new Directory(directory, images, sounds, notSounds, Others.of(otherFiles)));
        parents.push(identity);
        for (String name : directories) {
            walk(directory + "/" + name, parents, found);
        }
        parents.pop();
    }

    /** Lists a directory. The exception for a directory that cannot be listed contains its path. */
    static List<Entry> list(Storage storage, String directory) throws DatasetException {
        try {
            return storage.list(directory);
        } catch (AccessDeniedException e) {
            throw new DatasetException("no permission to list " + storage.display(directory), e);
        } catch (IOException e) {
            throw new DatasetException("cannot list " + storage.display(directory) + ": " + e.getMessage(), e);
        }
    }

    private static List<String> names(List<Entry> entries, Kind kind) {
        return entries.stream()
                .filter(entry -> entry.kind() == kind)
                .map(Entry::name)
                .filter(name -> !name.startsWith("."))
                .sorted(NameOrder.BY_CODE_POINT)
                .toList();
    }

    private static boolean isImage(String name) {
        int dot = name.lastIndexOf('.');
        return EXTENSION_SET.contains(name.substring(dot + 1).toLowerCase(Locale.ROOT)) && dot > 0;
    }

    static boolean isSound(String name) {
        return name.length() > SOUND.length() + 1
                && name.toLowerCase(Locale.ROOT).endsWith("." + SOUND);
    }

    /** Returns whether a file is an image or a sound by its name. */
    static boolean isSample(String name) {
        return isImage(name) || isSound(name);
    }

    private static String shorten(List<String> names) {
        int shown = Math.min(names.size(), 5);
        return String.join(", ", names.subList(0, shown))
                + (names.size() > shown ? " and " + (names.size() - shown) + " more" : "");
    }
}
