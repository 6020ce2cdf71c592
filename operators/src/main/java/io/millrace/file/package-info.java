/**
 * The writing of files on this machine that appear only when they are complete.
 *
 * <p>Read {@link io.millrace.file.WholeFiles} first, the only class: it writes a file under a hidden name beside its
 * final one and moves it into place when it is whole.
 *
 * <p>The package imports the JDK only and is the lowest layer, so any package may use it.
 *
 * <p>Not promised: anything about files on other machines, and a good result when two threads write the same file at the
 * same time, except with {@link io.millrace.file.WholeFiles#writeAs}.
 */
@NullMarked
package io.millrace.file;

import org.jspecify.annotations.NullMarked;
