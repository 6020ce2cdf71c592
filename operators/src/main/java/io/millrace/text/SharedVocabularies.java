package io.millrace.text;

import java.io.IOException;
import java.lang.ref.Reference;
import java.lang.ref.SoftReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The vocabularies that this process has loaded, by their files or names, so that a process loads a file once: for the check of a
 * pipeline, for its plan and for its slots. A vocabulary that no tokenizer uses any more stays until the heap is needed, unless it is the
 * native library's, which is freed at once. Any thread may call it; a thread that needs a vocabulary waits until another thread has loaded it.
 */
final class SharedVocabularies {
    private final Map<Object, Loaded> loaded = new HashMap<>();
    private final Function<LoadedVocabulary, Reference<LoadedVocabulary>> keeping;

    /** Creates an object that keeps vocabularies until the heap is needed. */
    SharedVocabularies() {
        this(SoftReference::new);
    }

    /** Creates an object that keeps vocabularies by some kind of reference, while no tokenizer uses them. */
    SharedVocabularies(Function<LoadedVocabulary, Reference<LoadedVocabulary>> keeping) {
        this.keeping = keeping;
    }

    /** A file as it is now: a file that has changed is loaded again. */
    private record Key(
            Path path,
            long bytes,
            FileTime modified,
            @Nullable Object identity) {
        static Key of(Path file) throws TokenizerException {
            try {
                Path real = file.toRealPath();
                BasicFileAttributes found = Files.readAttributes(real, BasicFileAttributes.class);
                return new Key(real, found.size(), found.lastModifiedTime(), found.fileKey());
            } catch (IOException e) {
                throw new TokenizerException(file + " cannot be read: " + e, e);
            }
        }
    }

    private record Loaded(Reference<LoadedVocabulary> vocabulary, String reason) {
        Optional<Tokenizer> tokenizer() {
            return Optional.ofNullable(vocabulary.get()).flatMap(LoadedVocabulary::tokenizer);
        }
    }

    /**
     * A vocabulary and the reason for its engine.
     *
     * @param reason why the engine was chosen, as a clause
     */
    record Choice(LoadedVocabulary vocabulary, String reason) {}

    /** The loading of a vocabulary. */
    interface Loading {
        Choice load() throws TokenizerException;
    }

    /** The loading of a vocabulary from a file. */
    interface Loader {
        Choice load(Path file) throws TokenizerException;
    }

    /**
     * Returns a tokenizer of a file, which the caller closes.
     *
     * @param spec the tokenizer as the user names it
     * @throws TokenizerException when the file cannot be read, or the loader throws it
     */
    ChosenTokenizer open(String spec, Path file, Loader loader) throws TokenizerException {
        return shared(spec, Key.of(file), () -> loader.load(file));
    }

    /**
     * Returns a tokenizer of a vocabulary that Millrace has, which the caller closes.
     *
     * @param spec the tokenizer as the user names it
     */
    ChosenTokenizer open(String spec, TiktokenEncoding encoding, Loading loading) throws TokenizerException {
        return shared(spec, encoding, loading);
    }

    private synchronized ChosenTokenizer shared(String spec, Object key, Loading loading) throws TokenizerException {
        loaded.values().removeIf(each -> each.vocabulary().refersTo(null));
        Loaded known = loaded.get(key);
        Optional<Tokenizer> shared = known == null ? Optional.empty() : known.tokenizer();
        if (known != null && shared.isPresent()) {
            return new ChosenTokenizer(spec, shared.get(), known.reason());
        }
        Choice choice = loading.load();
        loaded.put(key, new Loaded(keeping.apply(choice.vocabulary()), choice.reason()));
        Tokenizer first = choice.vocabulary().tokenizer().orElseThrow();
        return new ChosenTokenizer(spec, first, choice.reason());
    }
}
