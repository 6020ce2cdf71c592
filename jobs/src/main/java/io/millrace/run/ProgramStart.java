package io.millrace.run;

import java.lang.management.ManagementFactory;

/** When the user asked: the launcher's start where it says so, otherwise the JVM's. */
public final class ProgramStart {
    private ProgramStart() {}

    /** Wall clock in milliseconds since 1970. */
    public static long atMillis() {
        String launcher = System.getProperty("millrace.started");
        return launcher != null && launcher.matches("[0-9]{1,15}")
                ? Long.parseLong(launcher)
                : ManagementFactory.getRuntimeMXBean().getStartTime();
    }
}
