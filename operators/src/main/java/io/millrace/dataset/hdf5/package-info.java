/**
 * The dataset format {@code hdf5}: HDF5 files, as h5py and MATLAB write them. They are read without HDF5's library. This
 * package finds a dataset by its path and reads its rows by their position, and checks each position and size that it
 * reads from the file.
 *
 * <p>Read {@link io.millrace.dataset.hdf5.Hdf5Format} first, then {@code Hdf5Table}, {@code Hdf5File} and
 * {@code StoredArray}. {@code ObjectHeader} reads the messages that describe an object, {@code GroupLinks} the links of
 * a group, and the implementations of {@code ChunkIndex} find chunks. Chunks are decompressed to no more than the size
 * that the file states, and kept in a cache.
 *
 * <p>The package copies remote files to this machine, because finding a chunk takes several small reads. It supports no
 * filters other than gzip, LZF, shuffle and Fletcher's checksum, and no types other than numbers, truth values, text,
 * and arrays and lists of numbers.
 */
@NullMarked
package io.millrace.dataset.hdf5;

import org.jspecify.annotations.NullMarked;
