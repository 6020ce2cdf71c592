package io.millrace.cli;

import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Ctrl-C as a request: the first one runs an action while the program goes on, so that it can stop cleanly and tell what
 * it did; a second one ends the process at once.
 *
 * <p>The JDK has signals only in {@code sun.misc}, which it keeps for such use but warns of at compile time: hence
 * the reflection. A shutdown hook will not do: Flink's own hooks tear the embedded cluster down beside it.
 */
final class Interrupt {
    private Interrupt() {}

    /** From now on SIGINT and SIGTERM run {@code action} once, on a thread of the JVM's. */
    static void handle(Runnable action) {
        AtomicBoolean asked = new AtomicBoolean();
        Runnable handler = () -> {
            if (asked.getAndSet(true)) {
                Runtime.getRuntime().halt(ExitCode.INTERRUPTED);
            }
            action.run();
        };
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
            Object proxy = Proxy.newProxyInstance(
                    Interrupt.class.getClassLoader(), new Class<?>[] {handlerType}, (self, method, arguments) -> {
                        switch (method.getName()) {
                            case "handle" -> handler.run();
                            case "hashCode" -> {
                                return System.identityHashCode(self);
                            }
                            case "equals" -> {
                                return self == arguments[0];
                            }
                            default -> {
                                return "Interrupt";
                            }
                        }
                        return null;
                    });
            for (String name : new String[] {"INT", "TERM"}) {
                Object made = signal.getConstructor(String.class).newInstance(name);
                signal.getMethod("handle", signal, handlerType).invoke(null, made, proxy);
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this JVM has no sun.misc.Signal: Ctrl-C cannot be handled", e);
        }
    }
}
