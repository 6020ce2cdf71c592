/**
 * Writes a dataset anew as shards: few large files that are read well from any storage.
 *
 * <p>A pack is a Flink job. The samples are cut into tasks of consecutive indexes, about a shard each; a task writes its
 * shards into a hidden folder beside the result and leaves a record of what it wrote, so that a job that begins again
 * skips what is done. When all tasks are done the shards get their names and a manifest. What comes out depends on the
 * dataset and the options alone, never on the parallelism.
 */
@NullMarked
package io.millrace.pack;

import org.jspecify.annotations.NullMarked;
