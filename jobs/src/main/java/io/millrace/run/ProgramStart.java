package io.millrace.run;

import java.lang.management.ManagementFactory;

/** The time when the user started the program: the start of the launcher if it is known, otherwise the start of the JVM. */
public final class ProgramStart {
    private ProgramStart() {}

    /** Returns the wall-clock time in milliseconds since 1970. */
    public static long atMillis() {
        String launcher = System.getProperty("millrace.started");
        return launcher != null && launcher.matches("[0-9]{1,15}")
                ? Long.parseLong(launcher)
                : ManagementFactory.getRuntimeMXBean().getStartTime();
    }
}
