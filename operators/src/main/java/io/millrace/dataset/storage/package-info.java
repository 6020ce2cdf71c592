/**
 * Access to the files of datasets, on this machine with the JDK, or in any file system that Flink supports.
 *
 * <p>Read {@link io.millrace.dataset.storage.Storage} first: the files below a root.
 * {@link io.millrace.dataset.storage.RangedFile} is one file that many threads read at any position. For remote files,
 * {@code Requests} bounds, times and repeats requests, {@code RemoteFailures} decides which failures are transient,
 * and {@code ShardCache} keeps copies on the local disk.
 *
 * <p>The package may import {@code dataset} and Flink's {@code FileSystem}, and nothing else of Flink. It is the only
 * place that distinguishes local from remote files; the content of files is the business of the formats.
 *
 * <p>Not promised: writing. All storages are read-only, except for the cache on the local disk. A change to an open file
 * is noticed by its size or time of modification, and only when the storage opens another stream of the file.
 */
@NullMarked
package io.millrace.dataset.storage;

import org.jspecify.annotations.NullMarked;
