/**
 * The transform and the format {@code python}, which call functions and read datasets of the user in Python processes.
 *
 * <p>Read {@link io.millrace.python.PythonTransform} first. {@link io.millrace.python.PythonWorker} is the process,
 * {@link io.millrace.python.SampleWriter} places a sample in the memory that both processes share, and {@link
 * io.millrace.python.WorkerReply} reads the result, whose values stay in that memory until the next sample. The program of the
 * process is the Python package {@code millrace_worker} in the resources beside these classes. docs/develop/python-workers.md
 * describes the messages.
 *
 * <p>{@link io.millrace.python.PythonDataset} reads items: {@link io.millrace.python.WorkerPool} has its workers, {@link
 * io.millrace.python.PythonReading} replaces those that fail, and {@link io.millrace.python.ItemSamples} makes samples.
 *
 * <p>The package does not isolate the user's code: it runs with the rights of this process.
 */
@NullMarked
package io.millrace.python;

import org.jspecify.annotations.NullMarked;
