/** The command line: one class per command. */
@NullMarked
package io.millrace.cli;

import org.jspecify.annotations.NullMarked;
