/**
 * The common part of formats whose samples follow one another in large files, called shards.
 *
 * <p>Read {@link io.millrace.dataset.shard.Shards} first, which treats the shards of a dataset as one sequence of
 * samples. A {@link io.millrace.dataset.shard.ShardIndexer} of the format scans each shard once.
 * {@link io.millrace.dataset.shard.IndexCache} keeps the resulting {@link io.millrace.dataset.shard.ShardIndex} in a
 * file beside the data and replaces it when the shard changes. {@link io.millrace.dataset.shard.OpenFiles} limits the
 * number of open files.
 *
 * <p>The package refuses files that are compressed as a whole. When the structure of a file is lost half way, the
 * samples before that offset are kept, and the rest counts as one bad sample.
 */
@NullMarked
package io.millrace.dataset.shard;

import org.jspecify.annotations.NullMarked;
