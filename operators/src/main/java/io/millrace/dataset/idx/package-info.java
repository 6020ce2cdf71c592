/**
 * MNIST's format: one IDX file of images and one of labels, plain or gzipped.
 *
 * <p>An IDX file is two zero bytes, a byte for the element type, a byte for the number of extents, the extents as
 * big-endian 32-bit numbers, and the elements, row-major.
 */
@NullMarked
package io.millrace.dataset.idx;

import org.jspecify.annotations.NullMarked;
