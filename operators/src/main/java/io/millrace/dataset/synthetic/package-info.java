/** Random images that cost no I/O: for measuring everything but reading and decoding. */
@NullMarked
package io.millrace.dataset.synthetic;

import org.jspecify.annotations.NullMarked;
