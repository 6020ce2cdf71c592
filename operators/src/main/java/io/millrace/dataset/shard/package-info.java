/**
 * Formats whose samples follow one another in large files: what stands where is found once by a scan, kept in an index
 * beside the data, and rebuilt when the file changes. A file whose structure is lost half way keeps the samples before.
 */
@NullMarked
package io.millrace.dataset.shard;

import org.jspecify.annotations.NullMarked;
