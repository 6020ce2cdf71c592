package io.millrace.image;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * A loop of vector operations that must be compiled alone. HotSpot compiles the operations of a method to vector
 * instructions only if the method has few of them. It would inline short loops into their caller and then allocate
 * their vectors. The loops of a resize would then have a third of their speed, and some colour changes a hundredth.
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

    /** The holder of the method handle. */
    final class Call {
        /** Not final, because a constant handle would be inlined. */
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
