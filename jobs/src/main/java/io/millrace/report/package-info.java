/** What a run tells: progress, the table of stages, the run folder. */
@NullMarked
package io.millrace.report;

import org.jspecify.annotations.NullMarked;
