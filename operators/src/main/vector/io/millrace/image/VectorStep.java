package io.millrace.image;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * A loop of vector operations that the compiler is to compile alone. HotSpot makes vector instructions of the operations
 * in a method as long as they are few; it would put short loops together in the method that calls them, and then makes
 * objects of their vectors: a third of the speed for the loops of a resize, a hundredth for some of colour.
 */
@FunctionalInterface
interface VectorStep {
    /** Runs the loop. */
    void from(int start);

    /** Runs a step by a call that is never inlined. */
    static void run(VectorStep step, int start) {
        try {
            Call.from.invokeExact(step, start);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("a step declares no exception", e);
        }
    }

    /** The call. */
    final class Call {
        /** Not final: a constant handle would be inlined. */
        private static MethodHandle from;

        static {
            try {
                MethodType type = MethodType.methodType(void.class, int.class);
                from = MethodHandles.lookup().findVirtual(VectorStep.class, "from", type);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private Call() {}
    }
}
