package io.millrace.exchange;

import io.millrace.file.TemporaryFolder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** A file of floats that several processes map into their memory, with one row of floats for each rank. */
final class SharedFile {
    /** The size of one mapping; the largest possible is 2 GiB. */
    private static final long BLOCK_BYTES = 1L << 30;

    private static final Path MEMORY = Path.of("/dev/shm");

    private SharedFile() {}

    /** Returns the path of the file that ranks of one host share. */
    static Path path(String token, Place place) {
        Path folder = place == Place.MEMORY ? MEMORY : TemporaryFolder.path();
        return folder.resolve("millrace-" + token.substring(0, token.length() / 2));
    }

    /** The folders in which the file can be: a folder in memory, if the system has one, and the temporary folder. */
    enum Place {
        MEMORY,
        DISK
    }

    /** Returns the folder that has room for a file of this size. */
    static Place place(long bytes) throws IOException {
        if (Files.isDirectory(MEMORY) && Files.isWritable(MEMORY)) {
            FileStore store = Files.getFileStore(MEMORY);
            // The /dev/shm of a container often has only 64 MB. Writing to a page that does not fit ends the process
            // by a signal.
            if (store.getUsableSpace() > bytes + bytes / 8) {
                return Place.MEMORY;
            }
        }
        return Place.DISK;
    }

    /** Creates the file with all of its pages allocated. Only this user can read it. */
    static void create(Path file, long bytes) throws IOException {
        Set<StandardOpenOption> options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        var permissions = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        try (FileChannel channel = FileChannel.open(file, options, permissions)) {
            ByteBuffer zeros = ByteBuffer.allocateDirect(1 << 20);
            for (long at = 0; at < bytes; at += zeros.position()) {
                zeros.clear().limit((int) Math.min(zeros.capacity(), bytes - at));
                while (zeros.hasRemaining()) {
                    channel.write(zeros);
                }
            }
        } catch (IOException e) {
            Files.deleteIfExists(file);
            throw new ExchangeException(
                    "cannot share " + bytes + " bytes of gradients between the trainers of this host in " + file + ": "
                            + e.getMessage(),
                    e);
        }
    }

    /** Maps the rows of all ranks. */
    static Floats[] map(Path file, int ranks, long floats) throws IOException {
        Floats[] rows = new Floats[ranks];
        long rowBytes = floats * Float.BYTES;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            for (int rank = 0; rank < ranks; rank++) {
                List<ByteBuffer> blocks = new ArrayList<>();
                for (long at = 0; at < rowBytes; at += BLOCK_BYTES) {
                    blocks.add(channel.map(
                            FileChannel.MapMode.READ_WRITE,
                            rank * rowBytes + at,
                            Math.min(BLOCK_BYTES, rowBytes - at)));
                }
                rows[rank] = new Floats(blocks);
            }
        }
        return rows;
    }
}
