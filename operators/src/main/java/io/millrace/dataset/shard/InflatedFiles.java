package io.millrace.dataset.shard;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.files.DataFile;
import io.millrace.dataset.storage.RangedFile;
import io.millrace.dataset.storage.Storage;
import io.millrace.dataset.storage.Storage.FileState;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

/**
 * The inflated copies of files that are compressed as a whole. Such a file is read in any order only after it has been inflated, which
 * is done once: the copy is kept where its index would be, with the size and the time of modification of the file in its name. A copy
 * appears when it is whole, so several processes may make it at once.
 *
 * <p>Tested by {@code InflatedFilesTest}.
 */
public final class InflatedFiles {
    private static final int PIECE = 1 << 18;

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
            throw damaged(file, 0, new EOFException("found the end of the file"));
        }
        List<Path> places = cache.places(file, "." + state.size() + "-" + state.modifiedMillis() + ".inflated");
        for (Path place : places) {
            if (Files.isRegularFile(place)) {
                return new DataFile(Storage.of(place.toString()), "");
            }
        }
        List<String> failures = new ArrayList<>();
        for (Path place : places) {
            try {
                Files.createDirectories(place.toAbsolutePath().getParent());
                inflate(file, place);
                return new DataFile(Storage.of(place.toString()), "");
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

    private static void inflate(DataFile file, Path place) throws IOException {
        if (isZstd(file.name())) {
            try (RangedFile frames = file.open()) {
                ZstdFrames.requireWhole(
                        file.local().isPresent() ? ScanWindow.local(frames) : ScanWindow.remote(frames));
            }
        }
        Path partial = place.resolveSibling("." + place.getFileName() + "." + UUID.randomUUID() + ".part");
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
        try (InputStream in = inflating(file, stored)) {
            for (int read = read(file, in, piece, done); read >= 0; read = read(file, in, piece, done)) {
                out.write(piece, 0, read);
                done += read;
            }
        }
    }

    private static InputStream inflating(DataFile file, InputStream stored) throws DatasetException {
        try {
            return isZstd(file.name()) ? new ZstdInputStreamNoFinalizer(stored) : GzipMembers.of(stored);
        } catch (IOException e) {
            throw damaged(file, 0, e);
        }
    }

    private static int read(DataFile file, InputStream in, byte[] piece, long done) throws DatasetException {
        try {
            return in.read(piece);
        } catch (IOException e) {
            throw damaged(file, done, e);
        }
    }

    private static DatasetException damaged(DataFile file, long done, IOException cause) {
        return new DatasetException(
                file.name() + " is no whole " + (isZstd(file.name()) ? "Zstandard" : "gzip") + " file: after " + done
                        + " inflated bytes: " + cause.getMessage(),
                cause);
    }
}
