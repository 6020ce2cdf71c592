/**
 * Access to the files of datasets, on this machine with the JDK, or in any file system that Flink supports.
 *
 * <p>Read {@link io.millrace.dataset.storage.Storage} first, which gives access to the files below a root. {@link
 * io.millrace.dataset.storage.RangedFile} is one file that many threads read at any position. For remote files, {@code
 * Requests} limits the number and the time of requests and repeats them, {@code RemoteFailures} decides which failures
 * are transient, and {@code ShardCache} keeps copies on the local disk. {@link io.millrace.dataset.storage.Segments} maps a
 * local file.
 *
 * <p>No other package distinguishes local from remote files. The dataset formats interpret the content of files.
 *
 * <p>The package does not write files, except for the cache on the local disk. It notices a change to an open file by
 * the file's size or time of modification, and only when it opens another stream of the file.
 */
@NullMarked
package io.millrace.dataset.storage;

import org.jspecify.annotations.NullMarked;
