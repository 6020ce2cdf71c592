/**
 * The packing of a dataset into shards. Shards are few large files, which can be read fast from any storage.
 *
 * <p>Read {@link io.millrace.pack.Packing} first. It checks the dataset and the folder, and creates the Flink job
 * ({@code PackJob}): {@code TaskSource} hands out task numbers, {@code TaskOperator} executes tasks, and {@code
 * CommitOperator} completes the pack. {@code ShardFormat} lists the formats, each with a {@code ShardWriter}.
 *
 * <p>A task consists of samples with consecutive indexes, about as many as fit into a shard. It writes its shards into
 * a hidden folder within the result, and then writes a record. A repeated job skips tasks that have a record. When all
 * tasks are finished, the shards get their final names, and a manifest is written. The result depends only on the
 * dataset and the options, not on the parallelism.
 *
 * <p>The package uses {@code dataset}, {@code image}, {@code sample}, {@code sink}, {@code transform} and Flink. It does
 * not promise that two packs may write to one folder at the same time.
 */
@NullMarked
package io.millrace.pack;

import org.jspecify.annotations.NullMarked;
