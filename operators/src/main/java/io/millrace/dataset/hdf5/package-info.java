/**
 * The dataset format {@code hdf5}: HDF5 files, as h5py and MATLAB write them. The library jHDF finds the datasets in a
 * file; this package reads their rows.
 *
 * <p>Read {@link io.millrace.dataset.hdf5.Hdf5Format} first, then {@code Hdf5Table} and {@code StoredArray}. Rows of
 * contiguous datasets are read by their position. Chunks of the other datasets are decompressed here, to no more than
 * the size that the file states, and kept in a cache.
 *
 * <p>The package may import {@code dataset}, its packages {@code columns}, {@code fields}, {@code files} and
 * {@code storage}, {@code option} and {@code sample}, and jHDF, which no other package may import. It does not import
 * Flink.
 *
 * <p>The package copies remote files to this machine, because jHDF reads only local files. It supports no filters other
 * than gzip, shuffle and Fletcher's checksum, and no types other than numbers, truth values, text and lists of numbers.
 */
@NullMarked
package io.millrace.dataset.hdf5;

import org.jspecify.annotations.NullMarked;
