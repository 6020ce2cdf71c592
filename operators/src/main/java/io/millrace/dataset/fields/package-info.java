/** Which fields of a stored sample are read, and as what. */
@NullMarked
package io.millrace.dataset.fields;

import org.jspecify.annotations.NullMarked;
