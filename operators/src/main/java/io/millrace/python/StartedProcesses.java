package io.millrace.python;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The processes that the user's code has started in workers, and those which these have started. They inherit a variable of the
 * environment, by which they are found and killed when this JVM ends. Without that, a process that a dataset forgets would outlive
 * its training. Any thread may use the class.
 */
final class StartedProcesses {
    /** The name of the variable. */
    static final String VARIABLE = "MILLRACE_STARTED_BY";

    private static final Logger LOG = LoggerFactory.getLogger(StartedProcesses.class);
    private static final String MARK = UUID.randomUUID().toString();
    private static final String ENTRY = "\0" + VARIABLE + "=" + MARK + "\0";

    /** The number of searches: a process may have started another one during a search. */
    private static final int MOST_SEARCHES = 5;

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(StartedProcesses::end, "python-processes"));
    }

    private StartedProcesses() {}

    /** Returns the value of the variable in the environment of this JVM's workers. */
    static String mark() {
        return MARK;
    }

    private static void end() {
        for (int search = 0; search < MOST_SEARCHES; search++) {
            List<ProcessHandle> found = ProcessHandle.allProcesses()
                    .filter(StartedProcesses::isMarked)
                    .toList();
            if (found.isEmpty()) {
                return;
            }
            found.forEach(ProcessHandle::destroyForcibly);
        }
    }

    private static boolean isMarked(ProcessHandle process) {
        Path environment = Path.of("/proc", String.valueOf(process.pid()), "environ");
        try {
            String text = new String(Files.readAllBytes(environment), StandardCharsets.ISO_8859_1);
            return ("\0" + text).contains(ENTRY);
        } catch (IOException e) { // it has ended, or belongs to another user
            LOG.trace("the environment of process {} cannot be read", process.pid(), e);
            return false;
        }
    }
}
