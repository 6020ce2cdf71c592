/**
 * HDF5 files, as h5py and MATLAB write them: what stands where is found by jHDF, rows are read here.
 *
 * <p>Rows of contiguous datasets are read by their position; chunks of the others are decompressed here, to no more than
 * the size that the file states, and kept. jHDF reads files on this machine only.
 */
@NullMarked
package io.millrace.dataset.hdf5;

import org.jspecify.annotations.NullMarked;
