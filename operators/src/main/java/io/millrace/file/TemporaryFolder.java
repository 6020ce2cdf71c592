package io.millrace.file;

import java.nio.file.Path;

/**
 * The folder for temporary files, which {@code java.io.tmpdir} names. Some libraries read this property when they
 * unpack their native code. During that time, the property has to name another folder. The methods of this class
 * exclude each other, so that only those libraries get the other folder. Any thread may call them.
 */
public final class TemporaryFolder {
    /** The system property that names the folder. */
    public static final String PROPERTY = "java.io.tmpdir";

    private TemporaryFolder() {}

    /** Returns the folder. Waits while the property names another one. */
    public static synchronized Path path() {
        return Path.of(System.getProperty(PROPERTY));
    }

    /** Runs an action while the property names another folder. */
    public static synchronized void replace(Path other, Runnable action) {
        String before = System.getProperty(PROPERTY);
        System.setProperty(PROPERTY, other.toString());
        try {
            action.run();
        } finally {
            System.setProperty(PROPERTY, before);
        }
    }
}
