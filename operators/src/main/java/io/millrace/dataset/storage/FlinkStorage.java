package io.millrace.dataset.storage;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;

/** Files in a file system of Flink's: {@code s3://}, {@code hdfs://} and so on, with their plugins. */
final class FlinkStorage implements Storage {
    private final String name;
    private final Path root;
    private final FileSystem files;

    FlinkStorage(String name) throws IOException {
        this.name = name;
        this.root = new Path(name);
        this.files = root.getFileSystem();
    }

    @Override
    public String display(String path) {
        return path.isEmpty() ? name : name + (name.endsWith("/") ? "" : "/") + path;
    }

    @Override
    public Kind kind(String path) throws IOException {
        try {
            return kind(files.getFileStatus(resolve(path)));
        } catch (FileNotFoundException e) {
            return Kind.MISSING;
        }
    }

    private static Kind kind(FileStatus status) {
        return status.isDir() ? Kind.DIRECTORY : Kind.FILE;
    }

    @Override
    public List<Entry> list(String directory) throws IOException {
        FileStatus[] statuses = files.listStatus(resolve(directory));
        if (statuses == null) {
            throw new NoSuchFileException(display(directory));
        }
        List<Entry> entries = new ArrayList<>(statuses.length);
        for (FileStatus status : statuses) {
            entries.add(new Entry(status.getPath().getName(), kind(status)));
        }
        return entries;
    }

    @Override
    public byte[] read(String file) throws IOException {
        try (InputStream in = open(file)) {
            byte[] bytes = in.readNBytes((int) MAX_READ_BYTES);
            if (bytes.length == MAX_READ_BYTES && in.read() >= 0) {
                throw new IOException("has more than the " + MAX_READ_BYTES + " bytes that one sample may have");
            }
            return bytes;
        } catch (FileNotFoundException e) {
            throw missing(file, e);
        }
    }

    @Override
    public FileState state(String file) throws IOException {
        FileStatus status = status(file);
        return new FileState(status.getLen(), status.getModificationTime());
    }

    @Override
    public RangedFile ranged(String file) throws IOException {
        return new FlinkRangedFile(
                files, resolve(file), display(file), status(file).getLen());
    }

    private FileStatus status(String file) throws IOException {
        try {
            return files.getFileStatus(resolve(file));
        } catch (FileNotFoundException e) {
            throw missing(file, e);
        }
    }

    private NoSuchFileException missing(String file, FileNotFoundException cause) {
        NoSuchFileException missing = new NoSuchFileException(display(file));
        missing.initCause(cause);
        return missing;
    }

    @Override
    public InputStream open(String file) throws IOException {
        return files.open(resolve(file));
    }

    @Override
    public Optional<java.nio.file.Path> local(String file) {
        return Optional.empty();
    }

    private Path resolve(String path) {
        return path.isEmpty() ? root : new Path(root, path);
    }
}
