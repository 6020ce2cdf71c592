/**
 * The common part of formats whose samples follow one another in large files, called shards.
 *
 * <p>Read {@link io.millrace.dataset.shard.Shards} first: the shards of a dataset as one range of samples. A
 * {@link io.millrace.dataset.shard.ShardIndexer} of the format scans each shard once.
 * {@link io.millrace.dataset.shard.IndexCache} keeps the resulting {@link io.millrace.dataset.shard.ShardIndex} in a
 * file beside the data and has it made again when the shard changes. {@link io.millrace.dataset.shard.OpenFiles} keeps
 * few of many files open.
 *
 * <p>The package may import {@code dataset}, its packages {@code files} and {@code storage}, {@code file} and
 * {@code option}, Jackson and SLF4J. It imports no Flink.
 *
 * <p>Not promised: access to files that are compressed as a whole, which are refused. When the structure of a file is
 * lost half way, the samples before that offset are kept, and the rest counts as one bad sample.
 */
@NullMarked
package io.millrace.dataset.shard;

import org.jspecify.annotations.NullMarked;
