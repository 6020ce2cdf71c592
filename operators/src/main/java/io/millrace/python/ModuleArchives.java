package io.millrace.python;

import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * The user's modules as zip archives that travel with a job, so that the machines of a cluster need no copy of the folders. Each
 * archive belongs to the path that the folder has on the machine of the command. {@link UnpackedModules} is the other end.
 */
public final class ModuleArchives {
    /** Nothing travels: the job runs where the folders are. */
    public static final ModuleArchives NONE = new ModuleArchives(Map.of());

    /** The archives among the options of a transform. No pipeline file has this option. */
    private static final Option<Map<?, ?>> MODULES = Option.of(
                    "modules",
                    OptionType.<Map<?, ?>>of("archives by path", raw -> (Map<?, ?>) raw),
                    "The archives of the modules.")
            .optional()
            .decides(Identity.NOTHING);

    private final Map<String, Archive> byPath;

    /** The bytes of a zip file, which nobody changes. Archives with the same content are equal. */
    static final class Archive implements Serializable {
        private static final long serialVersionUID = 1;

        private final byte[] bytes;

        Archive(byte[] bytes) {
            this.bytes = bytes;
        }

        byte[] bytes() {
            return bytes;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Archive archive && Arrays.equals(bytes, archive.bytes);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(bytes);
        }

        @Override
        public String toString() {
            return bytes.length + " bytes";
        }
    }

    private ModuleArchives(Map<String, Archive> byPath) {
        this.byPath = byPath;
    }

    /**
     * Packs the modules of folders. The zip files among the paths travel as they are.
     *
     * @param paths the folders and zip files
     * @throws PythonException when a path is missing, or its modules are too large
     */
    public static ModuleArchives pack(Collection<String> paths) throws IOException {
        TreeMap<String, Archive> archives = new TreeMap<>();
        for (String path : paths) {
            if (!archives.containsKey(path)) {
                archives.put(path, new Archive(archive(Path.of(path))));
            }
        }
        return new ModuleArchives(archives);
    }

    private static byte[] archive(Path path) throws IOException {
        if (Files.isRegularFile(path)) {
            ModuleFiles.requireSize(path, List.of(new ModuleFiles.Found(path, Files.size(path))));
            return Files.readAllBytes(path);
        }
        if (!Files.isDirectory(path)) {
            throw new PythonException("python.path: there is no folder or zip file " + path);
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            for (ModuleFiles.Found file : ModuleFiles.of(path)) {
                ZipEntry entry =
                        new ZipEntry(path.relativize(file.path()).toString().replace('\\', '/'));
                entry.setTime(0); // the same modules make the same archive
                zip.putNextEntry(entry);
                Files.copy(file.path(), zip);
                zip.closeEntry();
            }
        }
        return bytes.toByteArray();
    }

    /** Returns the same options with the archives of their modules, if these travel. */
    public OptionValues attach(OptionValues options) {
        TreeMap<String, Archive> own = new TreeMap<>(byPath);
        own.keySet().retainAll(options.find(PythonOptions.PATH).orElse(List.of()));
        return own.isEmpty() ? options : options.with(MODULES, own);
    }

    /** Returns the archives among options by path. */
    static ModuleArchives in(OptionValues options) {
        TreeMap<String, Archive> archives = new TreeMap<>();
        options.find(MODULES)
                .ifPresent(
                        map -> map.forEach((path, archive) -> archives.put(String.valueOf(path), (Archive) archive)));
        return archives.isEmpty() ? NONE : new ModuleArchives(archives);
    }

    /** Returns the archives by path. The caller must not change them. */
    Map<String, Archive> byPath() {
        return byPath;
    }
}
