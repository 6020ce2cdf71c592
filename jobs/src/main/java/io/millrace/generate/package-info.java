/** Data for the examples, drawn by the program itself. */
@NullMarked
package io.millrace.generate;

import org.jspecify.annotations.NullMarked;
