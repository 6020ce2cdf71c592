/* The outcomes of the functions that Java calls. */
#ifndef MILLRACE_OUTCOME_H
#define MILLRACE_OUTCOME_H

enum outcome {
    DONE = 0,
    UNSUPPORTED = 1,  /* a file or a rectangle that this decoder does not support, or leaves to another decoder */
    FAILED = 2,       /* libjpeg refuses the file */
    NO_MEMORY = 3
};

#endif
