/**
 * The dataset format {@code npy}: NumPy's .npy files, one for each field. The package also reads .npy members of
 * archives and writes .npy files.
 *
 * <p>Read {@link io.millrace.dataset.npy.NpyFormat} first. {@code NpyHeader} reads and checks the header of a file,
 * {@code NpyDataset} reads single items, {@link io.millrace.dataset.npy.NpyArray} reads a whole file, and
 * {@link io.millrace.dataset.npy.NpyFile} writes one.
 *
 * <p>The package does not support structured arrays, strings, Python objects, 64-bit unsigned numbers or .npz archives.
 * A dataset in Fortran's order is refused, because the numbers of a sample would lie scattered over the file. A file on this
 * machine is mapped, so it must not be cut short while a run reads it.
 */
@NullMarked
package io.millrace.dataset.npy;

import org.jspecify.annotations.NullMarked;
