package io.millrace.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.UserPrincipal;

/** The user of this process as the owner of files. Files of other users are neither deleted nor trusted, also not by root. */
public final class OwnUser {
    /** The folder of this process. The system shows the user of a process as the owner of this folder. */
    private static final Path PROCESS = Path.of("/proc/self");

    private OwnUser() {}

    /** Returns whether the user of this process owns a file. A link is compared itself, not the file that it leads to. */
    public static boolean owns(Path file) throws IOException {
        return owns(Files.readAttributes(file, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS));
    }

    static boolean owns(PosixFileAttributes file) throws IOException {
        return file.owner().equals(user()); // compares the numbers of the users
    }

    private static UserPrincipal user() throws IOException {
        return Files.getOwner(PROCESS);
    }
}
