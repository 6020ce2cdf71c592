/**
 * Going on with an earlier run: finds its checkpoints and reads whose they are. Reads Flink's checkpoint metadata, which
 * is Flink's own format; nothing of a job runs here.
 */
@NullMarked
package io.millrace.resume;

import org.jspecify.annotations.NullMarked;
