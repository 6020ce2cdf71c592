/**
 * The dataset format {@code idx} of MNIST: one IDX file of images and one of labels, plain or gzipped.
 *
 * <p>An IDX file consists of two zero bytes, a byte for the element type, a byte for the number of extents, the extents
 * as big-endian 32-bit numbers, and the elements, row-major.
 *
 * <p>Read {@link io.millrace.dataset.idx.IdxFormat} first, which finds the two files. {@code IdxFile} opens and checks
 * one file, {@code IdxHeader} reads its header, and {@code IdxDataset} joins images and labels.
 *
 * <p>The package supports no element types other than unsigned bytes and 32-bit integers. A file on this machine is
 * mapped, so it must not be cut short while a run reads it.
 */
@NullMarked
package io.millrace.dataset.idx;

import org.jspecify.annotations.NullMarked;
