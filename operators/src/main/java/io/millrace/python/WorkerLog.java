package io.millrace.python;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A thread that writes the output of a worker's code into Millrace's log, line by line, with the worker's name. */
final class WorkerLog {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerLog.class);

    private static final int MOST_CHARACTERS = 4000;

    private WorkerLog() {}

    /** Starts the thread, which ends with the output. */
    static void start(String name, InputStream output) {
        Thread thread = new Thread(() -> copy(name, output), name + "-output");
        thread.setDaemon(true);
        thread.start();
    }

    private static void copy(String name, InputStream output) {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(output, StandardCharsets.UTF_8))) {
            StringBuilder line = new StringBuilder();
            for (int next = lines.read(); next >= 0; next = lines.read()) {
                if (next != '\n') {
                    line.append((char) next);
                }
                if (next == '\n' || line.length() >= MOST_CHARACTERS) {
                    LOG.info("{}: {}", name, line);
                    line.setLength(0);
                }
            }
            if (line.length() > 0) {
                LOG.info("{}: {}", name, line);
            }
        } catch (IOException e) {
            LOG.debug("{}: the output has ended", name, e);
        }
    }
}
