@NullMarked
package io.millrace.train.state;

import org.jspecify.annotations.NullMarked;
