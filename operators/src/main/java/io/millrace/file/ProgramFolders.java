package io.millrace.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The folders to which native libraries may be unpacked. The folder for temporary files is the first one, but it may be full, or
 * mounted so that no program and no library can be loaded from it ({@code noexec}).
 */
public final class ProgramFolders {
    private ProgramFolders() {}

    /** Returns the folders in the order in which they should be tried. */
    public static List<Path> candidates() {
        Set<Path> folders = new LinkedHashSet<>(List.of(TemporaryFolder.path(), MemoryFiles.FOLDER));
        for (String property : List.of("millrace.state", "user.home")) {
            String folder = System.getProperty(property);
            if (folder != null) {
                folders.add(Path.of(folder));
            }
        }
        folders.removeIf(folder -> !Files.isWritable(folder));
        return new ArrayList<>(folders);
    }

    /** Returns the first folder from which programs can be loaded. */
    public static Optional<Path> first() {
        return candidates().stream().filter(ProgramFolders::allowsPrograms).findFirst();
    }

    private static boolean allowsPrograms(Path folder) {
        try {
            Path probe = Files.createTempFile(
                    folder,
                    "millrace-probe",
                    "",
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            try {
                return Files.isExecutable(probe); // false where the file system is mounted without programs
            } finally {
                Files.deleteIfExists(probe);
            }
        } catch (IOException e) {
            return false; // for example, the disk is full
        }
    }
}
