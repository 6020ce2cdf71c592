package io.millrace.run;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The handling of Ctrl-C while a command runs. At first a signal ends the process, because nothing can be lost. After {@link
 * #deferExit} the first signal only requests a clean stop, and the second one ends the process.
 *
 * <p>The JDK offers signals only in {@code sun.misc}. This class uses reflection, because the compiler warns about
 * every use of that package. A shutdown hook is no alternative, because Flink's own hooks tear down the embedded
 * cluster at the same time.
 */
public final class Interrupt implements AutoCloseable {
    private static final String[] SIGNALS = {"INT", "TERM"};

    private final CountDownLatch requested = new CountDownLatch(1);
    private final AtomicBoolean exitDeferred = new AtomicBoolean();
    private final Map<Object, Object> handlersBefore = new LinkedHashMap<>();

    /** Handles SIGINT and SIGTERM until this object is closed. */
    public Interrupt() {
        try {
            Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
            Object handler = Proxy.newProxyInstance(
                    Interrupt.class.getClassLoader(),
                    new Class<?>[] {handlerType},
                    (self, method, arguments) -> switch (method.getName()) {
                        case "hashCode" -> System.identityHashCode(self);
                        case "equals" -> self == arguments[0];
                        case "toString" -> "Interrupt";
                        default -> {
                            signalled();
                            yield null;
                        }
                    });
            Class<?> signal = Class.forName("sun.misc.Signal");
            for (String name : SIGNALS) {
                Object made = signal.getConstructor(String.class).newInstance(name);
                handlersBefore.put(made, handle(made, handler));
            }
        } catch (ReflectiveOperationException e) {
            throw unsupported(e);
        }
    }

    /** Defers the end of the process: the next signal only requests a stop, for which {@link #await} waits. */
    public void deferExit() {
        exitDeferred.set(true);
    }

    /** Returns whether a stop was requested. */
    public boolean isRequested() {
        return requested.getCount() == 0;
    }

    /** Waits until a stop is requested. */
    public void await() throws InterruptedException {
        requested.await();
    }

    /** Handles a signal. The JVM calls this method on a thread of its own. */
    private void signalled() {
        if (!exitDeferred.get()) {
            System.err.println("millrace: interrupted before training began");
            System.exit(ExitCode.INTERRUPTED);
        } else if (requested.getCount() == 0) {
            Runtime.getRuntime().halt(ExitCode.INTERRUPTED);
        }
        requested.countDown();
    }

    /** Sets the handler of a signal and returns the previous handler. */
    private static Object handle(Object signal, Object handler) throws ReflectiveOperationException {
        Method handle =
                signal.getClass().getMethod("handle", signal.getClass(), Class.forName("sun.misc.SignalHandler"));
        return handle.invoke(null, signal, handler);
    }

    private static IllegalStateException unsupported(ReflectiveOperationException cause) {
        return new IllegalStateException("this JVM has no sun.misc.Signal: Ctrl-C cannot be handled", cause);
    }

    /** Restores the handlers that were set before. */
    @Override
    public void close() {
        try {
            for (Map.Entry<Object, Object> before : handlersBefore.entrySet()) {
                handle(before.getKey(), before.getValue());
            }
        } catch (ReflectiveOperationException e) {
            throw unsupported(e);
        }
    }
}
