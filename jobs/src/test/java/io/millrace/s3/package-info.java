/** A real S3 server on loopback, and a proxy before it that does what bad networks do. */
@NullMarked
package io.millrace.s3;

import org.jspecify.annotations.NullMarked;
