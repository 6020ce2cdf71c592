package io.millrace.text;

import ai.djl.huggingface.tokenizers.jni.LibUtils;
import ai.djl.huggingface.tokenizers.jni.TokenizersLibrary;
import java.util.Locale;

/**
 * The native library of Hugging Face's {@code tokenizers}. DJL unpacks it from its jar into {@code DJL_CACHE_DIR} or {@code
 * ~/.djl.ai}. On a machine with a GPU, DJL would download another library, for CUDA, unless it is offline; so it is always offline here.
 */
final class TokenizersLibraries {
    private TokenizersLibraries() {}

    /**
     * Returns the library, loaded.
     *
     * @throws TokenizerException when it cannot be loaded, with the remedy
     */
    static TokenizersLibrary load() throws TokenizerException {
        System.setProperty("ai.djl.offline", "true");
        try {
            LibUtils.checkStatus();
            return TokenizersLibrary.LIB;
        } catch (RuntimeException | LinkageError e) {
            throw new TokenizerException(
                    "The native library of Hugging Face's tokenizers cannot be loaded: expected native/lib/"
                            + System.getProperty("os.name").toLowerCase(Locale.ROOT) + "-"
                            + System.getProperty("os.arch").replace("amd64", "x86_64")
                            + "/cpu in the jar ai.djl.huggingface:tokenizers on the class path, and a folder that this user may"
                            + " write at DJL_CACHE_DIR or ~/.djl.ai; found: " + reason(e)
                            + ". Nothing is downloaded. Tokenizers of byte-level BPE do not need this library.",
                    e);
        }
    }

    private static String reason(Throwable e) {
        Throwable cause = e;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause.getClass().getSimpleName() + ": " + cause.getMessage();
    }
}
