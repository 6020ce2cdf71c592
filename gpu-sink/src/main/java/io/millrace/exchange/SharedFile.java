package io.millrace.exchange;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.millrace.file.MemoryFiles;
import io.millrace.file.TemporaryFolder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** A file of floats that several processes map into their memory, with one row of floats for each rank. */
final class SharedFile {
    /** The size of one mapping; the largest possible is 2 GiB. */
    private static final long BLOCK_BYTES = 1L << 30;

    private static final int NAME_BYTES = 16;

    private SharedFile() {}

    /**
     * Returns the path of the file that ranks of one host share. Everybody can see its name, which does not show the
     * token.
     */
    static Path path(String token, Place place) {
        Path folder = place == Place.MEMORY ? MemoryFiles.FOLDER : TemporaryFolder.path();
        return folder.resolve("millrace-" + nameOf(token));
    }

    private static String nameOf(String token) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(("shared memory " + token).getBytes(US_ASCII));
            return HexFormat.of().formatHex(hash, 0, NAME_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** The folders in which the file can be: a folder in memory, if the system has one, and the temporary folder. */
    enum Place {
        MEMORY,
        DISK
    }

    /** Returns the folder that has room for a file of this size. */
    static Place place(long bytes) throws IOException {
        return MemoryFiles.hasRoom(MemoryFiles.FOLDER, bytes) ? Place.MEMORY : Place.DISK;
    }

    /** Creates the file with all of its pages allocated. Only this user can read it. */
    static void create(Path file, long bytes) throws IOException {
        try {
            MemoryFiles.create(file, bytes);
        } catch (IOException e) {
            throw new ExchangeException(
                    "cannot share " + bytes + " bytes of gradients between the trainers of this host in " + file + ": "
                            + e.getMessage(),
                    e);
        }
    }

    /** Maps the rows of all ranks. */
    static FloatBlocks[] map(Path file, int ranks, long floats) throws IOException {
        FloatBlocks[] rows = new FloatBlocks[ranks];
        long rowBytes = floats * Float.BYTES;
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
            for (int rank = 0; rank < ranks; rank++) {
                List<ByteBuffer> blocks = new ArrayList<>();
                for (long at = 0; at < rowBytes; at += BLOCK_BYTES) {
                    blocks.add(channel.map(
                            FileChannel.MapMode.READ_WRITE,
                            rank * rowBytes + at,
                            Math.min(BLOCK_BYTES, rowBytes - at)));
                }
                rows[rank] = new FloatBlocks(blocks);
            }
        }
        return rows;
    }
}
