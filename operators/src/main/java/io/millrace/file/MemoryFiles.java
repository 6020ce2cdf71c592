package io.millrace.file;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Files that several processes of one machine map into their memory. */
public final class MemoryFiles {
    /** The folder whose files are in memory, if the system has one. */
    public static final Path FOLDER = Path.of("/dev/shm");

    private static final MethodHandle UNMAP = unmapping();

    private MemoryFiles() {}

    /**
     * Returns whether a file of this size fits into a folder and into the machine's memory, with some room to spare. A folder
     * that does not exist or cannot be written has no room.
     */
    public static boolean hasRoom(Path folder, long bytes) throws IOException {
        if (!Files.isDirectory(folder) || !Files.isWritable(folder)) {
            return false;
        }
        FileStore store = Files.getFileStore(folder);
        long needed = bytes + bytes / 8;
        // The folder may have room for more than the machine has memory. Then the system would end a process.
        return store.getUsableSpace() > needed && AvailableMemory.bytes().orElse(Long.MAX_VALUE) > needed;
    }

    /**
     * Creates a file of zeros, all of whose pages are allocated, because writing through a mapping to a page that does
     * not fit into the folder ends the process by a signal. The /dev/shm of a container often has only 64 MB. Only this
     * user can read and write the file.
     *
     * @throws IOException when the file exists already or does not fit; then it is deleted
     */
    public static void create(Path file, long bytes) throws IOException {
        Set<StandardOpenOption> options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        var permissions = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        try (FileChannel channel = FileChannel.open(file, options, permissions)) {
            try {
                writeZeros(channel, bytes);
            } catch (IOException e) {
                Files.deleteIfExists(file);
                throw e;
            }
        }
    }

    /**
     * Unmaps a buffer now, not when it is collected. Nothing may use the buffer or its address afterwards: that would end
     * the process.
     *
     * @param mapping a buffer that {@link FileChannel#map} returned, no part or copy of it
     */
    public static void unmap(MappedByteBuffer mapping) {
        try {
            UNMAP.invoke(mapping);
        } catch (Throwable e) {
            throw new IllegalStateException("cannot unmap " + mapping, e);
        }
    }

    private static MethodHandle unmapping() {
        try {
            Class<?> unsafe = Class.forName("sun.misc.Unsafe");
            Field instance = unsafe.getDeclaredField("theUnsafe");
            instance.setAccessible(true);
            return MethodHandles.lookup()
                    .unreflect(unsafe.getMethod("invokeCleaner", ByteBuffer.class))
                    .bindTo(instance.get(null));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this JVM cannot unmap files: it lacks Unsafe.invokeCleaner", e);
        }
    }

    private static void writeZeros(FileChannel channel, long bytes) throws IOException {
        ByteBuffer zeros = ByteBuffer.allocateDirect(1 << 20);
        for (long at = 0; at < bytes; at += zeros.position()) {
            zeros.clear().limit((int) Math.min(zeros.capacity(), bytes - at));
            while (zeros.hasRemaining()) {
                channel.write(zeros);
            }
        }
    }
}
