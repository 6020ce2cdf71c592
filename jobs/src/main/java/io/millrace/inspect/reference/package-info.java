/**
 * The comparison of the values that Millrace reads from a user's files with those that other programs' libraries read: Pillow,
 * pyarrow, h5py, NumPy, tarfile, libsndfile and LMDB, in a Python process.
 *
 * <p>Read {@link io.millrace.inspect.reference.ReferenceComparison} first. It walks through a folder and compares each file.
 * {@code FileComparison} compares one file. {@code ReferenceProcess} is the Python process, whose program is the resource
 * {@code reference.py}. {@link io.millrace.inspect.reference.ComparisonResult} holds the counts, and {@link
 * io.millrace.inspect.reference.ComparisonText} formats them.
 *
 * <p>The package starts a Python process, and no Flink job.
 *
 * <p>The package does not promise that the other libraries are right.
 */
@NullMarked
package io.millrace.inspect.reference;

import org.jspecify.annotations.NullMarked;
