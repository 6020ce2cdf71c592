package io.millrace.train.engine;

import com.sun.jna.NativeLibrary;
import com.sun.jna.Platform;
import com.sun.jna.Pointer;
import org.jspecify.annotations.Nullable;

/**
 * The environment of the process itself, which native libraries read. Java copies it when it starts: {@link
 * System#getenv} does not show later changes, and Java has no method to change it. Stateless.
 */
final class NativeEnvironment {
    private static final int KEEP_EXISTING = 0;

    private NativeEnvironment() {}

    /** Returns whether this system has functions to read and change the environment. */
    static boolean isKnown() {
        return Platform.isLinux() || Platform.isMac();
    }

    /** Returns the value of a variable; null when it is not set. */
    static @Nullable String get(String variable) {
        Pointer value = NativeLibrary.getInstance("c").getFunction("getenv").invokePointer(new Object[] {variable});
        return value == null ? null : value.getString(0);
    }

    /** Sets a variable unless it is set already. A library sees it if it reads the variable later. */
    static void setDefault(String variable, String value) {
        int failed = NativeLibrary.getInstance("c")
                .getFunction("setenv")
                .invokeInt(new Object[] {variable, value, KEEP_EXISTING});
        if (failed != 0) {
            throw new IllegalStateException("setenv " + variable + " failed");
        }
    }
}
