/** Pipeline files: records, and a reader that reports all problems at once with line and key. */
@NullMarked
package io.millrace.config;

import org.jspecify.annotations.NullMarked;
