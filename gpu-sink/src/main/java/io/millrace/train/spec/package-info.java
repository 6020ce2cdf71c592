@NullMarked
package io.millrace.train.spec;

import org.jspecify.annotations.NullMarked;
