package io.millrace.train.engine;

import com.sun.jna.Callback;
import com.sun.jna.CallbackReference;
import com.sun.jna.Function;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import io.millrace.train.spec.TrainSpecException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The warnings of PyTorch about operations whose results differ from run to run, in trainings that request reproducible
 * results. PyTorch hands the warnings of a thread to the thread's handler, an object of C++ with one function; those of
 * a backward pass too, which PyTorch collects from its own threads. libtorch's own handler prints to standard error,
 * where nobody would see the warning on a cluster, and it is turned off otherwise (see {@link TrainingRuntime}).
 *
 * <p>PyTorch warns in every step. Each warning is logged once, as a warning of Millrace, and kept for the summary of the
 * run. Warnings about anything else are logged for developers only, each of the first {@value #MOST} texts once. The warnings belong to the process, like the
 * settings that cause them. Any thread may call every method.
 */
public final class EngineWarnings {
    private static final Logger LOG = LoggerFactory.getLogger(EngineWarnings.class);

    /** The number of distinct warnings that are kept; a model has few kinds of operations. */
    private static final int MOST = 20;

    private static final int MOST_CHARACTERS = 400;

    /** In messages of PyTorch, the words before advice that addresses users of its Python API. */
    private static final String ADVICE = ", but you set";

    /** The warnings in the order of their first appearance. Guarded by itself. */
    private static final Set<String> HEARD = new LinkedHashSet<>();

    /** The texts of warnings about anything else that were logged. Guarded by itself. */
    private static final Set<String> LOGGED = new HashSet<>();

    /** The handler, which lives as long as the process: a thread may keep its address. Guarded by this class. */
    private static @Nullable Handler made;

    private EngineWarnings() {}

    /** Returns the warnings since the first trainer that requests reproducible results was opened. */
    public static List<String> heard() {
        synchronized (HEARD) {
            return new ArrayList<>(HEARD);
        }
    }

    /** Forgets the warnings of earlier trainings. */
    static void forget() {
        synchronized (HEARD) {
            HEARD.clear();
        }
    }

    /** Receives the warnings of the calling thread from now on. */
    static void listen() {
        try {
            Handler.set(handler().object);
        } catch (TrainSpecException e) {
            add("warnings about results that differ from run to run cannot be shown: " + e.getMessage());
        }
    }

    private static synchronized Handler handler() {
        Handler handler = made;
        if (handler == null) {
            handler = new Handler();
            made = handler;
        }
        return handler;
    }

    /** Hands the warnings of the calling thread to libtorch's own handler again. */
    static void stop() {
        try {
            Handler.set(null);
        } catch (TrainSpecException e) {
            LOG.debug("no handler was set: {}", e.getMessage());
        }
    }

    /** Adds a warning of Millrace's own about results that differ from run to run. */
    static void add(String warning) {
        boolean first;
        synchronized (HEARD) {
            first = HEARD.size() < MOST && HEARD.add(warning);
        }
        if (first) {
            LOG.warn("device.deterministic: {}", warning);
        }
    }

    private static void received(String message) {
        if (!message.contains("deterministic")) {
            if (isLogged(message)) {
                LOG.info("PyTorch warns: {}", message);
            }
            return;
        }
        int advice = message.indexOf(ADVICE);
        String sentence = advice < 0 ? message : message.substring(0, advice);
        add("results may differ from run to run: "
                + sentence.substring(0, Math.min(sentence.length(), MOST_CHARACTERS)));
    }

    /** Returns whether a warning about anything else is logged now: at its first appearance, unless there were too many. */
    static boolean isLogged(String message) {
        synchronized (LOGGED) {
            return LOGGED.size() < MOST && LOGGED.add(message);
        }
    }

    /**
     * A {@code c10::WarningHandler}, built by the rules of the C++ ABI of Linux and macOS: the object begins with the
     * address of its table of virtual functions, which are two forms of the destructor and {@code process}. Two words
     * before the table describe the type and are not used.
     */
    private static final class Handler {
        private static final String PURPOSE = "passes on warnings about results that differ from run to run";
        private static final int WORDS_BEFORE = 2;
        private static final int FUNCTIONS = 3;

        /** The functions of the table. The fields keep them reachable, because native code calls them. */
        private final Destructor destructor = self -> {};

        private final Receiver receiver = (self, warning) -> received(text(warning));
        private final Function message = message();
        private final Memory table = new Memory((long) (WORDS_BEFORE + FUNCTIONS) * Native.POINTER_SIZE);
        final Memory object = new Memory(Native.POINTER_SIZE);

        /** A destructor, which nobody calls. */
        @FunctionalInterface
        @SuppressWarnings("UnusedMethod") // native code calls it
        interface Destructor extends Callback {
            /** Does nothing. */
            void invoke(Pointer self);
        }

        /** The function that receives a warning. */
        @FunctionalInterface
        @SuppressWarnings("UnusedMethod") // native code calls it
        interface Receiver extends Callback {
            /** Receives a {@code c10::Warning}. */
            void invoke(Pointer self, Pointer warning);
        }

        Handler() {
            table.clear();
            Pointer[] functions = {
                CallbackReference.getFunctionPointer(destructor),
                CallbackReference.getFunctionPointer(destructor),
                CallbackReference.getFunctionPointer(receiver)
            };
            for (int i = 0; i < FUNCTIONS; i++) {
                table.setPointer((long) (WORDS_BEFORE + i) * Native.POINTER_SIZE, functions[i]);
            }
            object.setPointer(0, table.share((long) WORDS_BEFORE * Native.POINTER_SIZE));
        }

        /** Sets the handler of the calling thread; null for libtorch's own. */
        static void set(@Nullable Pointer handler) {
            Libtorch.find("_ZN3c1012WarningUtils19set_warning_handlerEPNS_14WarningHandlerE", PURPOSE)
                    .invokeVoid(new Object[] {handler});
        }

        /** Returns a warning's text. A C++ string begins with the address of its characters, in both forms of libstdc++. */
        private String text(Pointer warning) {
            return message.invokePointer(new Object[] {warning}).getPointer(0).getString(0);
        }

        /** Returns {@code c10::Warning::msg}, whose symbol depends on the form of strings. */
        private static Function message() {
            try {
                return Libtorch.find("_ZNK3c107Warning3msgB5cxx11Ev", PURPOSE);
            } catch (TrainSpecException e) {
                return Libtorch.find("_ZNK3c107Warning3msgEv", PURPOSE);
            }
        }
    }
}
