/**
 * The orderly closing of resources: all of them are closed, in order, and every failure is reported.
 *
 * <p>Read {@link io.millrace.lifecycle.Handles} first. An owner of several files, buffers or native
 * handles adds each of them and closes them together. {@link io.millrace.lifecycle.Handles#closeAfter} closes a single resource
 * after a failure, and adds a second failure to the first one as a suppressed exception. {@link
 * io.millrace.lifecycle.Uninterrupted} waits for the end of a thread or process without regard to interrupts.
 *
 * <p>The package does not promise that handles are freed when an owner forgets to close them.
 */
@NullMarked
package io.millrace.lifecycle;

import org.jspecify.annotations.NullMarked;
