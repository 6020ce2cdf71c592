package io.millrace.dataset.storage;

import io.millrace.dataset.StorageOptions;
import io.millrace.file.HeapLimit;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The storage for files on this machine.
 *
 * <p>Tested by {@code StorageTest}.
 */
final class LocalStorage implements Storage {
    private static final char UNREADABLE_CHARACTER = '\uFFFD';
    private static final String UTF_8 = "UTF-8";

    /** The size of a read. The JDK keeps a buffer outside of the heap as large as the largest read of each thread. */
    static final int READ_BYTES = 1 << 20;

    /** The bits of a file's mode that state its type, and three types (stat.h). */
    private static final int TYPE_MASK = 0xF000;

    private static final int FIFO = 0x1000;
    private static final int SOCKET = 0xC000;

    private final String name;
    private final Path root;
    private final boolean followsLinks;

    /** The root without links; null until a link is found. Volatile: several threads list folders. */
    private volatile @Nullable Path realRoot;

    /**
     * Creates a storage.
     *
     * @param root the root, which may be a link
     * @param options the options, which decide whether links below the root are followed out of it
     */
    LocalStorage(String name, Path root, StorageOptions options) {
        this.name = name;
        this.root = root;
        this.followsLinks = options.followLinks();
    }

    @Override
    public String display(String path) {
        return path.isEmpty() ? name : name + (name.endsWith("/") ? "" : "/") + path;
    }

    @Override
    public Kind kind(String path) throws IOException {
        Path file = root.resolve(path);
        if (!followsLinks && !path.isEmpty()) {
            LinksOut links = new LinksOut(this);
            links.addIfOutside(new Entry(path, Kind.FILE, outside(path)), "");
            links.requireNone();
        }
        if (Files.isDirectory(file)) {
            return Kind.DIRECTORY;
        }
        return Files.exists(file) ? Kind.FILE : Kind.MISSING;
    }

    @Override
    public List<Entry> list(String directory) throws IOException {
        List<Entry> entries = new ArrayList<>();
        try (DirectoryStream<Path> children = Files.newDirectoryStream(root.resolve(directory))) {
            for (Path child : children) {
                String childName = String.valueOf(child.getFileName());
                // Java cannot turn such a name back into the file's name. In UTF-8, only a name of other bytes is such
                // a
                // name, and reading it reports the problem.
                if (childName.indexOf(UNREADABLE_CHARACTER) >= 0
                        && !UTF_8.equals(System.getProperty("sun.jnu.encoding"))) {
                    throw new IOException("'" + childName + "' has letters that Java cannot represent in this locale ("
                            + System.getProperty("sun.jnu.encoding")
                            + "): set the environment variable LC_ALL=C.UTF-8");
                }
                entries.add(entry(directory, childName, child));
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return entries;
    }

    private Entry entry(String directory, String childName, Path child) {
        if (!followsLinks) {
            try {
                BasicFileAttributes own =
                        Files.readAttributes(child, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
                if (!own.isSymbolicLink()) {
                    return new Entry(childName, own.isDirectory() ? Kind.DIRECTORY : Kind.FILE);
                }
                // Only links need the costly resolution of a path.
                return new Entry(childName, kind(child), outside(join(directory, childName)));
            } catch (IOException e) {
                // Reading the file reports the problem.
            }
        }
        return new Entry(childName, kind(child));
    }

    /** Returns the kind of an entry of a directory. */
    private static Kind kind(Path child) {
        return Files.isDirectory(child) ? Kind.DIRECTORY : Kind.FILE;
    }

    /**
     * Returns the place that a path leads to if that place is outside of the root and a link leads there; null otherwise,
     * and where the path leads nowhere. A path with {@code ..} and without links is the user's own, because a path that
     * comes from a dataset has no such names.
     */
    private @Nullable Path outside(String path) {
        try {
            Path real = root.resolve(path).toRealPath();
            Path base = realRoot;
            if (base == null) {
                base = root.toRealPath();
                realRoot = base;
            }
            boolean inside =
                    real.startsWith(base) || real.equals(base.resolve(path).normalize());
            return inside ? null : real;
        } catch (IOException e) {
            // The link leads to nothing or to itself. Reading it reports the problem.
            return null;
        }
    }

    private static String join(String directory, String child) {
        return directory.isEmpty() ? child : directory + "/" + child;
    }

    @Override
    public Optional<Object> identity(String directory) {
        try {
            return Optional.ofNullable(Files.readAttributes(root.resolve(directory), BasicFileAttributes.class)
                    .fileKey());
        } catch (IOException e) {
            // Listing the directory reports the problem.
            return Optional.empty();
        }
    }

    @Override
    public byte[] read(String file) throws IOException {
        Path path = requireFile(file);
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            long bytes = channel.size();
            if (bytes > MAX_READ_BYTES) {
                throw new IOException(
                        "has " + bytes + " bytes, more than the " + MAX_READ_BYTES + " that one sample may have");
            }
            HeapLimit.require("a file", bytes);
            byte[] content = new byte[(int) bytes];
            int at = 0;
            while (at < content.length) {
                int read = channel.read(ByteBuffer.wrap(content, at, Math.min(content.length - at, READ_BYTES)));
                if (read < 0) {
                    throw new IOException(
                            "the file had " + bytes + " bytes, but became shorter while it was read: " + at + " bytes");
                }
                at += read;
            }
            return content;
        }
    }

    /**
     * Returns the path if it does not lead to a FIFO, a socket or a device. Opening a FIFO waits for a writer, without end, and
     * devices such as {@code /dev/zero} never end.
     */
    private Path requireFile(String file) throws IOException {
        Path path = root.resolve(file);
        if (Files.readAttributes(path, BasicFileAttributes.class).isOther()) {
            throw new NotAFileException(display(file), describe(path));
        }
        return path;
    }

    private static String describe(Path path) throws IOException {
        if (!path.getFileSystem().supportedFileAttributeViews().contains("unix")) {
            return "neither a file nor a folder";
        }
        return switch ((Integer) Files.getAttribute(path, "unix:mode") & TYPE_MASK) {
            case FIFO -> "a FIFO";
            case SOCKET -> "a socket";
            default -> "a device";
        };
    }

    @Override
    public FileState state(String file) throws IOException {
        BasicFileAttributes attributes = Files.readAttributes(requireFile(file), BasicFileAttributes.class);
        return new FileState(attributes.size(), attributes.lastModifiedTime().toMillis());
    }

    @Override
    public RangedFile ranged(String file) throws IOException {
        return LocalRangedFile.open(requireFile(file), display(file));
    }

    @Override
    public InputStream open(String file) throws IOException {
        return Files.newInputStream(requireFile(file));
    }

    @Override
    public Optional<Path> local(String file) {
        return Optional.of(root.resolve(file));
    }

    @Override
    public LocalCopy localCopy(String file) throws IOException {
        return new LocalCopy(display(file), requireFile(file), () -> {});
    }
}
