package io.millrace.serve;

import io.millrace.device.BufferMemory;
import io.millrace.file.MemoryFiles;
import io.millrace.file.OwnUser;
import io.millrace.file.Swept;
import io.millrace.lifecycle.Handles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Buffers in a file of the server, in a folder in memory. It is for clients whose own memory the server cannot open. Only
 * the same user can open the file, all of its pages are allocated, and it is deleted as soon as the client has mapped it.
 */
public final class ServerFile implements BufferMemory {
    private static final int NONCE_BYTES = 16;
    private static final Pattern NAME = Pattern.compile("millrace-serve-([1-9][0-9]{0,9})-[0-9a-f]{32}");
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Path path;
    private final String nonce;
    private final SharedBuffers buffers;

    private ServerFile(Path path, String nonce, SharedBuffers buffers) {
        this.path = path;
        this.nonce = nonce;
        this.buffers = buffers;
    }

    /**
     * Creates and maps a file; the caller closes it.
     *
     * @param folder {@link MemoryFiles#FOLDER}, or another folder whose files are in memory
     * @param count the number of buffers, at least 1
     * @param bufferBytes the size of a buffer, as {@link BufferLayout#bufferBytes} returns it
     * @throws MemoryRefusedException when there is no room for the file
     */
    public static ServerFile create(Path folder, int count, long bufferBytes) throws MemoryRefusedException {
        long bytes = SharedBuffers.bytes(count, bufferBytes);
        Path path = folder.resolve("millrace-serve-" + ProcessHandle.current().pid() + "-" + random());
        String nonce = random();
        Handles onFailure = new Handles();
        try {
            if (!MemoryFiles.hasRoom(folder, bytes)) {
                throw new MemoryRefusedException(folder + " has no room for " + count + " buffers of " + bufferBytes
                        + " bytes: expected " + bytes
                        + " bytes and one eighth more, also of the machine's memory");
            }
            MemoryFiles.create(path, bytes);
            onFailure.add(() -> Files.deleteIfExists(path));
            return onFailure.closeOnFailure(() -> {
                FileChannel file =
                        onFailure.add(FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE));
                file.write(ByteBuffer.wrap(HexFormat.of().parseHex(nonce)), 0);
                return new ServerFile(path, nonce, new SharedBuffers(path.toString(), file, count, bufferBytes));
            });
        } catch (MemoryRefusedException e) {
            throw e;
        } catch (IOException e) {
            throw new MemoryRefusedException(
                    "cannot create " + bytes + " bytes of memory in " + folder + ": " + e.getMessage(), e);
        }
    }

    private static String random() {
        byte[] bytes = new byte[NONCE_BYTES];
        RANDOM.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /**
     * Deletes the files of servers that have ended before their client had mapped the file. A server calls it once at
     * its start. Files of other users and links stay. What cannot be deleted is no failure.
     *
     * @param folder {@link MemoryFiles#FOLDER}, or the other folder of {@link #create}
     */
    public static Swept sweep(Path folder) {
        List<Path> deleted = new ArrayList<>();
        List<String> kept = new ArrayList<>();
        if (!Files.isDirectory(folder)) {
            return new Swept(deleted, kept);
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "millrace-serve-*")) {
            for (Path file : files) {
                if (isLeft(file)) {
                    try {
                        if (Files.deleteIfExists(file)) {
                            deleted.add(file);
                        }
                    } catch (IOException e) {
                        kept.add(file + " of a server that has ended cannot be deleted: " + e);
                    }
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            kept.add("the folder " + folder + " cannot be searched: " + e);
        }
        return new Swept(deleted, kept);
    }

    private static boolean isLeft(Path file) throws IOException {
        Matcher name = NAME.matcher(file.getFileName().toString());
        try {
            return name.matches()
                    && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                    && OwnUser.owns(file)
                    && ProcessHandle.of(Long.parseLong(name.group(1))).isEmpty();
        } catch (NoSuchFileException e) {
            return false; // another process has deleted it
        }
    }

    /** Returns the path of the file, for the message MAPPED. */
    public Path path() {
        return path;
    }

    /** Returns the first 16 bytes of the file, as 32 hexadecimal digits, for the message MAPPED. */
    public String nonce() {
        return nonce;
    }

    /**
     * Deletes the file, which the client has mapped: it is needed by its name no more. Deleting again does nothing. Any
     * thread may call it.
     */
    public void delete() {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot delete " + path, e);
        }
    }

    @Override
    public int buffers() {
        return buffers.buffers();
    }

    @Override
    public long bufferBytes() {
        return buffers.bufferBytes();
    }

    @Override
    public long address(int buffer) {
        return buffers.address(buffer);
    }

    @Override
    public void requireWhole() throws IOException {
        buffers.requireWhole();
    }

    /** Unmaps the buffers, and deletes the file if it still exists. */
    @Override
    public void close() {
        try (Handles both = new Handles()) {
            both.add(this::delete);
            both.add(buffers);
        }
    }
}
