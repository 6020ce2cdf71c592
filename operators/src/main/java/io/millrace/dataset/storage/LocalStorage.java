package io.millrace.dataset.storage;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The storage for files on this machine. */
final class LocalStorage implements Storage {
    private static final char UNREADABLE_CHARACTER = '\uFFFD';

    private final String name;
    private final Path root;

    LocalStorage(String name, Path root) {
        this.name = name;
        this.root = root;
    }

    @Override
    public String display(String path) {
        return path.isEmpty() ? name : name + (name.endsWith("/") ? "" : "/") + path;
    }

    @Override
    public Kind kind(String path) {
        Path file = root.resolve(path);
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
                if (childName.indexOf(UNREADABLE_CHARACTER) >= 0) {
                    // Java cannot turn such a name back into the file's name.
                    throw new IOException("'" + childName + "' has letters that Java cannot represent in this locale ("
                            + System.getProperty("sun.jnu.encoding")
                            + "): set the environment variable LC_ALL=C.UTF-8");
                }
                entries.add(new Entry(childName, Files.isDirectory(child) ? Kind.DIRECTORY : Kind.FILE));
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return entries;
    }

    @Override
    public byte[] read(String file) throws IOException {
        Path path = root.resolve(file);
        long bytes = Files.size(path);
        if (bytes > MAX_READ_BYTES) {
            throw new IOException(
                    "has " + bytes + " bytes, more than the " + MAX_READ_BYTES + " that one sample may have");
        }
        return Files.readAllBytes(path);
    }

    @Override
    public FileState state(String file) throws IOException {
        BasicFileAttributes attributes = Files.readAttributes(root.resolve(file), BasicFileAttributes.class);
        return new FileState(attributes.size(), attributes.lastModifiedTime().toMillis());
    }

    @Override
    public RangedFile ranged(String file) throws IOException {
        return LocalRangedFile.open(root.resolve(file), display(file));
    }

    @Override
    public InputStream open(String file) throws IOException {
        return Files.newInputStream(root.resolve(file));
    }

    @Override
    public Optional<Path> local(String file) {
        return Optional.of(root.resolve(file));
    }

    @Override
    public LocalCopy localCopy(String file) {
        return new LocalCopy(display(file), root.resolve(file), () -> {});
    }
}
