@NullMarked
package io.millrace.train.network;

import org.jspecify.annotations.NullMarked;
