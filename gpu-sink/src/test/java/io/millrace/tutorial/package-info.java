/**
 * How to extend Millrace, as tests: a dataset format and a transform of one's own. The README links here.
 *
 * <p>It lies in this module because the tests of the module {@code jobs} see those of {@code operators}, and would list
 * both in the page of options.
 */
@NullMarked
package io.millrace.tutorial;

import org.jspecify.annotations.NullMarked;
