package io.millrace.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.text.SharedVocabularies.Choice;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class SharedVocabulariesTest {
    @TempDir
    Path folder;

    private final SharedVocabularies shared = new SharedVocabularies();
    /** The vocabularies that were loaded, but not those that only this test would keep in memory. */
    private final Set<WeakReference<LoadedVocabulary>> loads = ConcurrentHashMap.newKeySet();

    private Path own;
    private Path library;

    @BeforeEach
    void copyTokenizers() throws IOException {
        own = Files.copy(LibraryVectors.file("byte_level_gpt2.json"), folder.resolve("own.json"));
        library = Files.copy(LibraryVectors.file("wordpiece.json"), folder.resolve("library.json"));
    }

    private ChosenTokenizer open(Path file) throws TokenizerException {
        return open(shared, file);
    }

    private ChosenTokenizer open(SharedVocabularies vocabularies, Path file) throws TokenizerException {
        return vocabularies.open("t", file, path -> {
            Choice choice = Tokenizers.load(path);
            loads.add(new WeakReference<>(choice.vocabulary()));
            return choice;
        });
    }

    @Test
    void slotsThatOpenAFileAtTheSameTimeLoadItOnceAndMakeTheSameIds() throws Exception {
        for (Path file : List.of(own, library)) {
            loads.clear();
            ExecutorService slots = Executors.newFixedThreadPool(4);
            List<Future<ChosenTokenizer>> opened = new ArrayList<>();
            List<Future<List<int[]>>> made = new ArrayList<>();
            try {
                for (int slot = 0; slot < 4; slot++) {
                    opened.add(slots.submit(() -> open(file)));
                }
                for (Future<ChosenTokenizer> tokenizer : opened) {
                    made.add(slots.submit(() -> encodeAll(tokenizer.get().tokenizer())));
                }
                List<int[]> first = made.get(0).get();
                for (Future<List<int[]>> ids : made) {
                    assertThat(ids.get()).usingRecursiveComparison().isEqualTo(first);
                }
            } finally {
                slots.shutdown();
                assertThat(slots.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
            }
            assertThat(loads).hasSize(1);
            for (Future<ChosenTokenizer> tokenizer : opened) {
                tokenizer.get().close();
            }
        }
    }

    private static List<int[]> encodeAll(Tokenizer tokenizer) throws IOException {
        return LibraryVectors.texts().stream()
                .map(text -> LibraryVectors.encode(tokenizer, text))
                .toList();
    }

    @Test
    void fileThatHasChangedIsLoadedAgainAndTheOldVocabularyStaysWithItsUsers() throws IOException {
        try (ChosenTokenizer before = open(own)) {
            int[] ids = LibraryVectors.encode(before.tokenizer(), "reads");
            Files.copy(LibraryVectors.file("unigram.json"), folder.resolve("new.json"));
            Files.move(folder.resolve("new.json"), own, StandardCopyOption.REPLACE_EXISTING);
            try (ChosenTokenizer after = open(own)) {
                assertThat(loads).hasSize(2);
                assertThat(after.tokenizer().engine()).isEqualTo("tokenizers");
                assertThat(LibraryVectors.encode(before.tokenizer(), "reads")).isEqualTo(ids);
            }
        }
    }

    @Test
    void vocabularyOfTheLibraryIsFreedWithItsLastTokenizer() throws IOException {
        ChosenTokenizer first = open(library);
        ChosenTokenizer second = open(library);
        first.close();
        first.close();
        assertThat(LibraryVectors.encode(second.tokenizer(), "a reader")).isNotEmpty();
        assertThatThrownBy(() -> LibraryVectors.encode(first.tokenizer(), "a"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
        second.close();
        open(library).close();
        assertThat(loads).hasSize(2);
    }

    @Test
    void vocabularyOfOurEngineStaysWhileTheHeapIsFree() throws IOException {
        open(own).close();
        System.gc();
        open(own).close();
        assertThat(loads).hasSize(1);
    }

    @Test
    @Timeout(60)
    void vocabularyOfOurEngineThatIsCollectedIsLoadedAgain() throws IOException {
        SharedVocabularies weak = new SharedVocabularies(WeakReference::new);
        open(weak, own).close();
        WeakReference<LoadedVocabulary> loaded = loads.iterator().next();
        while (loaded.get() != null) {
            System.gc();
        }
        open(weak, own).close();
        assertThat(loads).hasSize(2);
    }

    @Test
    void fileThatIsMissingOrNoTokenizerIsRefusedEachTime() throws IOException {
        Path none = folder.resolve("none.json");
        assertThatThrownBy(() -> open(none))
                .isInstanceOf(TokenizerException.class)
                .hasMessageContaining("none.json cannot be read");
        Files.writeString(none, "{}");
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> open(none))
                    .isInstanceOf(TokenizerException.class)
                    .hasMessageContaining("is not a tokenizer.json");
        }
    }

    @Test
    void tokenizersOfAPathAndOfItsFolderShareTheirVocabulary() throws IOException {
        Files.copy(own, folder.resolve("tokenizer.json"));
        try (ChosenTokenizer file =
                        Tokenizers.open(folder.resolve("tokenizer.json").toString());
                ChosenTokenizer inFolder = Tokenizers.open(folder.toString())) {
            assertThat(((ByteLevelTokenizer) file.tokenizer()).vocabulary())
                    .isSameAs(((ByteLevelTokenizer) inFolder.tokenizer()).vocabulary());
            assertThat(inFolder.describe()).startsWith("tokenizer " + folder + ": engine millrace");
        }
    }
}
