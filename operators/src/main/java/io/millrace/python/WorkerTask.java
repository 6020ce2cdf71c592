package io.millrace.python;

import java.time.Duration;
import java.util.Map;

/** What a worker is started for. */
interface WorkerTask {
    /**
     * The address space of the memory that a worker shares with this process. Pages that are never written need no memory.
     */
    int MEMORY_BYTES = 1 << 30;

    /** Returns the worker's name in the log, such as {@code python-0}. */
    String name();

    /** Returns the interpreter that runs the worker. */
    Interpreter interpreter();

    /** Returns the name of the user's object, as {@code module:name}. */
    String call();

    /** Returns the name of one of the user's objects, if the worker has several, from 0. */
    default String call(int number) {
        return call();
    }

    /** Returns the longest time of a call. */
    Duration timeout();

    /** Returns the longest time in which the user's modules are imported and the user's objects are made. */
    Duration startTimeout();

    /** Returns whether one process makes the objects for several workers, which are copies of it. */
    default boolean family() {
        return false;
    }

    /** Returns the values of JSON that tell the worker what to do. */
    Map<String, Object> settings();
}
