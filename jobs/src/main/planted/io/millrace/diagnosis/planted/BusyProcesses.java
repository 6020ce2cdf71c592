package io.millrace.diagnosis.planted;

import io.millrace.lifecycle.Uninterrupted;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A group of other programs that use all the CPU time that they can get. They end with this process. */
final class BusyProcesses implements Plant.Disturbance.Running {
    private final List<Process> processes = new ArrayList<>();
    private final long beganNanos = System.nanoTime();

    private BusyProcesses() {}

    /** Starts {@code count} programs, each of which uses one core at a time. The caller closes them. */
    static BusyProcesses start(int count) throws IOException {
        BusyProcesses busy = new BusyProcesses();
        long self = ProcessHandle.current().pid();
        try {
            for (int i = 0; i < count; i++) {
                busy.processes.add(new ProcessBuilder("sh", "-c", "while kill -0 " + self + " 2>&-; do :; done")
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start());
            }
        } catch (IOException e) {
            busy.close();
            throw e;
        }
        return busy;
    }

    @Override
    public double cores() {
        long used = processes.stream()
                .mapToLong(process ->
                        process.info().totalCpuDuration().map(Duration::toNanos).orElse(0L))
                .sum();
        return (double) used / (System.nanoTime() - beganNanos);
    }

    @Override
    public void close() {
        processes.forEach(Process::destroyForcibly);
        for (Process process : processes) {
            Uninterrupted.await(process::waitFor);
        }
    }
}
