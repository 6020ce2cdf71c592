package io.millrace.run;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Ctrl-C while a command runs. At first it ends the process, as there is nothing to lose; once work has {@linkplain
 * #begun begun}, it is a request to stop cleanly and tell what was done, and only a second one ends the process.
 *
 * <p>The JDK has signals only in {@code sun.misc}, which it keeps for such use but warns of at compile time: hence
 * the reflection. A shutdown hook will not do: Flink's own hooks tear the embedded cluster down beside it.
 */
public final class Interrupt implements AutoCloseable {
    private static final String[] SIGNALS = {"INT", "TERM"};

    private final CountDownLatch asked = new CountDownLatch(1);
    private final AtomicBoolean begun = new AtomicBoolean();
    private final Map<Object, Object> handlersBefore = new LinkedHashMap<>();

    /** From now on until closed SIGINT and SIGTERM are ours. */
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

    /** From now on Ctrl-C only asks: {@link #await} returns. */
    public void begun() {
        begun.set(true);
    }

    /** Whether the user has asked to stop. */
    public boolean asked() {
        return asked.getCount() == 0;
    }

    /** Waits until the user asks to stop. */
    public void await() throws InterruptedException {
        asked.await();
    }

    /** On a thread of the JVM's. */
    private void signalled() {
        if (!begun.get()) {
            System.err.println("millrace: interrupted before training began");
            System.exit(ExitCode.INTERRUPTED);
        } else if (asked.getCount() == 0) {
            Runtime.getRuntime().halt(ExitCode.INTERRUPTED);
        }
        asked.countDown();
    }

    /** Sets a signal's handler and returns the one before. */
    private static Object handle(Object signal, Object handler) throws ReflectiveOperationException {
        Method handle =
                signal.getClass().getMethod("handle", signal.getClass(), Class.forName("sun.misc.SignalHandler"));
        return handle.invoke(null, signal, handler);
    }

    private static IllegalStateException unsupported(ReflectiveOperationException cause) {
        return new IllegalStateException("this JVM has no sun.misc.Signal: Ctrl-C cannot be handled", cause);
    }

    /** Gives the signals back. */
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
