/**
 * The transform {@code python}, which calls a function of the user in a Python process.
 *
 * <p>Read {@link io.millrace.python.PythonTransform} first. {@link io.millrace.python.PythonWorker} is the process,
 * {@link io.millrace.python.SampleWriter} places a sample in the memory that both processes share, and {@link
 * io.millrace.python.WorkerReply} reads the result, whose values stay in that memory until the next sample. The program of the
 * process is the Python package {@code millrace_worker} in the resources beside these classes. docs/develop/python-workers.md
 * describes the messages.
 *
 * <p>The package imports lifecycle, option, order, sample, dataset and transform, and no Flink.
 *
 * <p>The package does not isolate the user's code: it runs with the rights of this process.
 */
@NullMarked
package io.millrace.python;

import org.jspecify.annotations.NullMarked;
