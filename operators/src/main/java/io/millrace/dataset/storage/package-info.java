/**
 * Where datasets' files are: on this machine, read by the JDK, or in any file system that Flink knows.
 *
 * <p>The one place that chooses between the two. What the files hold is the formats' business.
 */
@NullMarked
package io.millrace.dataset.storage;

import org.jspecify.annotations.NullMarked;
