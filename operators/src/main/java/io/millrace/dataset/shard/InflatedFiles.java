package io.millrace.dataset.shard;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.files.DataFile;
import io.millrace.dataset.storage.RangedFile;
import io.millrace.dataset.storage.Storage;
import io.millrace.dataset.storage.Storage.FileState;
import io.millrace.file.HeapLimit;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The inflated copies of files that are compressed as a whole. Such a file is read in any order only after it has been inflated, which
 * is done once: the copy is kept where its index would be, with the size and the time of modification of the file in its name. A copy
 * appears when it is whole, so several processes may make it at once.
 *
 * <p>Tested by {@code InflatedFilesTest}.
 */
public final class InflatedFiles {
    private static final int PIECE = 1 << 18;

    /** The names of copies: that of the file, its size and its time of modification. */
    private static final Pattern COPY = Pattern.compile("(.+)\\.\\d+-\\d+\\.inflated");

    /** The end of the name of a copy that a process makes. */
    private static final String PART = ".part";

    /** A copy that no process has written to for so long was left by a killed one. */
    private static final long MOST_IDLE_MILLIS = TimeUnit.HOURS.toMillis(1);

    private InflatedFiles() {}

    /** Returns whether the name of a file says that it is compressed with gzip or Zstandard. */
    public static boolean isCompressed(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return lower.endsWith(".gz") || isZstd(lower);
    }

    private static boolean isZstd(String name) {
        return name.toLowerCase(Locale.ROOT).endsWith(".zst");
    }

    /**
     * Returns the file, or its inflated copy if its name says that it is compressed.
     *
     * @throws DatasetException when the file is damaged, or there is no place for the copy; the message is a sentence for the user
     */
    public static DataFile of(DataFile file, IndexCache cache) throws IOException {
        if (!isCompressed(file.name())) {
            return file;
        }
        FileState state = file.state();
        if (state.size() == 0) {
            throw damaged(file.name(), "", new EOFException("found the end of the file"));
        }
        List<Path> places = cache.places(file, "." + state.size() + "-" + state.modifiedMillis() + ".inflated");
        for (Path place : places) {
            if (Files.isRegularFile(place)) {
                return new DataFile(Storage.copy(file.name(), place), "");
            }
        }
        List<String> failures = new ArrayList<>();
        for (Path place : places) {
            try {
                Files.createDirectories(place.toAbsolutePath().getParent());
                inflate(file, place);
                removeStale(file, place);
                return new DataFile(Storage.copy(file.name(), place), "");
            } catch (DatasetException e) {
                throw e;
            } catch (IOException e) {
                failures.add(place + " (" + e + ")");
            }
        }
        throw new DatasetException(
                file.name() + " is compressed as a whole, so its samples cannot be read in any order before it is"
                        + " inflated, and there is no place for the inflated copy: "
                        + (failures.isEmpty()
                                ? "index_cache is none; set index_cache to a folder, or inflate the file"
                                : "cannot write " + String.join(" or ", failures)
                                        + "; set index_cache to a folder with enough space, or inflate the file"));
    }

    /**
     * Removes the copies of earlier states of a file, and in a folder {@code .millrace} also those of files that do not exist any more,
     * and what killed processes left.
     */
    private static void removeStale(DataFile file, Path copy) {
        Path folder = Objects.requireNonNull(copy.toAbsolutePath().getParent());
        String own = source(copy).orElseThrow();
        boolean beside = file.local().isPresent() && folder.endsWith(IndexCache.BESIDE);
        long oldest = System.currentTimeMillis() - MOST_IDLE_MILLIS;
        try (DirectoryStream<Path> copies = Files.newDirectoryStream(folder, "*.{inflated,part}")) {
            for (Path each : copies) {
                String name = each.getFileName().toString();
                boolean stale = name.endsWith(PART)
                        ? Files.getLastModifiedTime(each).toMillis() < oldest
                        : source(each)
                                .filter(source -> source.equals(own)
                                        ? !name.equals(copy.getFileName().toString())
                                        : beside && !Files.exists(folder.resolveSibling(source)))
                                .isPresent();
                if (stale) {
                    Files.deleteIfExists(each);
                    log().info("removed {}, which is out of date", each);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            log().warn("cannot remove copies that are out of date from {}: {}", folder, e.toString());
        }
    }

    private static Logger log() {
        return LoggerFactory.getLogger(InflatedFiles.class);
    }

    /** Returns the name of the file that a copy was made from, as it is in the copy's name. */
    private static Optional<String> source(Path copy) {
        Matcher name = COPY.matcher(copy.getFileName().toString());
        return name.matches() ? Optional.of(name.group(1)) : Optional.empty();
    }

    private static void inflate(DataFile file, Path place) throws IOException {
        if (isZstd(file.name())) {
            try (RangedFile frames = file.open()) {
                ZstdFrames.requireWhole(
                        file.local().isPresent() ? ScanWindow.local(frames) : ScanWindow.remote(frames));
            }
        }
        Path partial = place.resolveSibling("." + place.getFileName() + "." + UUID.randomUUID() + PART);
        try {
            try (InputStream stored = new BufferedInputStream(file.storage().open(file.path()), PIECE);
                    OutputStream out = Files.newOutputStream(partial, StandardOpenOption.CREATE_NEW)) {
                copy(file, stored, out);
            }
            Files.move(partial, place, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException | RuntimeException e) {
            try {
                Files.deleteIfExists(partial);
            } catch (IOException alsoFailed) {
                e.addSuppressed(alsoFailed);
            }
            throw e;
        }
    }

    private static void copy(DataFile file, InputStream stored, OutputStream out) throws IOException {
        byte[] piece = new byte[PIECE];
        long done = 0;
        try (InputStream in = inflating(file.name(), stored)) {
            for (int read = read(file.name(), in, piece, done); read >= 0; read = read(file.name(), in, piece, done)) {
                out.write(piece, 0, read);
                done += read;
            }
        }
    }

    /**
     * Returns the inflated content of a file that is in memory.
     *
     * @param name the name of the file, which says how it is compressed
     * @param stored its content
     * @throws DatasetException when the file is damaged, or its content does not fit into the heap; the message is a sentence for the user
     */
    public static byte[] inflated(String name, byte[] stored) throws IOException {
        if (isZstd(name)) {
            ZstdFrames.requireWhole(ScanWindow.local(new HeldFile(name, stored)));
        }
        int most = (int) Math.min(Integer.MAX_VALUE - 8, HeapLimit.bytes());
        try (InputStream in = inflating(name, new ByteArrayInputStream(stored))) {
            byte[] content = in.readNBytes(most);
            if (in.read() >= 0) {
                throw new DatasetException(name + ": " + HeapLimit.refusal("a document", HeapLimit.bytes() + 1));
            }
            return content;
        } catch (DatasetException e) {
            throw e;
        } catch (IOException e) {
            throw damaged(name, "", e);
        }
    }

    /** A file whose content is in memory. */
    @SuppressWarnings("ArrayRecordComponent") // handed over, never compared
    private record HeldFile(String name, byte[] content) implements RangedFile {
        @Override
        public long size() {
            return content.length;
        }

        @Override
        public void read(long position, byte[] target, int from, int count) throws IOException {
            if (position > content.length - count) {
                throw pastEnd(position, count);
            }
            System.arraycopy(content, (int) position, target, from, count);
        }

        @Override
        public void close() {}
    }

    private static InputStream inflating(String name, InputStream stored) throws DatasetException {
        try {
            return isZstd(name) ? new ZstdInputStreamNoFinalizer(stored) : GzipMembers.of(stored);
        } catch (IOException e) {
            throw damaged(name, "", e);
        }
    }

    private static int read(String name, InputStream in, byte[] piece, long done) throws DatasetException {
        try {
            return in.read(piece);
        } catch (IOException e) {
            throw damaged(name, "after " + done + " inflated bytes: ", e);
        }
    }

    private static DatasetException damaged(String name, String where, IOException cause) {
        String reason = "Not in GZIP format".equals(cause.getMessage())
                ? "expected the beginning of a gzip file, found other bytes; a file that is not compressed has a name"
                        + " without .gz"
                : cause.getMessage();
        return new DatasetException(
                name + " is no whole " + (isZstd(name) ? "Zstandard" : "gzip") + " file: " + where + reason, cause);
    }
}
