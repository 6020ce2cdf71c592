package io.millrace.dataset.storage;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.StorageOptions;
import io.millrace.file.HeapLimit;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.UnsupportedFileSystemSchemeException;
import org.jspecify.annotations.Nullable;

/** The storage for files in Flink's file systems: {@code s3://}, {@code hdfs://} and others, with their plugins. */
final class FlinkStorage implements Storage {
    private final String name;
    private final Path root;
    private final FileSystem files;
    private final StorageOptions options;
    private final Requests requests;
    private final @Nullable ShardCache cache;

    /**
     * The states of files that are read as a whole. They are needed only with a cache. Each state is requested once,
     * because the request costs as much as reading a small file.
     */
    private final Map<String, FileState> states = new ConcurrentHashMap<>();

    /** Creates a storage in the given file system. */
    FlinkStorage(String name, FileSystem files, StorageOptions options) throws IOException {
        this.name = name;
        this.root = new Path(name);
        this.files = files;
        this.options = options;
        this.requests = new Requests(options);
        this.cache = options.cache() == null ? null : ShardCache.of(options.cache());
    }

    /**
     * Returns a storage in the file system of its scheme.
     *
     * @throws DatasetException when Flink has no such file system; the message is a sentence for the user
     */
    static FlinkStorage of(String name, StorageOptions options) throws IOException {
        try {
            return new FlinkStorage(name, new Path(name).getFileSystem(), options);
        } catch (UnsupportedFileSystemSchemeException e) {
            throw new DatasetException(name + ": " + RemoteSchemes.describeMissing(scheme(name)), e);
        } catch (DatasetException e) {
            throw e;
        } catch (IOException e) {
            throw RemoteFailures.translate(name, e, 1);
        }
    }

    private static String scheme(String name) {
        return name.substring(0, name.indexOf(':'));
    }

    @Override
    public String display(String path) {
        return path.isEmpty() ? name : name + (name.endsWith("/") ? "" : "/") + path;
    }

    @Override
    public Kind kind(String path) throws IOException {
        try {
            return kind(status(path));
        } catch (NoSuchFileException e) {
            return Kind.MISSING;
        }
    }

    private static Kind kind(FileStatus status) {
        return status.isDir() ? Kind.DIRECTORY : Kind.FILE;
    }

    @Override
    public List<Entry> list(String directory) throws IOException {
        Path path = resolve(directory);
        List<Entry> entries = new ArrayList<>();
        for (FileStatus status : send(directory, () -> statuses(path))) {
            entries.add(new Entry(status.getPath().getName(), kind(status)));
        }
        return entries;
    }

    private FileStatus[] statuses(Path path) throws IOException {
        FileStatus[] statuses = files.listStatus(path);
        if (statuses == null) {
            throw new FileNotFoundException(path.toString());
        }
        return statuses;
    }

    @Override
    public byte[] read(String file) throws IOException {
        if (cache != null) {
            FileState state = states.get(file);
            if (state == null) {
                state = state(file);
                states.put(file, state);
            }
            try (RangedFile ranged = ranged(file, state)) {
                requireReadable(ranged.size());
                return ranged.read(0, (int) ranged.size());
            }
        }
        Path path = resolve(file);
        byte[] start = send(file, () -> readStart(path));
        if (start.length < options.chunkBytes()) {
            return start;
        }
        try (RangedFile large = ranged(file)) {
            requireReadable(large.size());
            return large.read(0, (int) large.size());
        }
    }

    /** Reads a small file with one request. Requesting the size first would cost a second request. */
    private byte[] readStart(Path path) throws IOException {
        try (InputStream in = files.open(path)) {
            return in.readNBytes(options.chunkBytes());
        }
    }

    private static void requireReadable(long bytes) throws IOException {
        if (bytes > MAX_READ_BYTES) {
            throw new IOException(
                    "has " + bytes + " bytes, more than the " + MAX_READ_BYTES + " that one sample may have");
        }
        HeapLimit.require("a file", bytes);
    }

    @Override
    public Optional<Object> identity(String directory) {
        return Optional.empty();
    }

    @Override
    public FileState state(String file) throws IOException {
        FileStatus status = status(file);
        return new FileState(status.getLen(), status.getModificationTime());
    }

    @Override
    public RangedFile ranged(String file) throws IOException {
        return ranged(file, state(file));
    }

    private RangedFile ranged(String file, FileState state) {
        FlinkRangedFile remote = remote(file, state);
        return cache == null ? remote : new CachedRangedFile(remote, state, cache, options.chunkBytes());
    }

    private FlinkRangedFile remote(String file, FileState state) {
        return new FlinkRangedFile(files, resolve(file), display(file), state, requests, options);
    }

    private FileStatus status(String file) throws IOException {
        Path path = resolve(file);
        return send(file, () -> files.getFileStatus(path));
    }

    private <T> T send(String file, Requests.Request<T> request) throws IOException {
        try {
            return requests.send(display(file), request);
        } catch (FileNotFoundException e) {
            NoSuchFileException missing = new NoSuchFileException(display(file));
            missing.initCause(e);
            throw missing;
        }
    }

    @Override
    public InputStream open(String file) throws IOException {
        return new RemoteInputStream(remote(file, state(file)), options.chunkBytes());
    }

    @Override
    public Optional<java.nio.file.Path> local(String file) {
        return Optional.empty();
    }

    @Override
    public LocalCopy localCopy(String file) throws IOException {
        StorageOptions.CacheOptions cacheOptions = options.cache();
        if (cache == null || cacheOptions == null) {
            throw new DatasetException(
                    display(file) + " can only be read from a copy on this machine: configure a cache, for example"
                            + " storage: {cache: {folder: /data/cache, size: 100GB}}");
        }
        FileState state = state(file);
        try (FlinkRangedFile remote = remote(file, state)) {
            ShardCache.Pin pin = cache.pin(
                            new ShardCache.Piece(display(file), state, 0, state.size()),
                            disk -> remote.readPieces(0, state.size(), disk::write))
                    .orElseThrow(() -> new DatasetException(display(file) + " has " + state.size()
                            + " bytes and has to be copied to this machine, but the cache "
                            + cacheOptions.folder() + " has no room for it beside the files in use: its limit is "
                            + cacheOptions.bytes() + " bytes"));
            return new LocalCopy(display(file), pin.path(), pin::close);
        }
    }

    /**
     * Returns the path of a file. Flink's constructor from texts would turn a backslash, which keys of S3 may have, into a
     * slash.
     */
    private Path resolve(String path) {
        if (path.isEmpty()) {
            return root;
        }
        URI base = root.toUri();
        String folder = base.getPath();
        try {
            return new Path(new URI(
                    base.getScheme(),
                    base.getAuthority(),
                    folder + (folder.endsWith("/") ? "" : "/") + path,
                    null,
                    null));
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(display(path) + " is not a path", e);
        }
    }
}
