package io.millrace.dataset.shard;

import io.millrace.dataset.files.DataFile;
import io.millrace.dataset.storage.Storage.FileState;
import io.millrace.file.WholeFiles;
import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A cache of the indexes of shards in files. Each index is stored with the size and the time of modification of its
 * shard. An index that is damaged, of another version, or of another state of the shard is ignored, and the shard is
 * scanned again.
 *
 * <p>An index file consists of a magic number, the kind, the version, the state, the index, and a CRC-32C of all bytes
 * before it. Numbers are big-endian. Safe for several threads.
 */
public final class IndexCache {
    private static final String AUTO = "auto";
    private static final String NONE = "none";

    /** The name of the folder beside the files. */
    static final String BESIDE = ".millrace";

    /** The option that names the folder of the indexes. */
    public static final Option<String> FOLDER = Option.of(
                    "index_cache",
                    OptionType.TEXT.ofPaths(AUTO, NONE),
                    "The folder that keeps the index of each file. One scan of a file creates its index. With none, each"
                            + " run scans the files. auto is .millrace beside the file if that folder can be written,"
                            + " and otherwise the user's cache folder ($XDG_CACHE_HOME/millrace/index or"
                            + " ~/.cache/millrace/index).")
            .orElse("auto")
            .decides(Identity.NOTHING);

    private static final int MAGIC = 0x4D524958; // MRIX

    /** The largest size of an index. A larger one is damaged. */
    private static final long MOST_BYTES = 1L << 31;

    private static final Object WRITE_LOCK = new Object();

    private final String choice;
    private final Path userFolder;

    IndexCache(String choice, Path userFolder) {
        this.choice = choice;
        this.userFolder = userFolder;
    }

    /** Returns the cache for a value of {@link #FOLDER}. */
    public static IndexCache of(String choice) {
        String cacheHome = System.getenv("XDG_CACHE_HOME");
        Path home = cacheHome == null || cacheHome.isEmpty()
                ? Path.of(System.getProperty("user.home", "."), ".cache")
                : Path.of(cacheHome);
        return new IndexCache(choice, home.resolve("millrace").resolve("index"));
    }

    /**
     * Returns the index of the shard in its present state. The index is read from the cache if it is there. Otherwise
     * the shard is scanned, and the new index is stored in the cache if possible.
     */
    <T extends ShardIndex> T index(DataFile shard, FileState state, ShardIndexer<T> indexer, Scan<T> scan)
            throws IOException {
        byte[] head = head(indexer, state);
        List<Path> places = places(shard, "." + indexer.kind() + "-index");
        for (Path place : places) {
            Optional<T> kept = read(place, head, indexer);
            if (kept.isPresent()) {
                return kept.get();
            }
        }
        T index = scan.scan();
        if (!places.isEmpty() && shard.state().equals(state)) {
            keep(places, bytes(head, indexer, index));
        }
        return index;
    }

    /** A function that scans a shard. */
    interface Scan<T> {
        T scan() throws IOException;
    }

    /**
     * Returns the paths at which something that was made from a shard may be kept, the best first; none where nothing is kept. The index
     * of an inflated copy is beside the copy.
     *
     * @param ending the end of the file's name, which says what it is
     */
    List<Path> places(DataFile shard, String ending) {
        if (choice.equals(NONE)) {
            return List.of();
        }
        String name = shard.name().substring(shard.name().lastIndexOf('/') + 1) + ending;
        Optional<Path> local = shard.local().map(Path::toAbsolutePath);
        String unique = fingerprint(local.map(Path::toString).orElse(shard.name())) + "-" + name;
        if (!choice.equals(AUTO)) {
            return List.of(Path.of(choice).resolve(unique));
        }
        List<Path> places = new ArrayList<>();
        local.map(path -> path.resolveSibling(name))
                .map(path -> path.endsWith(Path.of(BESIDE, name))
                        ? path
                        : path.resolveSibling(BESIDE).resolve(name))
                .filter(path -> !path.startsWith(userFolder))
                .ifPresent(places::add);
        places.add(userFolder.resolve(unique));
        return places;
    }

    static String fingerprint(String name) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private static byte[] head(ShardIndexer<?> indexer, FileState state) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(MAGIC);
        out.writeUTF(indexer.kind());
        out.writeInt(indexer.version());
        out.writeLong(state.size());
        out.writeLong(state.modifiedMillis());
        return bytes.toByteArray();
    }

    private static <T extends ShardIndex> byte[] bytes(byte[] head, ShardIndexer<T> indexer, T index)
            throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.write(head);
        indexer.write(index, out);
        out.writeInt(checksum(bytes.toByteArray(), bytes.size()));
        return bytes.toByteArray();
    }

    private static <T extends ShardIndex> Optional<T> read(Path place, byte[] head, ShardIndexer<T> indexer) {
        try {
            if (!Files.isRegularFile(place) || Files.size(place) > MOST_BYTES) {
                return Optional.empty();
            }
            byte[] bytes = Files.readAllBytes(place);
            int end = bytes.length - Integer.BYTES;
            if (end < head.length
                    || !Arrays.equals(bytes, 0, head.length, head, 0, head.length)
                    || ByteBuffer.wrap(bytes).getInt(end) != checksum(bytes, end)) {
                return Optional.empty();
            }
            DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes, head.length, end - head.length));
            T index = indexer.read(in);
            return in.available() == 0 ? Optional.of(index) : Optional.empty();
        } catch (IOException e) {
            log().warn("cannot use the index {}; the file is scanned again: {}", place, e.toString());
            return Optional.empty();
        }
    }

    private static int checksum(byte[] bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }

    private static void keep(List<Path> places, byte[] bytes) {
        for (Path place : places) {
            try {
                Files.createDirectories(place.toAbsolutePath().getParent());
                synchronized (WRITE_LOCK) {
                    WholeFiles.write(place, bytes);
                }
                return;
            } catch (IOException e) {
                log().info("cannot keep an index at {}: {}", place, e.toString());
            }
        }
        log().warn("cannot keep an index at any of {}; each run scans the files again", places);
    }

    /** Returns the logger, which is not a constant: reading a pipeline file loads this class, and need not start Log4j. */
    private static Logger log() {
        return LoggerFactory.getLogger(IndexCache.class);
    }
}
