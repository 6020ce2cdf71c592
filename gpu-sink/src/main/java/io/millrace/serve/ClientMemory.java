package io.millrace.serve;

import io.millrace.lifecycle.Handles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * Buffers in a client's memory: a memfd, which the server opens by its path below {@code /proc}. The memory must be sealed
 * against shrinking, because access beyond the end of a file that was made shorter fails in the midst of a batch.
 */
public final class ClientMemory {
    private static final Pattern PATH = Pattern.compile("/proc/[1-9][0-9]*/fd/[0-9]+");
    private static final Pattern NONCE = Pattern.compile("[0-9a-f]{32}");

    /** The beginning of the name of every memfd, as its link below {@code /proc} shows it. */
    private static final String MEMFD = "/memfd:";

    private ClientMemory() {}

    /**
     * Opens a client's memory; the caller closes it.
     *
     * @param path the path {@code /proc/<pid>/fd/<number>} of the client's memfd
     * @param buffers the number of buffers, at least 1
     * @param bufferBytes the size of a buffer, as {@link BufferLayout#bufferBytes} returns it
     * @param nonce 32 hexadecimal digits: the first 16 bytes of the memory
     * @throws MemoryRefusedException when this is not the client's memory, or when it cannot be used safely
     */
    public static SharedBuffers open(String path, int buffers, long bufferBytes, String nonce)
            throws MemoryRefusedException {
        if (!PATH.matcher(path).matches()) {
            throw new MemoryRefusedException(
                    "the path of the client's memory is " + path + ": expected /proc/<process>/fd/<number>");
        }
        if (!NONCE.matcher(nonce).matches()) {
            throw new MemoryRefusedException("the nonce of the client's memory is '" + nonce
                    + "': expected 32 hexadecimal digits in lower case");
        }
        String what = "the client's memory " + path;
        long bytes = SharedBuffers.bytes(buffers, bufferBytes);
        try {
            requireMemfd(what, Path.of(path));
            Handles onFailure = new Handles();
            FileChannel file =
                    onFailure.add(FileChannel.open(Path.of(path), StandardOpenOption.READ, StandardOpenOption.WRITE));
            onFailure.closeOnFailure(() -> {
                requireSize(what, file, bytes, buffers, bufferBytes);
                requireNonce(what, file, nonce);
                requireSealed(what, file);
                return file;
            });
            return new SharedBuffers(what, file, buffers, bufferBytes);
        } catch (MemoryRefusedException e) {
            throw e;
        } catch (NoSuchFileException e) {
            throw new MemoryRefusedException(
                    what + " does not exist: the client has ended, or runs in another container (pid namespace)", e);
        } catch (AccessDeniedException e) {
            throw new MemoryRefusedException(
                    what
                            + " cannot be opened: expected a client of the same user in the same container (pid namespace)",
                    e);
        } catch (IOException e) {
            throw new MemoryRefusedException(what + " cannot be opened: " + e.getMessage(), e);
        }
    }

    private static void requireMemfd(String what, Path path) throws IOException {
        String target = Files.readSymbolicLink(path).toString();
        if (!target.startsWith(MEMFD)) {
            throw new MemoryRefusedException(what + " is " + target + ": expected a memfd");
        }
    }

    private static void requireSize(String what, FileChannel file, long bytes, int buffers, long bufferBytes)
            throws IOException {
        if (file.size() < bytes) {
            throw new MemoryRefusedException(what + " has " + file.size() + " bytes: expected at least " + bytes
                    + " for " + buffers + " buffers of " + bufferBytes + " bytes");
        }
    }

    private static void requireNonce(String what, FileChannel file, String nonce) throws IOException {
        byte[] expected = HexFormat.of().parseHex(nonce);
        ByteBuffer found = ByteBuffer.allocate(expected.length);
        file.read(found, 0);
        if (!MessageDigest.isEqual(expected, found.array())) {
            throw new MemoryRefusedException(what + " begins with other bytes than the client's nonce:"
                    + " it belongs to another process, perhaps in another container (pid namespace)");
        }
    }

    /**
     * Requires that nobody can make the memory shorter. Java cannot read the seals; but the system refuses to make sealed
     * memory shorter, even by one byte. Memory without that seal gets its byte back.
     */
    private static void requireSealed(String what, FileChannel file) throws IOException {
        long last = file.size() - 1;
        ByteBuffer lastByte = ByteBuffer.allocate(1);
        file.read(lastByte, last);
        try {
            file.truncate(last);
        } catch (IOException refused) {
            return; // the only reason is the seal: the file is open for writing, and the size is valid
        }
        file.write(lastByte.flip(), last);
        throw new MemoryRefusedException(
                what + " can be made shorter: expected a memfd that is sealed against shrinking (F_SEAL_SHRINK)");
    }
}
