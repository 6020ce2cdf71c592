/** Files of this machine that appear whole or not at all. JDK only: any package may use it. */
@NullMarked
package io.millrace.file;

import org.jspecify.annotations.NullMarked;
