/**
 * The closing of resources: in order, completely, and with every failure reported.
 *
 * <p>Read {@link io.millrace.lifecycle.Handles} first; it is the only class. An owner of several files, buffers or native
 * handles adds each of them and closes them together. Where a single thing has to be closed after a failure, {@link
 * io.millrace.lifecycle.Handles#closeAfter} keeps a second failure as a suppressed one.
 *
 * <p>This package imports the JDK alone, so every package may import it. It does not promise that handles are freed when an
 * owner forgets to close them.
 */
@NullMarked
package io.millrace.lifecycle;

import org.jspecify.annotations.NullMarked;
