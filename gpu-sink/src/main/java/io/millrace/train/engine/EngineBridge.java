package io.millrace.train.engine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bridge: the native library of DJL through which Java calls libtorch, as a file that is loaded into a process.
 *
 * <p>A bridge that was compiled without {@code -DUSE_CUDA} loads and trains on a GPU, but its function that empties
 * PyTorch's cache does nothing and returns no error. Only the file shows the difference: a bridge for CUDA refers to the
 * allocator of PyTorch for CUDA by name.
 *
 * @param file the library
 * @param forCuda whether the library was compiled for CUDA
 */
public record EngineBridge(Path file, boolean forCuda) {
    private static final Logger LOG = LoggerFactory.getLogger(EngineBridge.class);
    private static final Path LOADED_FILES = Path.of("/proc/self/maps");
    private static final String NAME = System.mapLibraryName("djl_torch");

    /** The name in the symbol table of every bridge that can empty the cache; C++ names contain it as it is. */
    private static final byte[] ALLOCATOR = "CUDACachingAllocator".getBytes(StandardCharsets.US_ASCII);

    /**
     * Returns the bridge that this process has loaded. Empty when it has loaded none, and where the system does not list
     * the loaded files or the file was replaced or cannot be read.
     */
    static Optional<EngineBridge> loaded() {
        if (!Files.isReadable(LOADED_FILES)) {
            return Optional.empty();
        }
        try {
            return in(Files.readAllLines(LOADED_FILES, StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            LOG.debug("the loaded files cannot be listed", e);
            return Optional.empty();
        }
    }

    /** Returns the bridge in the lines of {@code /proc/self/maps}, which end with the path of a mapped file. */
    static Optional<EngineBridge> in(List<String> maps) {
        return maps.stream()
                .filter(line -> line.endsWith(NAME) && line.indexOf('/') >= 0)
                .map(line -> Path.of(new String(
                        line.substring(line.indexOf('/')).getBytes(StandardCharsets.ISO_8859_1),
                        StandardCharsets.UTF_8)))
                .filter(Files::isReadable)
                .findFirst()
                .flatMap(EngineBridge::read);
    }

    /** Reads a bridge's file; empty when it cannot be read, because a run only needs it for a warning. */
    private static Optional<EngineBridge> read(Path file) {
        try {
            return Optional.of(of(file));
        } catch (IOException e) {
            LOG.debug("the bridge {} cannot be read", file, e);
            return Optional.empty();
        }
    }

    /** Reads a bridge's file. */
    static EngineBridge of(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            MappedByteBuffer bytes = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
            return new EngineBridge(file, contains(bytes, ALLOCATOR));
        }
    }

    private static boolean contains(ByteBuffer bytes, byte[] wanted) {
        for (int start = 0; start <= bytes.limit() - wanted.length; start++) {
            int matching = 0;
            while (matching < wanted.length && bytes.get(start + matching) == wanted[matching]) {
                matching++;
            }
            if (matching == wanted.length) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns a warning for a process that trains on a GPU with this bridge; null when the bridge was compiled for CUDA.
     */
    @Nullable
    String warning() {
        return forCuda
                ? null
                : "the bridge " + file
                        + " was compiled without -DUSE_CUDA: it cannot empty PyTorch's cache, so that the"
                        + " memory of a closed trainer stays with this process until it ends. Compile it again as"
                        + " docs/use/gpu-pytorch.md describes";
    }
}
