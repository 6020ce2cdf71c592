/**
 * The writing of files on this machine that appear only when they are complete.
 *
 * <p>Read {@link io.millrace.file.WholeFiles} first. It writes a file under a hidden name beside the final file, and
 * moves the file into place when it is whole. {@link io.millrace.file.TemporaryFolder} is the folder for temporary files.
 * {@link io.millrace.file.OwnedFolder} is a folder for them that does not outlive its process for long, and only folders of {@link
 * io.millrace.file.OwnUser} are deleted. {@link
 * io.millrace.file.MemoryFiles} creates files that processes share as memory. {@link io.millrace.file.HeapLimit} is the largest value
 * that is read from a file.
 *
 * <p>The package does not support files on other machines. Two threads must not write the same file at the same time,
 * except with {@link io.millrace.file.WholeFiles#writeAs}.
 */
@NullMarked
package io.millrace.file;

import org.jspecify.annotations.NullMarked;
