/**
 * The search for the files of a dataset by paths, lists of paths, braces and patterns.
 *
 * <p>Read {@link io.millrace.dataset.files.DataFiles} first: it expands the option {@code path} to a list of
 * {@link io.millrace.dataset.files.DataFile}s in a fixed order, which is the order of the samples' indexes.
 * {@link io.millrace.dataset.files.ParallelTasks} opens many files at a time.
 *
 * <p>The package works on any storage, on this machine or elsewhere.
 *
 * <p>The package does not promise the same files when a folder changes between two runs, because a pattern is expanded
 * each time a dataset is opened.
 */
@NullMarked
package io.millrace.dataset.files;

import org.jspecify.annotations.NullMarked;
