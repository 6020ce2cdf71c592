/** Handwritten-looking digits from strokes, in the files and the format of MNIST. */
@NullMarked
package io.millrace.generate.digits;

import org.jspecify.annotations.NullMarked;
