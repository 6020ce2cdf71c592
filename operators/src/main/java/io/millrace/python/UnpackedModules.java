package io.millrace.python;

import io.millrace.file.OwnedFolder;
import io.millrace.file.TemporaryFolder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The modules that a transform imports, on this machine. Modules that travelled with a job are unpacked into a temporary folder,
 * which all transforms of this process share and the last one deletes. Other modules stay where they are. Any thread may call the
 * methods.
 */
final class UnpackedModules implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(UnpackedModules.class);

    private static final String FOLDERS = "millrace-python-";

    /** A folder in use, and the number of its users. Guarded by the class. */
    private static final class Shared {
        private final OwnedFolder folder;
        private final Path modules;
        private int users;

        Shared(OwnedFolder folder, Path modules) {
            this.folder = folder;
            this.modules = modules;
        }
    }

    /** The folders in use by the hash of their archive and their name. Guarded by the class. */
    private static final Map<String, Shared> IN_USE = new HashMap<>();

    private final List<String> paths;
    private final List<String> keys;
    private boolean closed;

    private UnpackedModules(List<String> paths, List<String> keys) {
        this.paths = paths;
        this.keys = keys;
    }

    /**
     * Unpacks the modules that travelled with the job.
     *
     * @param paths the folders and zip files on the machine of the command
     * @param archives the archives of those that travelled
     */
    static synchronized UnpackedModules of(List<String> paths, ModuleArchives archives) {
        List<String> here = new ArrayList<>();
        List<String> keys = new ArrayList<>();
        for (String path : paths) {
            ModuleArchives.Archive archive = archives.byPath().get(path);
            if (archive == null) {
                here.add(path);
                continue;
            }
            String name = String.valueOf(Path.of(path).getFileName());
            String key = hash(archive.bytes()) + "/" + name;
            Shared shared = IN_USE.get(key);
            if (shared == null) {
                shared = unpack(archive.bytes(), name);
                IN_USE.put(key, shared);
            }
            shared.users++;
            keys.add(key);
            here.add(shared.modules.toString());
        }
        return new UnpackedModules(here, keys);
    }

    /** Returns the folders and zip files on this machine. */
    List<String> paths() {
        return paths;
    }

    private static Shared unpack(byte[] archive, String name) {
        try {
            Path parent = TemporaryFolder.path();
            OwnedFolder.sweep(parent, FOLDERS).kept().forEach(LOG::warn);
            OwnedFolder folder = OwnedFolder.create(parent, FOLDERS);
            Path modules = Files.createDirectory(folder.path().resolve(name));
            try (ZipInputStream zip = new ZipInputStream(new ByteArrayInputStream(archive))) {
                for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                    Path file = modules.resolve(entry.getName()).normalize();
                    if (!entry.isDirectory() && file.startsWith(modules)) {
                        Files.createDirectories(file.getParent());
                        Files.copy(zip, file);
                    }
                }
            }
            return new Shared(folder, modules);
        } catch (IOException e) {
            throw new PythonException("the modules of " + name + " that came with the job cannot be unpacked: " + e, e);
        }
    }

    private static String hash(byte[] archive) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(archive));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** Deletes the folders that nobody else uses. Closing again does nothing. */
    @Override
    public void close() {
        synchronized (UnpackedModules.class) {
            if (closed) {
                return;
            }
            closed = true;
            for (String key : keys) {
                Shared shared = IN_USE.get(key);
                if (shared != null && --shared.users == 0) {
                    IN_USE.remove(key);
                    delete(shared.folder);
                }
            }
        }
    }

    private static void delete(OwnedFolder folder) {
        try {
            folder.close();
        } catch (IOException e) {
            throw new PythonException(
                    "the folder " + folder.path() + " of unpacked modules cannot be deleted: " + e, e);
        }
    }
}
